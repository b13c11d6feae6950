// A table of text for the terminal: columns as wide as they must be.
#pragma once

#include <string>
#include <vector>

#include "report/style.hpp"

namespace bankwise {

struct text_table {
  std::vector<std::vector<std::string>> rows;  // the first is the header
  std::size_t left_columns = 0;                // the last so many are flush left

  // `strong`: the rows that stand out.
  std::string text(const style& s, const std::vector<std::size_t>& strong) const;
};

// With dots at the end where it is wider.
std::string shortened(const std::string& text, std::size_t width);

}  // namespace bankwise
