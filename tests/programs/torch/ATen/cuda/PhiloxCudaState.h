// Where PyTorch keeps the seed and offset of a random sequence: as values, since nothing here captures graphs.
#pragma once

#include <cstdint>

namespace at {
struct PhiloxCudaState {
  std::uint64_t seed, offset;
};
}  // namespace at
