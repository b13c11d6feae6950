// Replaces PyTorch's header: a kernel reads the seed and the offset from the state of a random sequence.
#pragma once

#include <tuple>

#include "ATen/cuda/PhiloxCudaState.h"

namespace at::cuda::philox {
__host__ __device__ inline std::tuple<std::uint64_t, std::uint64_t> unpack(PhiloxCudaState s) { return {s.seed, s.offset}; }
}  // namespace at::cuda::philox
