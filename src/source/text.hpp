// Source code as text: removes comments, and finds words, lists and lines. This is not a C++ parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::source {

inline constexpr std::size_t most_statement = 1000;  // how many characters are searched for one statement

inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Replaces comments by blanks; line numbers do not change.
std::string without_comments(std::string_view source);
// As without_comments(), but the contents of quotes also become blanks.
std::string code_alone(std::string_view source);
// Where line n begins; the first line is 1. The end of the source if it has fewer lines.
std::size_t begin_of_line(std::string_view code, std::uint32_t n);
bool stands_at(std::string_view s, std::size_t at, std::string_view word);
// "float* row" -> "row"
std::string_view last_name(std::string_view text);
// Splits "a<b, c>, d" into "a<b, c>" and " d". `brackets` lists the opening and closing brackets whose contents are not
// split.
std::vector<std::string_view> split_outside(std::string_view s, char separator = ',',
                                            std::string_view brackets = "<>()[]");
// "As[ty * 8]" -> "As", "ty"
std::vector<std::string_view> names_in(std::string_view code);

}  // namespace bankwise::source
