// Casts: of numbers, which C's rules cut to their type, and of pointers, which change the width of an access.
//
//     *(float4*)&s[t * 4]      reinterpret_cast<float4*>(s)[t]      FLOAT4(s[t * 4])      16 bytes at byte t * 16
#include <cctype>

#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/names/type_names.hpp"
#include "expr/parse/parser.hpp"

namespace bankwise::expr {

namespace {

// How C writes a type: words that belong together.
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

}  // namespace

std::optional<element_type> parser::find_named_type(std::string_view name) const {
  std::string_view plain = name;
  if (plain.starts_with("struct ")) plain = trim(plain.substr(7));
  for (const auto& s : names_.structures)
    if (s->name == plain) return element_type{s->bytes, s->align, 0, s};
  return find_type(name);
}

std::optional<parser::cast_type> parser::type_name() {
  const std::size_t begin = at_;
  cast_type to;
  bool complete = false;  // a name that no further word may follow, but const
  for (;;) {
    skip_blanks();
    const std::size_t word_at = at_;
    if (!is_name_start(peek()) && !(to.name.empty() && peek() == ':' && peek(1) == ':')) break;
    std::string word;
    for (;;) {  // cute::half_t
      if (peek() == ':' && peek(1) == ':') at_ += 2, word += word.empty() ? "" : "::";
      const std::string_view part = name();
      word += part;
      if (part.empty() || !(peek() == ':' && peek(1) == ':')) break;
    }
    if (peek() == '<' && word.ends_with("complex")) {
      const std::size_t close = text_.find('>', at_);
      if (close < end_ && close - at_ < 32) {
        word += text_.substr(at_, close + 1 - at_);
        at_ = close + 1;
      }
    }
    if (word == "__restrict__" || word == "__restrict" || word == "const" || word == "volatile" || word == "struct")
      continue;
    if (complete && !(is_type_word(word) && is_type_word(to.name.substr(0, to.name.find(' '))))) {
      at_ = word_at;
      break;
    }
    to.name += (to.name.empty() ? "" : " ") + word;
    complete = true;
  }
  while (eat('*')) {
    ++to.stars;
    while (eat_word("const") || eat_word("__restrict__") || eat_word("volatile")) {
    }
  }
  if (to.stars == 0) eat('&');
  to.type = find_named_type(to.name);
  const bool is_void = to.name == "void" || to.name == "auto" || to.name == "T" || to.name == "size_t";
  if (to.name.empty() || (!to.type && !is_void)) {
    at_ = begin;
    return std::nullopt;
  }
  return to;
}

std::optional<parser::operand> parser::c_cast() {
  const std::size_t begin = at_;
  ++at_;
  skip_blanks();
  const std::size_t type_at = at_;
  auto to = type_name();
  // A name of the asker's own is no type: (half) with --let half=16.
  const bool own = to && (names_.constants.contains(to->name) || to->name == "T");
  skip_blanks();
  if (!to || peek() != ')' || (own && to->stars == 0)) {
    // (Fragment*)&s[t]: the type is not known, and that it is a type the star says.
    at_ = type_at;
    while (is_name(peek()) || peek() == ':' || peek() == ' ' || peek() == '<' || peek() == '>') ++at_;
    const std::size_t type_end = at_;
    int stars = 0;
    while (eat('*')) ++stars;
    skip_blanks();
    if (stars != 0 && peek() == ')' && type_end != type_at && is_name_start(text_[type_at]) && !to)
      return fail(
          type_at, trim(std::string_view(text_).substr(type_at, type_end - type_at)).size(),
          "unknown type '" + std::string(trim(std::string_view(text_).substr(type_at, type_end - type_at))) + "'",
          "leave the cast out and give the bytes that a lane moves: " + worded(setting::width, "16"));
    at_ = begin;
    return std::nullopt;
  }
  ++at_;
  skip_blanks();
  const char next = peek();
  if (next == '\0' || std::string_view(")]},;?:=%/|^<>").find(next) != std::string_view::npos) {
    at_ = begin;
    return std::nullopt;
  }
  return cast(*to, unary(), begin);
}

parser::operand parser::named_cast(std::size_t at) {
  expect('<', "after the cast");
  skip_blanks();
  const std::size_t type_at = at_;
  const auto to = type_name();
  if (!error_ && !to) {
    std::size_t end = at_;
    while (end < end_ && text_[end] != '>' && text_[end] != '*') ++end;
    const std::string given(trim(std::string_view(text_).substr(type_at, end - type_at)));
    return fail(type_at, std::max<std::size_t>(given.size(), 1), "unknown type '" + given + "'",
                "leave the cast out and give the bytes that a lane moves: " + worded(setting::width, "16"));
  }
  expect('>', "after the type");
  expect('(', "before what is cast");
  const operand inner = ternary();
  expect(')', "after what is cast");
  return error_ ? operand{} : cast(*to, inner, at);
}

parser::operand parser::cast(const cast_type& to, operand o, std::size_t at) {
  if (error_) return {};
  if (to.stars > 1) return fail(at, 1, "a pointer to a pointer is not an address of shared memory");
  if (to.stars == 1) {
    if (o.is == form::unknown) return o;
    if (o.is == form::element && o.extents.empty())
      return fail(o.at, o.end - o.at, "a pointer is cast here, and this is an element",
                  "write & before it: &" + text_.substr(o.at, o.end - o.at));
    if (o.is == form::element) o = as_pointer(o);
    if (o.is == form::number) o.in_bytes = o.node;
    o.is = form::pointer;
    o.extents.clear();
    if (to.type) o.type = *to.type;
    if (to.name == "void" || to.name == "auto") o.type = {1, 1, 0, {}};
    o.stride = o.type.bytes;
    o.in_bytes = o.node;
    o.at = at, o.end = at_;
    return o;
  }
  o = number_only(o);
  o.at = at, o.end = at_;
  if (error_ || o.is == form::unknown) return o;
  if (is_one_of(to.name, float_types))
    return unknown(at, at_ - at, "a number of type " + to.name + " is not an address",
                   "only whole numbers are allowed here");
  if (to.type && to.type->bytes <= 4 && is_one_of(to.name, unsigned_types))
    return number_of(push({.code = op::bit_and,
                           .column = column(at),
                           .a = o.node,
                           .b = constant((std::int64_t{1} << (8 * to.type->bytes)) - 1, at)}),
                     at);
  return o;
}

parser::operand parser::size_of(std::size_t at) {
  expect('(', "after sizeof");
  skip_blanks();
  const std::size_t inner_at = at_;
  if (const auto to = type_name()) {
    expect(')', "after the type");
    if (error_) return {};
    if (to->stars != 0) return number_of(constant(8, at), at);
    if (to->type) return number_of(constant(to->type->bytes, at), at);
  }
  at_ = inner_at;
  const operand o = ternary();
  expect(')', "after the type");
  if (error_) return {};
  if (o.is == form::element) {
    std::uint64_t bytes = o.type.bytes;
    for (const std::uint64_t n : o.extents) bytes *= n;
    return number_of(constant(static_cast<std::int64_t>(bytes), at), at);
  }
  return fail(inner_at, at_ - inner_at - 1, "sizeof of what is not a type here", "write the bytes: 4");
}

// FLOAT4(x), FETCH_FLOAT4(x), LDST128BITS(x): macros of many kernels for reinterpret_cast<float4*>(&(x))[0].
std::optional<parser::operand> parser::vector_macro(std::size_t at, std::string_view word) {
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
  expect('(', "after the macro");
  operand inner = ternary();
  expect(')', "after what is cast");
  if (error_) return operand{};
  if (inner.is == form::unknown) return inner;
  if (inner.is == form::number)
    return unknown(at, word.size(), std::string(word) + " of what is not an element", "such as FLOAT4(s[t * 4])");
  inner = address_of(inner, at);
  inner = cast({type, lower, 1}, inner, at);
  return dereferenced(inner, at);
}

}  // namespace bankwise::expr
