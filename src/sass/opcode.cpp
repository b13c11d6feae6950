#include "sass/opcode.hpp"

#include <array>

namespace bankwise::sass {

namespace {

constexpr opcode_info rows[] = {
#define ALU_IN(first, last, name, bits, format) {opcode::name, true, bits, format, isa::first, isa::last},
#define OP_IN(first, last, name, bits, format) {opcode::name, false, bits, format, isa::first, isa::last},
#define ALSO_ALU_IN(first, last, name, bits, format) ALU_IN(first, last, name, bits, format)
#define ALSO_OP_IN(first, last, name, bits, format) OP_IN(first, last, name, bits, format)
#include "sass/opcodes.def"
#undef ALU_IN
#undef OP_IN
#undef ALSO_ALU_IN
#undef ALSO_OP_IN
};
constexpr std::size_t row_count = sizeof(rows) / sizeof(rows[0]);
constexpr std::size_t opcode_count = static_cast<std::size_t>(opcode::count);

// The first row of each opcode.
constexpr std::array<std::uint16_t, opcode_count> make_first_rows() {
  std::array<std::uint16_t, opcode_count> first{};
  for (std::size_t i = row_count; i-- > 0;) first[static_cast<std::size_t>(rows[i].op)] = static_cast<std::uint16_t>(i);
  return first;
}
constexpr std::array<std::uint16_t, opcode_count> first_row_of = make_first_rows();

// Row + 1 for each of the 4096 patterns; exact rows win over ALU rows, and later rows over earlier ones.
using row_index = std::array<std::uint16_t, 4096>;
constexpr row_index make_index(isa set) {
  row_index index{};
  const auto has = [set](const opcode_info& row) { return row.first <= set && set <= row.last; };
  for (std::size_t i = 0; i < row_count; ++i)
    for (unsigned form = 1; rows[i].alu && has(rows[i]) && form <= 7; ++form)
      index[form << 9 | rows[i].bits] = static_cast<std::uint16_t>(i + 1);
  for (std::size_t i = 0; i < row_count; ++i)
    if (!rows[i].alu && has(rows[i])) index[rows[i].bits] = static_cast<std::uint16_t>(i + 1);
  return index;
}
constexpr row_index index_of[isa_count] = {make_index(isa::turing), make_index(isa::ampere),    make_index(isa::ada),
                                           make_index(isa::hopper), make_index(isa::blackwell), make_index(isa::rtx)};

}  // namespace

const opcode_info* find_opcode(unsigned bits, isa set) {
  const unsigned row = index_of[static_cast<unsigned>(set)][bits & 0xfff];
  return row == 0 ? nullptr : &rows[row - 1];
}

const opcode_info& info_of(opcode op) { return rows[first_row_of[static_cast<std::size_t>(op)]]; }

bool has_uniform_guard(const opcode_info& info) {
  return info.format[0] == 'U' || info.op == opcode::S2UR || info.op == opcode::LDCU || info.op == opcode::SYNCS_EXCH;
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
