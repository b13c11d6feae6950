// The drawing of an access to global memory: a row is a line of 128 bytes, a column is 4 of its bytes. Sectors that are
// moved are filled, with the lane that accesses each word; the others are empty.
//
//     sector        0               1               2               3
//     byte 0        0 . 1 . 2 . 3 . 4 . 5 . 6 . 7 . 8 . 9 . a . b . c . d . e . f .
//     byte 128      g . h . ...                                                         . is moved and not asked for
#pragma once

#include <string>
#include <vector>

#include "report/picture/picture.hpp"
#include "report/sectors/sector_report.hpp"
#include "report/text/style.hpp"

namespace bankwise {

inline constexpr u32 words_a_line = line_bytes / 4, words_a_sector = sector_bytes / 4;

struct picture_line {
  u64 byte = 0;                  // of its first
  u64 skipped = 0;               // lines without a lane between the line before and this one
  u32 sectors = 0;               // a mask of the four sectors: those that are moved
  u32 lanes[words_a_line] = {};  // masks
  bool partial[4] = {};          // sectors with unused bytes
};

struct sector_picture {
  u32 lanes = 0;
  std::vector<picture_line> lines;
};

sector_picture draw_sectors(const sector_report& r);
// Within 80 columns, and at most `most_lines` rows.
std::string to_text(const sector_picture& p, const style& s, std::size_t most_lines);
std::string to_svg(const sector_picture& p, const sector_report& r, svg_form form);
// The styles that pictures of sectors need in addition to svg_style().
std::string sector_style();

}  // namespace bankwise
