// The shape of a warp's product on tensor cores, D = A B + C. A has rows x k elements, and B has k x 8 elements.
//
//     HMMA.16816.F32 R4, R8, R12, R4        16 rows, k 16: per lane, 4 registers of A, 2 of B, 4 of C and D
#pragma once

#include <optional>

#include "sass/instruction.hpp"

namespace bankwise::sass {

struct tensor_shape {
  unsigned rows = 0, k = 0;
  unsigned element_bits = 16;
  unsigned result_bits = 32;
  bool sparse = false;  // whether only half of A's elements are stored

  unsigned a_columns() const { return sparse ? k / 2 : k; }
  // Returns the number of groups of 4 bits in the metadata of a row. A group selects two of four pieces of B. A piece
  // is a half, a byte, or a pair of 4-bit numbers.
  unsigned metadata_groups() const { return k * element_bits / (element_bits >= 16 ? 64 : 32); }
  // Returns how many of a row's four lanes contain the row's metadata.
  unsigned metadata_lanes() const { return metadata_groups() / 4; }
  // For each matrix, the number of registers in a lane.
  unsigned a_registers() const { return rows * a_columns() * element_bits / 1024; }
  unsigned b_registers() const { return 8 * k * element_bits / 1024; }
  unsigned c_registers() const { return rows * 8 * result_bits / 1024; }
};

// Returns the shape of HMMA, IMMA, BMMA, DMMA, QMMA or OMMA. Returns nothing if the shape is unknown.
std::optional<tensor_shape> tensor_shape_of(const instruction& i);

}  // namespace bankwise::sass
