// Small helpers on text that more than one folder needs.
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

// It may precede a UTF-8 text; editors do not show it.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
std::string_view without_mark(std::string_view text);

// The part of a path after the last slash.
std::string base_name(std::string_view path);

// The number in a text: decimal, 0x hexadecimal, 0b binary. Nothing on overflow or trailing characters.
std::optional<std::uint64_t> parse_u64(std::string_view s);
std::optional<std::int64_t> parse_i64(std::string_view s);
// "48K", "1M", "512": K, M and G are powers of 1024.
std::optional<std::uint64_t> parse_size(std::string_view s);

// A letter, a digit or an underscore.
bool is_name_character(char c);
// The position of the word as a whole word, or npos: "in" is in "k in s", not in "min".
std::size_t find_word(std::string_view text, std::string_view word);

std::string hex(std::uint64_t value, unsigned digits = 0);
// 1234567 -> "1,234,567"
std::string grouped(std::uint64_t value);
// "1 launch", "1,234 launches". Without `many`, an s is added.
std::string count_of(std::uint64_t n, const std::string& one, const std::string& many = {});
// The extents of a grid or block: "8,8,1".
std::string triple(const std::array<std::uint32_t, 3>& t);
// A ratio with a fixed number of digits after the point, the same on every machine.
std::string fixed(double value, int digits);
// 0xff00 -> "8-15"; 0x15 -> "0, 2, 4"
std::string lane_list(std::uint32_t mask);
// "lane 4", "lanes 0-3,8"
std::string lane_words(std::uint32_t mask);

// The columns of UTF-8 text without wide characters in a terminal.
std::size_t display_width(std::string_view s);
std::string pad_left(std::string_view s, std::size_t width);
std::string pad_right(std::string_view s, std::size_t width);

// Each line with `by` before it.
std::string indented(const std::string& text, const std::string& by);

// The text in single quotes for a POSIX shell.
std::string shell_quoted(std::string_view text);
// The same, but plain words are not quoted.
std::string shell_word(std::string_view text);

// The number of edits that turn a into b; for "did you mean".
std::size_t edit_distance(std::string_view a, std::string_view b);
// The candidates nearest to `name`, best first, at most `most`. Words with nothing in common are excluded.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates, std::size_t most);

// The character at `at`, with all of its bytes in UTF-8.
std::string character_at(std::string_view s, std::size_t at);

}  // namespace bankwise
