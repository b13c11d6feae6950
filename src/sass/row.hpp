// The format of a row, split into parts. A part is text or a field. Each field has a position in the 128 bits.
// opcodes.def describes the grammar.
//
//     "LDS{%mem_size:73:3} {R16*size}, {[shared_load]}"
//      ---  -----------     --------    -------------
//      text  word: 3 bits    operand:    address: a form of
//            from 73 on      R at 16     address.hpp
//
// The printer prints the parts in order. row_fields returns the values of named parts. operands.hpp finds the read and
// written registers. So only the row contains the positions of its fields.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sass/field_names.hpp"
#include "sass/instruction.hpp"

namespace bankwise::sass {

enum class part_kind : std::uint8_t {
  text,
  flag,      // {.FTZ:80}
  word,      // {%rnd:78:2}
  number,    // {x72:8}
  operand,   // {R16}, {!P87}
  alu,       // {a/x}: an operand whose position depends on the form
  address,   // {[shared]}
  function,  // {@carry}: printed by a function
};
// The files of registers. `stack` means words of the stack. No row names these words (code_flow.hpp).
enum class file : std::uint8_t { none, vector, uniform, predicate, uniform_predicate, barrier, call, stack };
enum class role : std::uint8_t { read, write };
// What determines the number of an operand's registers.
enum class width : std::uint8_t {
  one,
  two,
  four,
  eight,
  pair,     // two registers with .64, otherwise one register
  u64,      // two registers with .U64, otherwise one register
  u4to8,    // two registers with .U4TO8, otherwise one register
  size,     // depends on the bytes of a load, a store or an atomic (access_bytes.hpp)
  count,    // for LDSM and STSM: one register for each matrix of 8 rows
  from,     // two registers if the source is F64
  to,       // two registers if the result is F64
  size64,   // two registers if the integer has 64 bits
  arrival,  // ATOMS.ARRIVE.64: two registers; ATOMS.POPC.INC.32: one register
  cs2r,     // two registers, or one register with .32
  mma_a,    // fragments of a matrix for a warp (tensor_shape.hpp)
  mma_b,
  mma_c,
  scales,   // the registers with the scales of A; if A is sparse, the register with the metadata precedes them
  group_a,  // fragments of a matrix for a warp group
  group_c,
  texture_low,  // the four vectors of texture instructions (texture_form.hpp)
  texture_high,
  texture_first,
  texture_second,
  surface,       // the coordinates of a surface access
  surface_data,  // the data of SUST.P and SURED; for SUST.P, one register for each channel
  tensor,        // data of LDTM and STTM (tensor_memory_form.hpp)
  product_mask,  // the registers at bits 48-55 of UTCMMA
  kept_low,      // for a load of 256 bits: number of kept words among the first four words
  kept_high,     // for a load of 256 bits: number of kept words among the last four words
  unknown,
};
enum class when : std::uint8_t {
  always,
  unless_true,        // {?P81}: prints "P0, " unless the operand is PT or RZ
  comma_unless_true,  // {+!P87}: prints ", P0" unless the predicate is PT
  space_unless_true,  // {_!P87}: prints " P0" unless the predicate is PT
  comma,              // {,!P87?74}: always prints the predicate, with a comma before it
};

struct part {
  part_kind kind = part_kind::text;
  sass::file file = file::none;
  sass::role role = role::read;
  sass::width width = width::one;
  sass::when when = when::always;
  bool silent = false;     // {~...}: a field that a function prints, or that is not printed
  bool negatable = false;  // {!P87}: a negation bit is three bits above the predicate's number
  // {^P64}: the number of the predicate is stored inverted; for a flag: it is printed if its bit is zero
  bool inverted = false;
  bool is_signed = false;     // {s40:24}
  bool comma_behind = false;  // {P81,!79}: printed with a comma after it
  std::uint8_t at = 0, count = 0;
  char slot = 0, letter = 0;  // slot and letter of the operand of an ALU row
  // The part exists only if bit `if_one` is 1 and bit `if_zero` is 0, as in {R40?73} and {!P68!67}. 255 means no
  // condition.
  std::uint8_t if_one = 255, if_zero = 255;
  std::string_view text;  // the text to print, or the name of a table, a form or a function
  std::string_view name;
};

namespace detail {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes a number such as "80" from the beginning of the text, and returns it.
constexpr std::uint8_t take_number(std::string_view& s) {
  unsigned n = 0;
  if (s.empty() || !is_digit(s[0])) return 255;
  while (!s.empty() && is_digit(s[0]) && n < 128) {
    n = 10 * n + static_cast<unsigned>(s[0] - '0');
    s.remove_prefix(1);
  }
  return static_cast<std::uint8_t>(n < 128 ? n : 255);
}
constexpr bool take(std::string_view& s, char c) {
  if (s.empty() || s[0] != c) return false;
  s.remove_prefix(1);
  return true;
}
constexpr std::string_view take_until(std::string_view& s, std::string_view ends) {
  std::size_t n = s.find_first_of(ends);
  if (n == std::string_view::npos) n = s.size();
  const std::string_view word = s.substr(0, n);
  s.remove_prefix(n);
  return word;
}

struct width_name {
  std::string_view name;
  sass::width width;
};
inline constexpr width_name width_names[] = {
    {"2", width::two},
    {"4", width::four},
    {"8", width::eight},
    {"pair", width::pair},
    {"u64", width::u64},
    {"size", width::size},
    {"count", width::count},
    {"from", width::from},
    {"to", width::to},
    {"size64", width::size64},
    {"arrival", width::arrival},
    {"cs2r", width::cs2r},
    {"mma_a", width::mma_a},
    {"mma_b", width::mma_b},
    {"mma_c", width::mma_c},
    {"scales", width::scales},
    {"group_a", width::group_a},
    {"group_c", width::group_c},
    {"u4to8", width::u4to8},
    {"texture_low", width::texture_low},
    {"texture_high", width::texture_high},
    {"texture_first", width::texture_first},
    {"texture_second", width::texture_second},
    {"surface", width::surface},
    {"surface_data", width::surface_data},
    {"tensor", width::tensor},
    {"product_mask", width::product_mask},
    {"kept_low", width::kept_low},
    {"kept_high", width::kept_high},
};
constexpr sass::width width_of(std::string_view name) {
  for (const width_name& w : width_names)
    if (w.name == name) return w.width;
  return width::unknown;
}

// Reads a register or predicate and its position, such as R16, !P87 or ^Q24. Returns false for any other text.
constexpr bool take_operand(std::string_view& s, part& p) {
  p.negatable = take(s, '!');
  if (!p.negatable) p.inverted = take(s, '^');
  if (s.empty()) return false;
  switch (s[0]) {
    case 'R': p.file = file::vector, p.count = 8; break;
    case 'U': p.file = file::uniform, p.count = 8; break;
    case 'P': p.file = file::predicate, p.count = 3; break;
    case 'Q': p.file = file::uniform_predicate, p.count = 3; break;
    case 'B': p.file = file::barrier, p.count = 4; break;
    case 'C': p.file = file::call, p.count = 1; break;
    default: return false;
  }
  s.remove_prefix(1);
  p.kind = part_kind::operand;
  if (take(s, 'R')) {  // "PR" means all predicates
    p.count = 0;
    return p.file == file::predicate || p.file == file::uniform_predicate;
  }
  p.at = take_number(s);
  if (p.file == file::barrier && p.at == 24) p.count = 5;  // the special barriers have greater numbers
  // Results are at these positions.
  const bool is_predicate = p.file == file::predicate || p.file == file::uniform_predicate;
  const bool is_result = is_predicate ? p.at == 81 || p.at == 84 : p.at == 16 && p.file != file::barrier;
  p.role = is_result ? role::write : role::read;
  return p.at != 255;
}

}  // namespace detail

// Parses the text inside a pair of braces. Returns the error, or null.
constexpr const char* parse_field(std::string_view s, part& p) {
  using namespace detail;
  p = {};
  p.silent = take(s, '~');
  sass::role forced = role::read;
  const bool is_forced = !s.empty() && (s[0] == '=' || s[0] == '<');
  if (is_forced) {
    forced = s[0] == '=' ? role::write : role::read;
    s.remove_prefix(1);
  }
  if (s.empty()) return "the field is empty";
  if (s[0] == '.') {
    p.kind = part_kind::flag;
    p.text = p.name = take_until(s, ":!");
    if (s.empty()) return "a flag needs a bit, for example {.FTZ:80} or {.U32!73}";
    p.inverted = s[0] == '!';
    s.remove_prefix(1);
    p.at = take_number(s), p.count = 1;
  } else if (s[0] == '%') {
    p.kind = part_kind::word;
    s.remove_prefix(1);
    p.text = p.name = take_until(s, ":");
    if (!take(s, ':')) return "a word needs a position, for example {%rnd:78:2}";
    p.at = take_number(s);
    if (!take(s, ':')) return "a word needs its size in bits, for example {%rnd:78:2}";
    p.count = take_number(s);
  } else if ((s[0] == 'x' || s[0] == 's') && s.size() > 1 && is_digit(s[1])) {
    p.kind = part_kind::number;
    p.is_signed = s[0] == 's';
    s.remove_prefix(1);
    p.at = take_number(s);
    if (!take(s, ':')) return "a number needs its size in bits, for example {x32:8}";
    p.count = take_number(s);
  } else if (s[0] == '[') {
    p.kind = part_kind::address;
    s.remove_prefix(1);
    p.text = take_until(s, "]");
    if (!take(s, ']')) return "an address must end with ]";
  } else if (s[0] == '@') {
    p.kind = part_kind::function;
    p.text = s.substr(1);
    return nullptr;
  } else if (s.size() > 2 && s[1] == '/') {
    p.kind = part_kind::alu;
    p.slot = s[0], p.letter = s[2];
    if (p.letter == 'd' || p.letter == 'e') p.width = width::two;
    s.remove_prefix(3);
    if (std::string_view("abcBD").find(p.slot) == std::string_view::npos) return "an operand must be a, b, c, B or D";
    if (std::string_view("xfgdehkmnvilwsyuqr").find(p.letter) == std::string_view::npos)
      return "the operand has no type";
  } else {
    if (take(s, '?'))
      p.when = when::unless_true;
    else if (take(s, '+'))
      p.when = when::comma_unless_true;
    else if (take(s, '_'))
      p.when = when::space_unless_true;
    else if (take(s, ','))
      p.when = when::comma;
    if (!take_operand(s, p)) return "the field is unknown";
    if (is_forced) p.role = forced;
  }
  if (p.at == 255 || p.count == 255) return "the position is not a number";
  if (take(s, '=')) p.name = take_until(s, ",?!*");
  if (take(s, '*')) {
    p.width = width_of(take_until(s, ",?!"));
    if (p.width == width::unknown) return "the width is unknown";
  }
  p.comma_behind = take(s, ',');
  while (!s.empty()) {
    if (take(s, '?'))
      p.if_one = take_number(s);
    else if (take(s, '!'))
      p.if_zero = take_number(s);
    else
      return "there are characters after the field";
    if (p.if_one == 255 && p.if_zero == 255) return "a condition must be a bit, for example ?73 or !73";
  }
  return nullptr;
}

// Removes the next part from the beginning of `format`. Sets `error` to the error, or to null.
constexpr part take_part(std::string_view& format, const char*& error) {
  part p;
  error = nullptr;
  if (format[0] != '{') {
    std::size_t n = format.find('{');
    if (n == std::string_view::npos) n = format.size();
    p.text = format.substr(0, n);
    format.remove_prefix(n);
    return p;
  }
  const std::size_t close = format.find('}');
  if (close == std::string_view::npos) {
    error = "the field has no closing brace";
    format = {};
    return p;
  }
  error = parse_field(format.substr(1, close - 1), p);
  format.remove_prefix(close + 1);
  return p;
}

// Returns the parts of a row, which are parsed only once.
const std::vector<part>& parts_of(const opcode_info& info);

// Whether the instruction has this part: all conditions of the part must be true.
inline bool holds(const part& p, const instruction& i) {
  return (p.if_one == 255 || i.bit(p.if_one)) && (p.if_zero == 255 || !i.bit(p.if_zero));
}

struct field_name {
  std::string_view text;
  template <std::size_t Size>
  consteval field_name(const char (&name)[Size]) : text(name) {
    if (!is_field(name)) throw "no row of opcodes.def has a field with this name";
  }
};

struct predicate_operand {
  std::uint8_t number = predicate_true;
  bool negated = false;

