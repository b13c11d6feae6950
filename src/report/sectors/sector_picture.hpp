// The drawing of an access to global memory. A row is a line of 128 bytes, and a column is 4 bytes. In a sector that is
// moved, each column shows the lane that accesses the word, or a dot. In all other sectors, the columns are empty.
//
//     sector        0               1               2               3
//     byte 0        0 . 1 . 2 . 3 . 4 . 5 . 6 . 7 . 8 . 9 . a . b . c . d . e . f .
//     byte 128      g . h . ...                                                        a dot is moved but not requested
#pragma once

#include <string>
#include <vector>

#include "report/picture/picture.hpp"
#include "report/sectors/sector_report.hpp"
#include "report/table/style.hpp"

namespace bankwise {

inline constexpr u32 words_a_line = line_bytes / 4, words_a_sector = sector_bytes / 4;

struct picture_line {
  u64 byte = 0;                  // address of the line's first byte
  u64 skipped = 0;               // number of untouched lines before this line
  u32 sectors = 0;               // mask of the line's four sectors that are moved
  u32 lanes[words_a_line] = {};  // mask of the lanes that access each word
  bool partial[4] = {};          // whether a sector has unused bytes
};

struct sector_picture {
  u32 lanes = 0;
  std::vector<picture_line> lines;
};

sector_picture draw_sectors(const sector_report& r);
// Draws at most `most_lines` rows in at most 80 columns.
std::string to_text(const sector_picture& p, const style& s, std::size_t most_lines);
std::string to_svg(const sector_picture& p, const sector_report& r, svg_form form);
// Returns styles for these pictures that svg_style() does not contain.
std::string sector_style();

}  // namespace bankwise
