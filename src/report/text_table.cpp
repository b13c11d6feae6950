#include "report/text_table.hpp"

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

std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::size_t end = width > 3 ? width - 3 : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "...";
}

}  // namespace bankwise