  bool is_true() const { return number == predicate_true && !negated; }
  bool is_never() const { return number == predicate_true && negated; }
};

// The fields of an instruction, found by their names in the row.
class row_fields {
 public:
  explicit row_fields(const instruction& i) : i_(i), info_(i.info()) {}

  bool has(field_name name) const { return find(name.text) != nullptr; }
  // Returns the value of a field, or 0 if the row has no such field. For a flag, returns whether the flag is printed.
  std::uint64_t value(field_name name) const {
    const part* const p = find(name.text);
    return p == nullptr ? 0 : value_of(*p);
  }
  std::int64_t signed_value(field_name name) const {
    const part* const p = find(name.text);
    return p == nullptr ? 0 : i_.signed_bits(p->at, p->count);
  }
  bool flag(field_name name) const { return value(name) != 0; }
  // Returns a predicate operand, or PT if the row has no predicate with this name.
  predicate_operand predicate(field_name name) const {
    const part* const p = find(name.text);
    if (p == nullptr) return {};
    const auto n = static_cast<std::uint8_t>(i_.bits(p->at, 3));
    return {static_cast<std::uint8_t>(p->inverted ? 7 - n : n), (p->inverted || p->negatable) && i_.bit(p->at + 3u)};
  }
  // Returns the number of a register or uniform register. Returns RZ or URZ if the row has no register with this name.
  std::uint8_t register_of(field_name name) const {
    const part* const p = find(name.text);
    if (p == nullptr) return register_zero;
    return static_cast<std::uint8_t>(p->file == file::uniform ? i_.uniform(p->at) : i_.bits(p->at, p->count));
  }
  std::uint8_t byte(field_name name) const { return static_cast<std::uint8_t>(value(name)); }
  // The value of a field as an enum of modifiers.hpp.
  template <class Modifier>
  Modifier as(field_name name) const {
    return static_cast<Modifier>(byte(name));
  }
  const instruction& bits() const { return i_; }
  const opcode_info& info() const { return *info_; }

 private:
  std::uint64_t value_of(const part& p) const {
    const std::uint64_t n = i_.bits(p.at, p.count);
    return p.kind == part_kind::flag ? static_cast<std::uint64_t>((n != 0) != p.inverted) : n;
  }
  const part* find(std::string_view name) const {
    for (const part& p : parts_of(*info_))
      if (p.name == name) return &p;
    return nullptr;
  }

  const instruction& i_;
  const opcode_info* info_;
};

// Returns N of a warp group's product, whose shape is 64 x N x K.
unsigned warp_group_columns(const row_fields& f);

}  // namespace bankwise::sass
