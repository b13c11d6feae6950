#include "base/text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace bankwise {

std::string_view trim(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = s.find(separator);
    parts.push_back(s.substr(0, at));
    if (at == std::string_view::npos) return parts;
    s.remove_prefix(at + 1);
  }
}

bool starts_with_any(std::string_view s, std::string_view characters) {
  return !s.empty() && characters.find(s.front()) != std::string_view::npos;
}

std::string_view without_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

std::string base_name(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

std::optional<std::uint64_t> parse_u64(std::string_view s) {
  int base = 10;
  if (s.starts_with("0x") || s.starts_with("0X")) {
    base = 16;
    s.remove_prefix(2);
  } else if (s.starts_with("0b") || s.starts_with("0B")) {
    base = 2;
    s.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_i64(std::string_view s) {
  const bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  const auto magnitude = parse_u64(s);
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!magnitude || *magnitude > most + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<std::uint64_t> parse_size(std::string_view s) {
  unsigned shift = 0;
  if (!s.empty()) switch (s.back()) {
      case 'k':
      case 'K': shift = 10; break;
      case 'm':
      case 'M': shift = 20; break;
      case 'g':
      case 'G': shift = 30; break;
      default: break;
    }
  if (shift != 0) s.remove_suffix(1);
  const auto value = parse_u64(s);
  if (!value || (*value << shift) >> shift != *value) return std::nullopt;
  return *value << shift;
}

std::string hex(std::uint64_t value, unsigned digits) {
  std::string s;
  for (; value != 0 || s.size() < std::max(digits, 1U); value >>= 4) s += "0123456789abcdef"[value & 15];
  std::reverse(s.begin(), s.end());
  return s;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_name_character(text[at - 1])) &&
        (at + word.size() == text.size() || !is_name_character(text[at + word.size()])))
      return at;
  return std::string_view::npos;
}

std::string grouped(std::uint64_t value) {
  std::string s = std::to_string(value);
  for (std::size_t i = s.size(); i > 3; i -= 3) s.insert(i - 3, 1, ',');
  return s;
}

std::string enumerated(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

std::string count_of(std::uint64_t n, const std::string& one, const std::string& many) {
  return grouped(n) + " " + (n == 1 ? one : many.empty() ? one + "s" : many);
}

std::string triple(const std::array<std::uint32_t, 3>& t) {
  return std::to_string(t[0]) + "," + std::to_string(t[1]) + "," + std::to_string(t[2]);
}

std::string fixed(double value, int digits) {
  char buffer[64];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits);
  return r.ec == std::errc{} ? std::string(buffer, r.ptr) : std::string("?");
}

std::string lane_list(std::uint32_t mask) {
  std::string s;
  for (unsigned i = 0; i < 32;) {
    if ((mask >> i & 1) == 0) {
      ++i;
      continue;
    }
    unsigned j = i;
    while (j + 1 < 32 && (mask >> (j + 1) & 1) != 0) ++j;
    if (!s.empty()) s += ", ";
    s += std::to_string(i);
    if (j > i) s += (j == i + 1 ? ", " : "-") + std::to_string(j);
    i = j + 1;
  }
  return s;
}

std::string lane_words(std::uint32_t mask) {
  return (std::has_single_bit(mask) ? "lane " : "lanes ") + lane_list(mask);
}

std::size_t display_width(std::string_view s) {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string pad_left(std::string_view s, std::size_t width) {
  const std::size_t w = display_width(s);
  return std::string(w < width ? width - w : 0, ' ').append(s);
}

std::string pad_right(std::string_view s, std::size_t width) {
  const std::size_t w = display_width(s);
  return std::string(s).append(w < width ? width - w : 0, ' ');
}

std::string shell_quoted(std::string_view text) {
  std::string s = "'";
  for (const char c : text) {
    if (c == '\'')
      s += "'\\''";
    else
      s += c;
  }
  return s + "'";
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_./:=,+@%-") == std::string_view::npos;
  return plain ? std::string(text) : shell_quoted(text);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = a[i - 1] == b[j - 1] ? diagonal : 1 + std::min({diagonal, above, row[j - 1]});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string character_at(std::string_view s, std::size_t at) {
  std::size_t end = at + 1;
  while (end < s.size() && end < at + 4 && (static_cast<unsigned char>(s[end]) & 0xc0) == 0x80) ++end;
  return std::string(s.substr(at, end - at));
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates, std::size_t most) {
  struct scored {
    std::size_t score;
    const std::string* text;
  };
  std::vector<scored> all;
  for (const std::string& c : candidates) {
    // A candidate that contains the name is similar, because mangled names and names of templates are long. Names of
    // one or two letters are an exception, because most candidates contain them.
    const bool contains = name.size() > 2 && c.find(name) != std::string::npos;
    const std::size_t d = contains ? 0 : edit_distance(name, c);
    // If every letter changes, as from N to t, the names have nothing in common.
    if (contains || (d <= std::max<std::size_t>(2, name.size() / 2) && d < std::max(name.size(), c.size())))
      all.push_back({d, &c});
  }
  std::stable_sort(all.begin(), all.end(), [](const scored& x, const scored& y) { return x.score < y.score; });
  std::vector<std::string> out;
  for (const scored& s : all)
    if (out.size() < most) out.push_back(*s.text);
  return out;
}

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += by + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace bankwise
