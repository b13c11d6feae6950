// Small functions for text that several folders need.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

std::string_view trim(std::string_view s);
std::vector<std::string_view> split(std::string_view s, char separator);
bool starts_with_any(std::string_view s, std::string_view characters);

// The byte order mark, which may precede a UTF-8 text. Editors do not show it.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
std::string_view without_mark(std::string_view text);

// Returns the part of a path after the last slash.
std::string base_name(std::string_view path);

// Parses a number: decimal, hexadecimal with 0x, or binary with 0b. Returns nothing after an overflow, or if other
// characters follow the number.
std::optional<std::uint64_t> parse_u64(std::string_view s);
std::optional<std::int64_t> parse_i64(std::string_view s);
// Parses a size such as "48K", "1M" or "512". K, M and G are powers of 1024.
std::optional<std::uint64_t> parse_size(std::string_view s);

// Whether the character is a letter, a digit or an underscore.
bool is_name_character(char c);
// Whether the texts are equal if upper and lower case count as the same. Letters that are not ASCII must be equal.
bool equal_in_any_case(std::string_view a, std::string_view b);
// Returns the position of a whole word, or npos. For example, "in" is in "k in s", but not in "min".
std::size_t find_word(std::string_view text, std::string_view word);

std::string hex(std::uint64_t value, unsigned digits = 0);
// Adds commas to a number: "1,234,567" for 1234567.
std::string grouped(std::uint64_t value);
// Returns a number and a noun: "1 launch", "1,234 launches". If `many` is empty, the plural is the noun with an s.
std::string count_of(std::uint64_t n, const std::string& one, const std::string& many = {});
// Returns words as a list: "a", "a and b", "a, b and c".
std::string enumerated(const std::vector<std::string>& words);
// Returns the extents of a grid or block as "8,8,1".
std::string triple(const std::array<std::uint32_t, 3>& t);
// Returns a ratio with a fixed number of digits after the decimal point. The result is the same on every machine.
std::string fixed(double value, int digits);
// Returns the lanes of a mask: "8-15" for 0xff00, "0, 2, 4" for 0x15.
std::string lane_list(std::uint32_t mask);
// Returns the lanes of a mask in words: "lane 4", "lanes 0-3,8".
std::string lane_words(std::uint32_t mask);

// Returns the number of terminal columns that a UTF-8 text needs. The text must not contain wide characters.
std::size_t display_width(std::string_view s);
std::string pad_left(std::string_view s, std::size_t width);
std::string pad_right(std::string_view s, std::size_t width);

// Inserts `by` before each line.
std::string indented(const std::string& text, const std::string& by);

// Returns the text in single quotes for a POSIX shell.
std::string shell_quoted(std::string_view text);
// Returns the text for a POSIX shell, in single quotes unless it is a plain word.
std::string shell_word(std::string_view text);

// Returns the number of edits that change a into b, which helps to suggest a similar name.
std::size_t edit_distance(std::string_view a, std::string_view b);
// Returns at most `most` candidates that are similar to `name`, the most similar first. Excludes candidates that have
// nothing in common with `name`.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates, std::size_t most);

// Returns the character at position `at`, with all bytes of its UTF-8 encoding.
std::string character_at(std::string_view s, std::size_t at);

}  // namespace bankwise
