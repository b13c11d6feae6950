// The names of all fields in opcodes.def, as a set that the compiler looks names up in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bankwise::sass {

namespace detail {

// A hash table. The compiler evaluates it a thousand times, and would need seconds to search the rows themselves.
struct name_set {
  std::string_view slots[1024] = {};
  std::size_t used = 0;

  constexpr std::size_t slot_of(std::string_view name) const {
    std::uint32_t hash = 0;
    for (const char c : name) hash = hash * 31 + static_cast<unsigned char>(c);
    std::size_t at = hash % 1024;
    while (!slots[at].empty() && slots[at] != name) at = (at + 1) % 1024;
    return at;
  }
  constexpr void add(std::string_view name) {
    const std::size_t at = slot_of(name);
    if (!slots[at].empty()) return;
    if (++used == 1024) throw "the set of names is too small";
    slots[at] = name;
  }
};

constexpr bool ends_name(char c) { return c == ':' || c == '!' || c == '}' || c == '*' || c == ',' || c == '?'; }

consteval name_set names_in_rows() {
  constexpr const char* formats[] = {
#define ALU_IN(first, last, name, bits, traits, format) format,
#define OP_IN(first, last, name, bits, traits, format) format,
#define ALSO_ALU_IN(first, last, name, bits, format) format,
#define ALSO_OP_IN(first, last, name, bits, format) format,
#include "sass/opcodes.def"
#undef ALU_IN
#undef OP_IN
#undef ALSO_ALU_IN
#undef ALSO_OP_IN
  };
  name_set names;
  for (const char* const format : formats) {
    // A name follows = or % in a field. The text of a flag is also its name.
    char before = ' ';
    for (const char* c = format; *c != '\0'; before = *c++) {
      const bool is_flag = *c == '.' && (before == '{' || before == '~');
      if (!is_flag && *c != '%' && (*c != '=' || before == '{')) continue;
      const char* const first = is_flag ? c : c + 1;
      while (c[1] != '\0' && !ends_name(c[1])) ++c;
      names.add({first, static_cast<std::size_t>(c + 1 - first)});
    }
  }
  return names;
}

// Templates, so that only files that look up a name evaluate the set.
template <class = void>
inline constexpr name_set field_names = names_in_rows();

}  // namespace detail

// Whether any row gives this name to a field.
template <std::size_t Size>
consteval bool is_field(const char (&name)[Size]) {
  return !detail::field_names<>.slots[detail::field_names<>.slot_of(name)].empty();
}

}  // namespace bankwise::sass
