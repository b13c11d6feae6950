// Tensor memory of a multiprocessor of sm_100: 128 lanes of 512 columns of 32 bits, and which columns are allocated.
//
//     address    31 ... 16   15 ... 0
//                lane        column
#pragma once

#include <cstdint>
#include <vector>

namespace bankwise::emulate {

struct tensor_memory {
  static constexpr unsigned lanes = 128, columns = 512, unit = 32;  // columns are allocated in units

  std::vector<std::uint32_t> cells;  // lane by lane; empty before the first allocation
  std::uint32_t allocated = 0;       // a bit for each unit

  std::uint32_t* lane(unsigned n) { return cells.data() + std::size_t{n} * columns; }
  // Zeros, if it had none.
  void make() {
    if (cells.empty()) cells.resize(std::size_t{lanes} * columns);
  }
  void clear() {
    allocated = 0;
    cells.clear();
  }
  // The first units of `count` neighbours that are free, at a multiple of `count`; `units` if there are none. `taken`:
  // units that another multiprocessor uses, which are not free either.
  unsigned find_free(unsigned count, std::uint32_t taken) const {
    for (unsigned first = 0; count != 0 && first + count <= columns / unit; first += count)
      if (((allocated | taken) >> first & ((1u << count) - 1)) == 0) return first;
    return columns / unit;
  }
};

}  // namespace bankwise::emulate
