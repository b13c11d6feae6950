// A table whose columns are as wide as their widest cell, for a terminal:
//
//       line  executed  wavefronts  source          the first row is the header
//         18     2,048      65,536  out[i] = ...     numbers are flush right
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/text/style.hpp"

namespace bankwise {

struct text_table {
  std::vector<std::vector<std::string>> rows;  // the first row is the header; all rows have the same number of cells
  std::size_t left_first = 0, left_last = 0;   // how many columns at the left and right edge are left-aligned

  // Returns the table as text. `paint` colours the line of a row. The header is dim.
  std::string text(const style& s,
                   const std::function<std::string(std::size_t row, const std::string& line)>& paint = {}) const;
  // Drops columns until a row has at most this width. `less_needed` contains the names of the columns in the order in
  // which they are dropped. If the rows are still too wide, shortens the last column. `shorten` shortens the last cell
  // of a row.
  void fit(std::size_t width, const std::vector<std::string>& less_needed,
           const std::function<std::string(std::size_t row, std::size_t width)>& shorten = {});
  // Returns the table as text, with these rows highlighted.
  std::string text(const style& s, const std::vector<std::size_t>& bad_rows) const;
};

// Cuts a text that is too wide, and appends dots.
std::string shortened(const std::string& text, std::size_t width);
// Replaces the middle of a text that is too wide by dots. A reader needs both ends of a template's name to identify it.
std::string cut_in_the_middle(const std::string& text, std::size_t width);
// Breaks lines that are longer than this number of columns at blanks. Continuation lines are aligned with the first
// word of their line. Colours take no columns.
std::string wrapped(const std::string& text, std::size_t width);

}  // namespace bankwise
