// A table for a terminal. Each column is as wide as its widest cell.
//
//       line  executed  wavefronts  source          the first row is the header
//         18     2,048      65,536  out[i] = ...     numbers are flush right
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/table/style.hpp"

namespace bankwise {

struct text_table {
  std::vector<std::vector<std::string>> rows;  // rows with equal numbers of cells; the first row is the header
  // The first `left_first` columns and the last `left_last` columns are left-aligned. All other columns are
  // right-aligned.
  std::size_t left_first = 0, left_last = 0;

  // Returns the table as text. `paint` adds colours to a line, which is a row of the table. The header is dim.
  std::string text(const style& s,
                   const std::function<std::string(std::size_t row, const std::string& line)>& paint = {}) const;
  // Removes columns until the rows have at most this width. `less_needed` contains the names of the columns, in the
  // order of their removal. If the rows are still too wide, shortens the last column. `shorten` returns the shortened
  // last cell of a row.
  void fit(std::size_t width, const std::vector<std::string>& less_needed,
           const std::function<std::string(std::size_t row, std::size_t width)>& shorten = {});
  // Returns the table as text, with these rows highlighted.
  std::string text(const style& s, const std::vector<std::size_t>& bad_rows) const;
};

// Cuts off the end of a text that is too wide, and appends dots.
std::string shortened(const std::string& text, std::size_t width);
// If a text is too wide, replaces the middle by dots. Both ends stay, so that users can recognise the name of a
// template.
std::string cut_in_the_middle(const std::string& text, std::size_t width);
// Breaks lines that have more columns than `width` at spaces. Continuation lines are aligned with the first word of the
// broken line. Escape codes for colours take no columns.
std::string wrapped(const std::string& text, std::size_t width);

}  // namespace bankwise
