// The drawing of one access: which lanes access which words, and in which wavefronts. The drawing needs only the answer
// of the rule. The terminal, SVG files and the page all use this drawing.
//
//     lanes        0 1 2 3 4 5 6 7 | 8 9 a b ...        32 lanes, cut into phases
//
//     wavefronts   0 . . . 1 . . .   1                  a row is a wavefront, in order of time; the number of rows is
//                  8 . . . 9 . . .   2!                 the cost, and ! marks wavefronts that a layout could save
//
//     words        0 . . . 1 . . .                      a row is one word of every bank, as in shared memory;
//                  8 . . . 9 . . .                      two words of a phase in one column are a conflict
//
// The rule only determines the number of wavefronts of a phase. The order in which the hardware serves the words is
// unknown, so words are drawn in the order of their lanes.
#pragma once

#include <string>
#include <vector>

#include "bankwise/wavefronts.hpp"
#include "report/picture/access_report.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// The words of one bank that a wavefront serves. Usually, this is one word. On Kepler, two words of a row are possible.
struct picture_cell {
  u32 bank = 0;
  u32 word = 0;   // first word
  u32 words = 1;  // number of words
  u32 lanes = 0;  // mask of lanes
};

struct picture_wave {
  u32 phase = 0;
  bool excess = false;              // whether the wavefront exceeds the minimum of its phase
  std::vector<picture_cell> cells;  // cells in the order of banks
};

// A word at its place in shared memory.
struct picture_word {
  u32 word = 0;
  u32 lanes = 0;
  bool excess = false;     // whether an excess wavefront serves this word
  std::vector<u32> waves;  // wavefronts that serve this word, as indices into picture::waves
};

struct picture_row {
  u32 row = 0;      // address / (banks * bank_bytes)
  u32 skipped = 0;  // number of rows without words between the previous row and this row
  std::vector<picture_word> words;
};

struct picture_phase {
  u32 lanes = 0;
  u32 first_wave = 0, waves = 0;
  bool merged = false;  // whether two neighbouring phases are served together
};

struct picture {
  u32 banks = 32, bank_bytes = 4;
  u32 lanes = 0;             // mask of the lanes whose accesses reach the banks
  u32 retried = 0;           // mask of the lanes that retry because their bank serves another lane (cas_spin)
  bool overlapping = false;  // whether phases are served at the same time and share wavefronts (Fermi, 128 bits)
  std::vector<picture_phase> phases;
  std::vector<picture_wave> waves;  // wavefronts; as many as the access costs
  std::vector<picture_row> rows;
};

picture draw(const access_report& r);

// Returns a lane as one character: "0" to "9" or "a" to "v".
char lane_character(u32 lane);
// Returns the lowest lane in a mask.
u32 first_lane(u32 lanes);

// Draws the wavefronts in 80 columns, at most `most_waves` for each phase. If `words` is set, also draws the words in
// shared memory below the wavefronts.
std::string to_text(const picture& p, const style& s, std::size_t most_waves, bool words);

enum class svg_form {
  wide,    // picture for a page, which has its own style sheet
  narrow,  // picture for a page, 360 units wide
  // The wavefronts and the words are next to each other. The width is 910 units, or more for more than 32 banks.
  beside,
  file,  // picture in a separate file: wide, with a title, a style sheet and a background
};
std::string to_svg(const picture& p, const access_report& r, svg_form form);
// Returns the style sheet of the pictures. Colours are variables, so that a page can change them.
std::string svg_style();

}  // namespace bankwise
