#include "sass/opcode.hpp"

#include <array>

namespace bankwise::sass {

namespace {

constexpr opcode_info rows[] = {
#define ALU(name, bits, format) {opcode::name, true, bits, format},
#define OP(name, bits, format) {opcode::name, false, bits, format},
#include "sass/opcodes.def"
#undef ALU
#undef OP
};
constexpr std::size_t row_count = sizeof(rows) / sizeof(rows[0]);
static_assert(row_count == static_cast<std::size_t>(opcode::count));

// Row + 1 for each of the 4096 patterns; exact rows win over ALU rows.
constexpr std::array<std::uint16_t, 4096> make_index() {
  std::array<std::uint16_t, 4096> index{};
  for (std::size_t i = 0; i < row_count; ++i)
    for (unsigned form = 1; rows[i].alu && form <= 7; ++form)
      index[form << 9 | rows[i].bits] = static_cast<std::uint16_t>(i + 1);
  for (std::size_t i = 0; i < row_count; ++i)
    if (!rows[i].alu) index[rows[i].bits] = static_cast<std::uint16_t>(i + 1);
  return index;
}
constexpr std::array<std::uint16_t, 4096> index_of = make_index();

}  // namespace

const opcode_info* find_opcode(unsigned bits) {
  const unsigned row = index_of[bits & 0xfff];
  return row == 0 ? nullptr : &rows[row - 1];
}

const opcode_info& info_of(opcode op) { return rows[static_cast<std::size_t>(op)]; }

bool has_uniform_guard(const opcode_info& info) {
  return info.format[0] == 'U' || info.op == opcode::S2UR || info.op == opcode::SYNCS_EXCH;
}

operand_letters letters_of(const opcode_info& info) {
  operand_letters letters;
  const std::string_view format = info.format;
  for (std::size_t open = format.find('{'); open != std::string_view::npos; open = format.find('{', open + 1)) {
    if (open + 4 >= format.size() || format[open + 2] != '/') continue;
    const char type = format[open + 3];
    switch (format[open + 1]) {
      case 'a': letters.a = type; break;
      case 'b': letters.b = type; break;
      case 'c': letters.c = type; break;
      case 'B':
      case 'D': letters.at_32 = type; break;
      default: break;
    }
  }
  return letters;
}

std::string_view mnemonic(const opcode_info& info) {
  const std::string_view format = info.format;
  if (info.op == opcode::IMAD) return "IMAD";
  return format.substr(0, format.find_first_of(".{ "));
}

}  // namespace bankwise::sass
