// Reads the seed and offset from such a state in a kernel.
#pragma once

#include <tuple>

#include "ATen/cuda/PhiloxCudaState.h"

namespace at::cuda::philox {
__host__ __device__ inline std::tuple<std::uint64_t, std::uint64_t> unpack(PhiloxCudaState s) { return {s.seed, s.offset}; }
}  // namespace at::cuda::philox
