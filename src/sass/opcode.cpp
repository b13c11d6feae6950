// Finds the row of a bit pattern. Also defines the words in the traits column of opcodes.def.
#include "sass/opcode.hpp"

#include <array>

namespace bankwise::sass {

namespace {

constexpr opcode_info rows[] = {
#define ALU_IN(first, last, name, bits, traits, format) {opcode::name, true, bits, format, isa::first, isa::last},
#define OP_IN(first, last, name, bits, traits, format) {opcode::name, false, bits, format, isa::first, isa::last},
#define ALSO_ALU_IN(first, last, name, bits, format) {opcode::name, true, bits, format, isa::first, isa::last},
#define ALSO_OP_IN(first, last, name, bits, format) {opcode::name, false, bits, format, isa::first, isa::last},
#include "sass/opcodes.def"
#undef ALU_IN
#undef OP_IN
#undef ALSO_ALU_IN
#undef ALSO_OP_IN
};
struct ptx_named {
  isa first, last;
  unsigned bits;  // bits 0 to 8
  std::string_view name;
};
constexpr ptx_named ptx_names[] = {
#define ALU_IN(first, last, name, bits, traits, format)
#define OP_IN(first, last, name, bits, traits, format)
#define ALSO_ALU_IN(first, last, name, bits, format)
#define ALSO_OP_IN(first, last, name, bits, format)
#define NAMED_IN(first, last, bits, name) {isa::first, isa::last, bits, name},
#include "sass/opcodes.def"
#undef ALU_IN
#undef OP_IN
#undef ALSO_ALU_IN
#undef ALSO_OP_IN
};
constexpr std::size_t row_count = sizeof(rows) / sizeof(rows[0]);
constexpr std::size_t opcode_count = static_cast<std::size_t>(opcode::count);

namespace words_of_traits {
using enum space;
constexpr space shared_and_global = shared | global;
constexpr opcode_traits lanes = {}, nothing = {.unit = unit::control}, control = {.unit = unit::control},
                        tensor = {.unit = unit::tensor}, uniform = {.unit = unit::uniform},
                        textures = {.unit = unit::texture, .space = global, .action = action::other},
                        reads_texture = {.unit = unit::texture, .space = global, .action = action::load},
                        reads_surface = reads_texture,
                        writes_surface = {.unit = unit::texture, .space = global, .action = action::store},
                        updates_surface = {.unit = unit::texture, .space = global, .action = action::update},
                        asynchronous_store = {.unit = unit::asynchronous, .space = shared, .action = action::store},
                        group_multiply = {.unit = unit::asynchronous, .space = shared, .action = action::load};
constexpr opcode_traits reads_tensor_memory = {.unit = unit::uniform, .space = tensor_memory, .action = action::load},
                        writes_tensor_memory = {.unit = unit::uniform, .space = tensor_memory, .action = action::store},
                        updates_tensor_memory = {.unit = unit::uniform,
                                                 .space = tensor_memory,
                                                 .action = action::update},
                        copies_to_tensor_memory = {.unit = unit::uniform,
                                                   .space = shared | tensor_memory,
                                                   .action = action::copy},
                        multiplies_in_tensor_memory = copies_to_tensor_memory,
                        allocates = {.unit = unit::uniform, .action = action::other};
constexpr opcode_traits twin_of(opcode twin) { return {.unit = unit::uniform, .twin = twin}; }
constexpr opcode_traits reads(space s) { return {.unit = unit::memory, .space = s, .action = action::load}; }
constexpr opcode_traits writes(space s) { return {.unit = unit::memory, .space = s, .action = action::store}; }
constexpr opcode_traits updates(space s) { return {.unit = unit::memory, .space = s, .action = action::update}; }
constexpr opcode_traits copies(space from, space to) {
  return {.unit = unit::memory, .space = from | to, .action = action::copy};
}
constexpr opcode_traits asynchronous(space s) {
  return {.unit = unit::asynchronous, .space = s, .action = action::other};
}
constexpr opcode_traits uniform_reads(space s) { return {.unit = unit::uniform, .space = s, .action = action::load}; }
constexpr opcode_traits uniform_copies(space s) { return {.unit = unit::uniform, .space = s, .action = action::copy}; }
constexpr opcode_traits uniform_updates(space s) {
  return {.unit = unit::uniform, .space = s, .action = action::update};
}
constexpr opcode_traits uniform_asynchronous(space s) {
  return {.unit = unit::uniform, .space = s, .action = action::other};
}
constexpr opcode_traits meets = {.unit = unit::control, .flow = flow::meets},
                        uniform_meets = {.unit = unit::uniform, .flow = flow::meets},
                        meets_at = {.unit = unit::control, .flow = flow::meets, .names_place = true},
                        ends = {.unit = unit::control, .flow = flow::ends},
                        jumps_to = {.unit = unit::control, .flow = flow::ends, .names_place = true},
                        jumps_anywhere = {.unit = unit::control, .flow = flow::anywhere},
                        names_a_place = {.unit = unit::control, .names_place = true},
                        calls = {.unit = unit::control, .flow = flow::ends, .calls_or_returns = true},
                        calls_to = {.unit = unit::control,
                                    .flow = flow::ends,
                                    .names_place = true,
                                    .calls_or_returns = true},
                        returns = calls;

// Lets twin_of() name opcodes without the prefix opcode::.
using enum opcode;
constexpr opcode_traits table[] = {
#define ALU_IN(first, last, name, bits, traits, format) traits,
#define OP_IN(first, last, name, bits, traits, format) traits,
#define ALSO_ALU_IN(first, last, name, bits, format)
#define ALSO_OP_IN(first, last, name, bits, format)
#include "sass/opcodes.def"
#undef ALU_IN
#undef OP_IN
#undef ALSO_ALU_IN
#undef ALSO_OP_IN
};
static_assert(sizeof(table) / sizeof(table[0]) == opcode_count);
}  // namespace words_of_traits

// For each opcode, the number of its first row.
constexpr std::array<std::uint16_t, opcode_count> make_first_rows() {
  std::array<std::uint16_t, opcode_count> first{};
  for (std::size_t i = row_count; i-- > 0;) first[static_cast<std::size_t>(rows[i].op)] = static_cast<std::uint16_t>(i);
  return first;
}
constexpr std::array<std::uint16_t, opcode_count> first_row_of = make_first_rows();

// For each of the 4,096 bit patterns, the number of its row plus 1. OP rows replace ALU rows, and later rows replace
// earlier rows.
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

std::string_view ptx_name(unsigned bits, isa set) {
  for (const ptx_named& n : ptx_names)
    if (n.first <= set && set <= n.last && n.bits == (bits & 0x1ff)) return n.name;
  return {};
}

const opcode_info& info_of(opcode op) { return rows[first_row_of[static_cast<std::size_t>(op)]]; }
const opcode_traits& traits_of(opcode op) { return words_of_traits::table[static_cast<std::size_t>(op)]; }
std::span<const opcode_info> all_rows() { return rows; }

std::string_view mnemonic(const opcode_info& info) {
  const std::string_view format = info.format;
  if (info.op == opcode::IMAD) return "IMAD";
  if (info.op == opcode::UTCMMA) return "UTCMMA";  // names such as UTCHMMA and UTCQMMA depend on the fields
  return format.substr(0, format.find_first_of(".{ "));
}

}  // namespace bankwise::sass
