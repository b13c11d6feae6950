// The registers of a texture instruction. The instruction reads two vectors of registers, and writes two vectors.
//
//     TEX.LL.AOFFI R10, R8, R8, R10, UR4, 0x0, 2D      R8 and R9: x, y; R10 and R11: level, offsets;
//                                                      red and green go to R8 and R9, blue and alpha to R10 and R11
//
// The operands are in the order of the members below. With .B, the handle precedes the level. With .SCR, the second
// vector begins in the middle of the operands.
#pragma once

#include <cstdint>

#include "sass/row.hpp"

namespace bankwise::sass {

enum class texture_level_use : std::uint8_t { none, zero, bias, given, unknown };

struct texture_form {
  std::uint8_t coordinates = 0;  // number of coordinates, from 1 to 3, without the layer
  bool has_layer = false, is_cube = false;
  bool has_handle = false;             // whether a register contains the handle
  bool has_level = false;              // whether there is a level or a bias
  bool has_offset = false;             // whether there are offsets, with 4 bits for each coordinate
  bool has_derivatives = false;        // whether there are two derivatives for each coordinate
  std::uint8_t first = 0, second = 0;  // number of registers in the vectors at bits 24 and 32
  std::uint8_t low = 0, high = 0;      // number of registers in the vectors at bits 16 and 64
  std::uint8_t channels = 0;
  texture_level_use level = texture_level_use::none;
};
texture_form texture_form_of(const instruction& i);

// The number of registers that contain the coordinates of a surface.
unsigned surface_coordinates(const row_fields& f);

}  // namespace bankwise::sass
