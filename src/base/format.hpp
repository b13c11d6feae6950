// Formats sentences with values. Patterns are checked at compile time:
//
//     formatted("{} of {} blocks", done, all)        "4 of 16 blocks"
//     formatted("byte {:#x}: '{}'", at, name)        "byte 0x40: 'tile'"
//
// Values are text, characters or integers. All values are converted to one type, so that only format.cpp needs fmt.
// fixed() writes a ratio with a given number of digits, and grouped() writes a large number with commas. The page does
// not contain fmt, but the smaller implementation in src/wasm/format.cpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace bankwise {

namespace format_detail {

template <class T>
concept text = std::convertible_to<const T&, std::string_view>;
template <class T>
concept number = std::integral<T> && !std::same_as<T, bool>;

struct value {
  enum class form : std::uint8_t { text, character, natural, whole } is;
  std::string_view as_text = {};
  std::uint64_t as_number = 0;

  value(const text auto& v) : is(form::text), as_text(v) {}
  // This is a template, so that the compiler does not convert an enum or a bool to a character.
  value(std::same_as<char> auto v) : is(form::character), as_number(static_cast<unsigned char>(v)) {}
  template <number T>
    requires(!std::same_as<T, char>)
  value(T v)
      : is(std::is_signed_v<T> ? form::whole : form::natural),
        as_number(
            static_cast<std::uint64_t>(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, T>>(v))) {}
};

std::string join(std::string_view pattern, const value* values, std::size_t count);

// This function is not constexpr. Therefore, a call during the check of a pattern is an error at compile time.
void the_pattern_has_other_values();

// Checks that a pattern has one placeholder for each value. A placeholder is {}, {:04}, {:>8} or {:#x}. Only numbers
// can be hexadecimal.
template <class... Values>
struct pattern {
  std::string_view text;

  consteval pattern(const char* s) : text(s) {
    constexpr bool is_number[] = {number<Values>..., false};
    std::size_t places = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
      if (c != '{' && c != '}') continue;
      if (next == c) {
        ++i;
        continue;
      }
      if (c == '}' || (next != '}' && next != ':') || places == sizeof...(Values)) the_pattern_has_other_values();
      while (++i < text.size() && text[i] != '}')
        if (text[i] == 'x' ? !is_number[places] : std::string_view(":<>^#0123456789").find(text[i]) == text.npos)
          the_pattern_has_other_values();
      if (i == text.size()) the_pattern_has_other_values();
      ++places;
    }
    if (places != sizeof...(Values)) the_pattern_has_other_values();
  }
};

}  // namespace format_detail

template <class... Values>
std::string formatted(std::type_identity_t<format_detail::pattern<Values...>> pattern, const Values&... values) {
  // one more element than needed, because an array must not be empty
  const format_detail::value list[sizeof...(Values) + 1] = {values..., ' '};
  return format_detail::join(pattern.text, list, sizeof...(Values));
}

}  // namespace bankwise
