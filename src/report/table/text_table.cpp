#include "report/table/text_table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace bankwise {

std::string text_table::text(const style& s,
                             const std::function<std::string(std::size_t row, const std::string& line)>& paint) const {
  if (rows.empty()) return {};
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = "  ";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const bool left = c < left_first || c + left_last >= widths.size();
      line += (left ? pad_right(rows[r][c], widths[c]) : pad_left(rows[r][c], widths[c])) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += (r == 0 ? s.dim(line) : paint ? paint(r, line) : line) + "\n";
  }
  return out;
}

std::string text_table::text(const style& s, const std::vector<std::size_t>& bad_rows) const {
  return text(s, [&](std::size_t row, const std::string& line) {
    return std::find(bad_rows.begin(), bad_rows.end(), row) != bad_rows.end() ? s.bad(line) : line;
  });
}

void text_table::fit(std::size_t width, const std::vector<std::string>& less_needed,
                     const std::function<std::string(std::size_t row, std::size_t width)>& shorten) {
  constexpr std::size_t least_last = 16;
  const auto width_of = [&](std::size_t column) {
    std::size_t most = 0;
    for (const auto& row : rows) most = std::max(most, display_width(row[column]));
    return most;
  };
  const auto needed = [&](std::size_t last) {
    std::size_t sum = 2 + last;
    for (std::size_t c = 0; c + 1 < rows[0].size(); ++c) sum += width_of(c) + 2;
    return sum;
  };
  if (rows.empty() || rows[0].size() < 2) return;
  for (const std::string& name : less_needed) {
    if (needed(std::min(width_of(rows[0].size() - 1), least_last)) <= width) break;
    const auto at = std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin();
    if (at == static_cast<std::ptrdiff_t>(rows[0].size())) continue;
    const std::size_t from_end = rows[0].size() - static_cast<std::size_t>(at);
    if (from_end <= left_last) --left_last;
    for (auto& row : rows) row.erase(row.begin() + at);
  }
  const std::size_t others = needed(0);
  const std::size_t rest = std::max(least_last, width > others ? width - others : 0);
  for (std::size_t row = 0; row < rows.size(); ++row)
    rows[row].back() = row != 0 && shorten ? shorten(row, rest) : shortened(rows[row].back(), rest);
}

std::string cut_in_the_middle(const std::string& text, std::size_t width) {
  if (display_width(text) <= width || width < 8) return text;
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  std::size_t head = (width - 3 + 1) / 2, tail = text.size() - (width - 3 - head);
  while (head > 0 && inside(head)) --head;
  while (tail < text.size() && inside(tail)) ++tail;
  return text.substr(0, head) + "..." + text.substr(tail);
}

namespace {

// Returns the number of columns of a text. Escape codes for colours take no columns.
std::size_t columns_of(std::string_view s) {
  std::string plain;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s[i] == '\x1b')
      i = std::min(s.find('m', i), s.size());
    else
      plain += s[i];
  return display_width(plain);
}

std::string wrapped_line(std::string_view line, std::size_t width, std::size_t indent) {
  if (columns_of(line) <= width) return std::string(line);
  std::size_t cut = std::string_view::npos;
  for (std::size_t at = line.find(' ', indent); at != std::string_view::npos && columns_of(line.substr(0, at)) <= width;
       at = line.find(' ', at + 1))
    cut = at;
  const std::size_t next = line.find_first_not_of(' ', cut);
  if (cut == std::string_view::npos || next == std::string_view::npos) return std::string(line);
  std::string_view head = line.substr(0, cut);
  while (head.ends_with(' ')) head.remove_suffix(1);
  return std::string(head) + "\n" +
         wrapped_line(std::string(indent, ' ') + std::string(line.substr(next)), width, indent);
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t width) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size()) + 2;
    out += wrapped_line(line, width, indent + 16 > width ? 2 : indent) + (end < text.size() ? "\n" : "");
    at = end + 1;
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::size_t end = width > 3 ? width - 3 : 0;
  // Does not cut inside a character of several bytes.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

}  // namespace bankwise
