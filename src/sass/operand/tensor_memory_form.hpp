// The cells of tensor memory that LDTM and STTM (tcgen05.ld and tcgen05.st) copy. A cell is a word of 32 bits, in one
// lane and one column.
//
//     LDTM.16dp128bit.x4 R4, tmem[UR4]        16 lanes, 4 times 4 columns: 8 registers
#pragma once

#include <cstdint>

#include "sass/row.hpp"

namespace bankwise::sass {

// The value of an enumerator is its number in the encoding. The last two values are .16x32bx2 for threads 0 to 15 and
// for threads 16 to 31.
enum class tensor_layout : std::uint8_t {
  lanes16_bits128,
  lanes16_bits256,
  lanes32_bits32,
  lanes16_bits64,
  first_threads,
  last_threads,
};
inline constexpr unsigned tensor_layouts = 6;

unsigned tensor_layout_number(const row_fields& f);
// The number of times that the shape repeats along the columns.
unsigned tensor_repeats(const row_fields& f);
// The number of registers for one repetition of the shape.
inline unsigned registers_of(tensor_layout l) {
  return l == tensor_layout::lanes16_bits256 ? 4 : l == tensor_layout::lanes16_bits128 ? 2 : 1;
}
unsigned tensor_registers(const row_fields& f);

}  // namespace bankwise::sass
