// Tensor memory of a multiprocessor of sm_100. It has 128 lanes and 512 columns of 32 bits. Also records the allocated
// columns.
//
//     address    31 ... 16   15 ... 0
//                lane        column
#pragma once

#include <cstdint>
#include <vector>

namespace bankwise::emulate {

struct tensor_memory {
  // `unit`: number of columns that are allocated together
  static constexpr unsigned lanes = 128, columns = 512, unit = 32;

  std::vector<std::uint32_t> cells;  // the cells, lane by lane; empty before the first allocation
  std::uint32_t allocated = 0;       // mask of the allocated units, with one bit for each unit

  std::uint32_t* lane(unsigned n) { return cells.data() + std::size_t{n} * columns; }
  // Makes the cells, filled with zeros, if they do not exist.
  void make() {
    if (cells.empty()) cells.resize(std::size_t{lanes} * columns);
  }
  void clear() {
    allocated = 0;
    cells.clear();
  }
  // The first of `count` adjacent free units, at a multiple of `count`. If there are no such units, returns the total
  // number of units. `taken`: units that another multiprocessor uses. These units do not count as free.
  unsigned find_free(unsigned count, std::uint32_t taken) const {
    for (unsigned first = 0; count != 0 && first + count <= columns / unit; first += count)
      if (((allocated | taken) >> first & ((1u << count) - 1)) == 0) return first;
    return columns / unit;
  }
};

}  // namespace bankwise::emulate
