#include "expr/parse/casts.hpp"

#include <cctype>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/elements.hpp"
#include "expr/parse/operators.hpp"
#include "expr/parse/type_names.hpp"

namespace bankwise::expr {

namespace {

// Words that C combines into the name of one type.
constexpr std::string_view type_words[] = {"unsigned", "signed", "long",     "short",  "int",
                                           "char",     "const",  "volatile", "struct", "double"};
bool is_type_word(std::string_view word) {
  for (const std::string_view w : type_words)
    if (w == word) return true;
  return false;
}

constexpr std::string_view unsigned_types[] = {
    "unsigned", "unsigned int", "uint",           "uint32_t", "uint32", "u32", "unsigned char", "uint8_t",
    "uchar",    "u8",           "unsigned short", "uint16_t", "ushort", "u16", "bool"};
constexpr std::string_view float_types[] = {"float",         "double",      "half",       "__half",  "half_t",
                                            "bfloat16",      "bf16",        "float32",    "float16", "float64",
                                            "__nv_bfloat16", "nv_bfloat16", "bfloat16_t", "tf32"};

std::optional<cast_type> parse_type_name(parser& p) {
  const std::size_t begin = p.here;
  cast_type to;
  bool complete = false;  // whether the name is complete, so that only const may follow
  for (;;) {
    p.skip_blanks();
    const std::size_t word_at = p.here;
    if (!is_name_start(p.peek()) && !(to.name.empty() && p.peek() == ':' && p.peek(1) == ':')) break;
    std::string word;
    for (;;) {  // reads names with namespaces, such as cute::half_t
      if (p.peek() == ':' && p.peek(1) == ':') p.here += 2, word += word.empty() ? "" : "::";
      const std::string_view part = p.name();
      word += part;
      if (part.empty() || !(p.peek() == ':' && p.peek(1) == ':')) break;
    }
    if (p.peek() == '<' && word.ends_with("complex")) {
      const std::size_t close = p.text.find('>', p.here);
      if (close < p.end && close - p.here < 32) {
        word += p.text.substr(p.here, close + 1 - p.here);
        p.here = close + 1;
      }
    }
    if (word == "__restrict__" || word == "__restrict" || word == "const" || word == "volatile" || word == "struct")
      continue;
    if (complete && !(is_type_word(word) && is_type_word(to.name.substr(0, to.name.find(' '))))) {
      p.here = word_at;
      break;
    }
    to.name += (to.name.empty() ? "" : " ") + word;
    complete = true;
  }
  while (p.eat('*')) {
    ++to.stars;
    while (p.eat_word("const") || p.eat_word("__restrict__") || p.eat_word("volatile")) {
    }
  }
  if (to.stars == 0) p.eat('&');
  to.type = find_named_type(p, to.name);
  const bool is_void = to.name == "void" || to.name == "auto" || to.name == "T" || to.name == "size_t";
  if (to.name.empty() || (!to.type && !is_void)) {
    p.here = begin;
    return std::nullopt;
  }
  return to;
}

}  // namespace

std::optional<element_type> find_named_type(const parser& p, std::string_view name) {
  std::string_view plain = name;
  if (plain.starts_with("struct ")) plain = trim(plain.substr(7));
  for (const auto& s : p.names.structures)
    if (s->name == plain) return element_type{s->bytes, s->align, 0, s};
  return find_type(name);
}

std::optional<operand> parse_c_cast(parser& p) {
  const std::size_t begin = p.here;
  ++p.here;
  p.skip_blanks();
  const std::size_t type_at = p.here;
  auto to = parse_type_name(p);
  // A name that the user defined is not a type, as (half) with --let half=16.
  const bool own = to && (p.names.constants.contains(to->name) || to->name == "T");
  p.skip_blanks();
  if (!to || p.peek() != ')' || (own && to->stars == 0)) {
    // In (Fragment*)&s[t], the type is unknown, but the star shows that (Fragment*) is a cast.
    p.here = type_at;
    while (is_name(p.peek()) || p.peek() == ':' || p.peek() == ' ' || p.peek() == '<' || p.peek() == '>') ++p.here;
    const std::size_t type_end = p.here;
    int stars = 0;
    while (p.eat('*')) ++stars;
    p.skip_blanks();
    if (stars != 0 && p.peek() == ')' && type_end != type_at && is_name_start(p.text[type_at]) && !to)
      return p.fail(type_at, trim(std::string_view(p.text).substr(type_at, type_end - type_at)).size(),
                    formatted("unknown type '{}'", trim(std::string_view(p.text).substr(type_at, type_end - type_at))),
                    formatted("leave out the cast, and pass the number of bytes for each lane: {}",
                              worded(setting::width, "16")));
    p.here = begin;
    return std::nullopt;
  }
  ++p.here;
  p.skip_blanks();
  const char next = p.peek();
  if (next == '\0' || std::string_view(")]},;?:=%/|^<>").find(next) != std::string_view::npos) {
    p.here = begin;
    return std::nullopt;
  }
  return cast_operand(p, *to, parse_unary(p), begin);
}

operand parse_named_cast(parser& p, std::size_t at) {
  p.expect('<', "expected '<' after the cast");
  p.skip_blanks();
  const std::size_t type_at = p.here;
  const auto to = parse_type_name(p);
  if (!p.error && !to) {
    std::size_t end = p.here;
    while (end < p.end && p.text[end] != '>' && p.text[end] != '*') ++end;
    const std::string given(trim(std::string_view(p.text).substr(type_at, end - type_at)));
    return p.fail(
        type_at, std::max<std::size_t>(given.size(), 1), formatted("unknown type '{}'", given),
        formatted("leave out the cast, and pass the number of bytes for each lane: {}", worded(setting::width, "16")));
  }
  p.expect('>', "expected '>' after the type");
  p.expect('(', "expected '(' before the operand of the cast");
  const operand inner = parse_ternary(p);
  p.expect(')', "expected ')' after the operand of the cast");
  return p.error ? operand{} : cast_operand(p, *to, inner, at);
}

operand cast_operand(parser& p, const cast_type& to, operand o, std::size_t at) {
  if (p.error) return {};
  if (to.stars > 1) return p.fail(at, 1, "a pointer to a pointer is not an address of shared memory");
  if (to.stars == 1) {
    if (o.is == operand_form::unknown) return o;
    if (o.is == operand_form::element && o.extents.empty())
      return p.fail(o.at, o.end - o.at, "a cast needs a pointer, but the operand of this cast is an element",
                    formatted("write & before it: &{}", p.text.substr(o.at, o.end - o.at)));
    if (o.is == operand_form::element) o = as_pointer(o);
    if (o.is == operand_form::number) o.in_bytes = o.node;
    o.is = operand_form::pointer;
    o.extents.clear();
    if (to.type) o.type = *to.type;
    if (to.name == "void" || to.name == "auto") o.type = {1, 1, 0, {}};
    o.stride = o.type.bytes;
    o.in_bytes = o.node;
    o.at = at, o.end = p.here;
    return o;
  }
  o = number_only(p, o);
  o.at = at, o.end = p.here;
  if (p.error || o.is == operand_form::unknown) return o;
  if (is_one_of(to.name, float_types))
    return p.unknown(at, p.here - at, formatted("a number of type {} is not an address", to.name),
                     "an address must be a whole number");
  if (to.type && to.type->bytes <= 4 && is_one_of(to.name, unsigned_types))
    return p.number_of(p.push({.code = op::bit_and,
                               .column = p.column(at),
                               .a = o.node,
                               .b = p.constant((std::int64_t{1} << (8 * to.type->bytes)) - 1, at)}),
                       at);
  return o;
}

operand parse_size_of(parser& p, std::size_t at) {
  p.expect('(', "expected '(' after sizeof");
  p.skip_blanks();
  const std::size_t inner_at = p.here;
  if (const auto to = parse_type_name(p)) {
    p.expect(')', "expected ')' after the type");
    if (p.error) return {};
    if (to->stars != 0) return p.number_of(p.constant(8, at), at);
    if (to->type) return p.number_of(p.constant(to->type->bytes, at), at);
  }
  p.here = inner_at;
  const operand o = parse_ternary(p);
  p.expect(')', "expected ')' after the type");
  if (p.error) return {};
  if (o.is == operand_form::element) {
    std::uint64_t bytes = o.type.bytes;
    for (const std::uint64_t n : o.extents) bytes *= n;
    return p.number_of(p.constant(static_cast<std::int64_t>(bytes), at), at);
  }
  return p.fail(inner_at, p.here - inner_at - 1, "sizeof needs a type", "write the number of bytes, such as 4");
}

// Reads FLOAT4(x), FETCH_FLOAT4(x) or LDST128BITS(x). Many kernels define these macros as
// reinterpret_cast<float4*>(&(x))[0].
std::optional<operand> parse_vector_macro(parser& p, std::size_t at, std::string_view word) {
  std::string lower;
  for (const char c : word) {
    if (c >= 'a' && c <= 'z') return std::nullopt;
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const std::string_view prefix :
       {"fetch_", "load_", "store_", "ld_", "st_", "as_", "to_", "reinterpret_", "cast_"})
    if (lower.starts_with(prefix)) lower.erase(0, prefix.size());
  for (const std::string_view prefix : {"const_", "c"})
    if (lower.starts_with(prefix) && !find_type(lower)) lower.erase(0, prefix.size());
  auto type = find_type(lower);
  if (lower == "bfloat2") type = find_type("__nv_bfloat162");
  for (const auto& [bits, bytes] : {std::pair{"ldst128bits", 16u}, {"ldst64bits", 8u}, {"ldst32bits", 4u}})
    if (lower == bits) type = element_type{bytes, bytes, 0, {}};
  if (!type) return std::nullopt;
  p.expect('(', "expected '(' after the macro");
  operand inner = parse_ternary(p);
  p.expect(')', "expected ')' after the operand of the cast");
  if (p.error) return operand{};
  if (inner.is == operand_form::unknown) return inner;
  if (inner.is == operand_form::number)
    return p.unknown(at, word.size(), formatted("{} needs an element of an array", word), "such as FLOAT4(s[t * 4])");
  inner = address_of(p, inner, at);
  inner = cast_operand(p, {type, lower, 1}, inner, at);
  return dereferenced(p, inner, at);
}

}  // namespace bankwise::expr
