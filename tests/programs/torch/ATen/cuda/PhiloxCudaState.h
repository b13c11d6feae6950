// Replaces PyTorch's header: the seed and offset of a random sequence are values, because these programs capture no
// graphs.
#pragma once

#include <cstdint>

namespace at {
struct PhiloxCudaState {
  std::uint64_t seed, offset;
};
}  // namespace at
