#include "report/text_table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace bankwise {

std::string text_table::text(const style& s, const std::vector<std::size_t>& strong) const {
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = "  ";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const bool left = c + left_columns >= widths.size();
      if (c + 1 == rows[r].size() && left)
        line += rows[r][c];
      else
        line += (left ? pad_right(rows[r][c], widths[c]) : pad_left(rows[r][c], widths[c])) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    const bool bold = std::find(strong.begin(), strong.end(), r) != strong.end();
    out += (r == 0 ? s.dim(line) : bold ? s.bad(line) : line) + "\n";
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::size_t end = width > 3 ? width - 3 : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "...";
}

}  // namespace bankwise
