// Source code as text: comments taken out, words, lists and lines found. No parser of C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::source {

inline constexpr std::size_t most_statement = 1000;  // how many characters are searched for one

inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Comments become blanks; lines stay where they are.
std::string without_comments(std::string_view source);
// The same, with the contents of quotes also blanked.
std::string code_alone(std::string_view source);
// Where line n begins, from 1; the end if there are fewer lines.
std::size_t begin_of_line(std::string_view code, std::uint32_t n);
bool stands_at(std::string_view s, std::size_t at, std::string_view word);
// "float* row" -> "row"
std::string_view last_name(std::string_view text);
// "a<b, c>, d" -> "a<b, c>" and " d". `brackets`: pairs of brackets that are not split, opening and closing.
std::vector<std::string_view> split_outside(std::string_view s, char separator = ',',
                                            std::string_view brackets = "<>()[]");
// "As[ty * 8]" -> "As", "ty"
std::vector<std::string_view> names_in(std::string_view code);

}  // namespace bankwise::source
