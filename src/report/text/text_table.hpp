// Columns as wide as their widest cell, for a terminal:
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
  std::vector<std::vector<std::string>> rows;  // the first is the header; all are equally long
  std::size_t left_first = 0, left_last = 0;   // this many columns on each side are left-aligned

  // `paint` colours the line of a row; the header is dim.
  std::string text(const style& s,
                   const std::function<std::string(std::size_t row, const std::string& line)>& paint = {}) const;
  // Drops columns, by their names in the given order, until a row has at most this width; if that is not enough,
  // shortens the last column. `shorten` shortens the last cell of a row that is not the header.
  void fit(std::size_t width, const std::vector<std::string>& less_needed,
           const std::function<std::string(std::size_t row, std::size_t width)>& shorten = {});
  // The rows with these numbers are highlighted.
  std::string text(const style& s, const std::vector<std::size_t>& bad_rows) const;
};

// Cuts a text that is too wide, and ends it with dots.
std::string shortened(const std::string& text, std::size_t width);
// Replaces the middle of a text that is too wide with dots: both ends of a template's name are needed to identify it.
std::string cut_in_the_middle(const std::string& text, std::size_t width);
// Lines longer than this number of columns are broken at blanks, and continuation lines are aligned with their first
// word. Colours take no columns.
std::string wrapped(const std::string& text, std::size_t width);

}  // namespace bankwise
