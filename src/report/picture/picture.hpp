// The drawing of one access: which lanes access which words, and when they are served. It is made only from the rule's
// answer. The terminal, the SVG files and the page all draw this value.
//
//     lanes        0 1 2 3 4 5 6 7 | 8 9 a b ...        32 lanes, cut into phases
//
//     wavefronts   0 . . . 1 . . .   1                  a row is a wavefront, in order of time; the number of rows is
//                  8 . . . 9 . . .   2!                 the cost, and ! marks wavefronts that a layout could save
//
//     words        0 . . . 1 . . .                      a row is one word of every bank, as in shared memory;
//                  8 . . . 9 . . .                      a conflict is two words of a phase in one column
//
// The rule gives the number of wavefronts of a phase. The hardware's order of the words is unknown, so words are drawn
// in the order of their lanes.
#pragma once

#include <string>
#include <vector>

#include "bankwise/wavefronts.hpp"
#include "report/text/access_report.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// The words of one bank that a wavefront serves: one word, or the two words of a Kepler row.
struct picture_cell {
  u32 bank = 0;
  u32 word = 0;   // first word
  u32 words = 1;  // number of words
  u32 lanes = 0;  // mask of lanes
};

struct picture_wave {
  u32 phase = 0;
  bool excess = false;              // whether the wavefront exceeds the minimum of its phase
  std::vector<picture_cell> cells;  // by bank
};

// A word at its position in shared memory.
struct picture_word {
  u32 word = 0;
  u32 lanes = 0;
  bool excess = false;     // whether an excess wavefront serves the word
  std::vector<u32> waves;  // wavefronts that serve the word, as indices of picture::waves
};

struct picture_row {
  u32 row = 0;      // address / (banks * bank_bytes)
  u32 skipped = 0;  // number of rows without a word between the previous row and this row
  std::vector<picture_word> words;
};

struct picture_phase {
  u32 lanes = 0;
  u32 first_wave = 0, waves = 0;
  bool merged = false;  // whether two neighbouring phases are served as one
};

struct picture {
  u32 banks = 32, bank_bytes = 4;
  u32 lanes = 0;             // mask of the lanes whose access reaches the banks
  u32 retried = 0;           // mask of the lanes whose bank serves another lane (cas_spin)
  bool overlapping = false;  // whether phases are served in parallel and share their wavefronts (Fermi at 128 bits)
  std::vector<picture_phase> phases;
  std::vector<picture_wave> waves;  // as many as the access costs
  std::vector<picture_row> rows;
};

picture draw(const access_report& r);

// A lane as one character: "0".."9", "a".."v".
char lane_character(u32 lane);
// The lowest lane of a mask.
u32 first_lane(u32 lanes);

// Draws the wavefronts in 80 columns, at most `most_waves` of a phase. If `words` is set, also draws the words of
// shared memory below the wavefronts.
std::string to_text(const picture& p, const style& s, std::size_t most_waves, bool words);

enum class svg_form {
  wide,    // for a page, which supplies the style sheet
  narrow,  // for a page, 360 units wide
  // The wavefronts are next to the words, so that both are visible at once. The picture is 910 units wide, or wider for
  // more than 32 banks.
  beside,
  file,  // a separate image: wide, with a title, its own style sheet and a background
};
std::string to_svg(const picture& p, const access_report& r, svg_form form);
// The style sheet of the pictures. Colours are variables, which a page may set.
std::string svg_style();

}  // namespace bankwise
