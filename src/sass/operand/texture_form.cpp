// Determines the vectors of registers of a texture instruction from its modifiers.
#include "sass/operand/texture_form.hpp"

#include <algorithm>
#include <bit>

namespace bankwise::sass {

namespace {

texture_level_use level_of(const row_fields& f) {
  if (f.has("fetch_lod")) return f.value("fetch_lod") != 0 ? texture_level_use::given : texture_level_use::zero;
  const std::uint64_t lod =
      f.has("texture_lod") ? f.value("texture_lod") : f.value("lod_high") << 1 | f.value("lod_low");
  switch (lod) {
    case 0: return texture_level_use::none;
    case 1: return texture_level_use::zero;
    case 2: return texture_level_use::bias;
    case 3: return texture_level_use::given;
    default: return texture_level_use::unknown;
  }
}

}  // namespace

texture_form texture_form_of(const instruction& i) {
  constexpr std::uint8_t counts[] = {1, 2, 3, 3};
  const row_fields f(i);
  texture_form t;
  const auto dim = static_cast<unsigned>(f.value("texture_dim"));
  t.coordinates = counts[dim & 3];
  t.has_layer = (dim & 4) != 0;
  t.is_cube = (dim & 3) == 3;
  t.has_handle = f.flag(".B");
  t.level = level_of(f);
  t.has_level = t.level == texture_level_use::bias || t.level == texture_level_use::given;
  t.has_offset = f.flag(".AOFFI");
  const opcode op = f.info().op;
  t.has_derivatives = op == opcode::TXD || op == opcode::TXD_B || op == opcode::TXD_C;
  const unsigned place = t.coordinates + (t.has_layer ? 1u : 0u);
  const unsigned more = (t.has_handle ? 1u : 0u) + (t.has_level ? 1u : 0u) + (t.has_offset ? 1u : 0u) +
                        (f.flag(".DC") ? 1u : 0u) + (t.has_derivatives ? 2u * t.coordinates : 0u);
  const unsigned first = f.flag(".SCR") ? (place + more + 1) / 2 : place;
  t.first = static_cast<std::uint8_t>(first);
  t.second = static_cast<std::uint8_t>(place + more - first);
  t.channels = f.byte("channels");
  const int count = std::popcount(t.channels);
  t.low = static_cast<std::uint8_t>(std::min(count, 2));
  t.high = static_cast<std::uint8_t>(std::max(count - 2, 0));
  return t;
}

unsigned surface_coordinates(const row_fields& f) {
  constexpr unsigned counts[] = {1, 1, 2, 2, 3, 3};
  const std::uint64_t dim = f.value("surface_dim");
  return dim < 6 ? counts[dim] : 1;
}

}  // namespace bankwise::sass
