// The shape of a tensor-core product of one warp, D = A B + C: A has rows x k elements, and B has k x 8 elements.
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
  bool sparse = false;  // half of the elements of A are stored

  unsigned a_columns() const { return sparse ? k / 2 : k; }
  // The number of groups of 4 bits in the metadata of a row. Four bits select two of four pieces of B: halves, bytes,
  // or pairs of 4-bit numbers.
  unsigned metadata_groups() const { return k * element_bits / (element_bits >= 16 ? 64 : 32); }
  // The number of lanes that contain the metadata of a row, among the four lanes of the row.
  unsigned metadata_lanes() const { return metadata_groups() / 4; }
  // The number of registers in a lane for each matrix.
  unsigned a_registers() const { return rows * a_columns() * element_bits / 1024; }
  unsigned b_registers() const { return 8 * k * element_bits / 1024; }
  unsigned c_registers() const { return rows * 8 * result_bits / 1024; }
};

// The shape of HMMA, IMMA, BMMA, DMMA, QMMA and OMMA. Nothing if the shape is unknown.
std::optional<tensor_shape> tensor_shape_of(const instruction& i);

}  // namespace bankwise::sass
