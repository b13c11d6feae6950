// The drawing of one access: which lanes access which words, and when they are served. It is made only from the rule's
// answer. The terminal, the SVG files and the page all draw this value.
//
//     lanes        0 1 2 3 4 5 6 7 | 8 9 a b ...        who: 32 lanes, cut into phases
//
//     wavefronts   0 . . . 1 . . .   1                  when: a row is a wavefront, in order of time; the height of this
//                  8 . . . 9 . . .   2!                        part is the cost, and ! is what a layout could save
//
//     words        0 . . . 1 . . .                      where: a row is one word of every bank, as in shared memory;
//                  8 . . . 9 . . .                             a conflict is two words of a phase in one column
//
// The rule gives the number of wavefronts of a phase. The hardware's order of the words is unknown: they are drawn in
// the order of their lanes.
#pragma once

#include <string>
#include <vector>

#include "bankwise/wavefronts.hpp"
#include "report/text/access_report.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Words of one bank served in one wavefront: one, or the two of a Kepler row.
struct picture_cell {
  u32 bank = 0;
  u32 word = 0;   // the first
  u32 words = 1;  // how many
  u32 lanes = 0;  // mask
};

struct picture_wave {
  u32 phase = 0;
  bool excess = false;              // more than the minimum of the phase
  std::vector<picture_cell> cells;  // by bank
};

// A word at its position in shared memory.
struct picture_word {
  u32 word = 0;
  u32 lanes = 0;
  bool excess = false;     // served in an excess wavefront
  std::vector<u32> waves;  // indices of picture::waves
};

struct picture_row {
  u32 row = 0;      // address / (banks * bank_bytes)
  u32 skipped = 0;  // how many rows without a word are between the previous row and this one
  std::vector<picture_word> words;
};

struct picture_phase {
  u32 lanes = 0;
  u32 first_wave = 0, waves = 0;
  bool merged = false;  // two neighbouring phases that are served as one
};

struct picture {
  u32 banks = 32, bank_bytes = 4;
  u32 lanes = 0;             // lanes that reach the banks
  u32 retried = 0;           // lanes whose bank serves another lane (cas_spin)
  bool overlapping = false;  // phases are served in parallel and share their wavefronts (Fermi at 128 bits)
  std::vector<picture_phase> phases;
  std::vector<picture_wave> waves;  // as many as the access takes
  std::vector<picture_row> rows;
};

picture draw(const access_report& r);

// A lane as one character: "0".."9", "a".."v".
char lane_character(u32 lane);
// The lowest lane of a mask.
u32 first_lane(u32 lanes);

// The wavefronts in 80 columns, at most `most_waves` of a phase; with `words`, also the words below them.
std::string to_text(const picture& p, const style& s, std::size_t most_waves, bool words);

enum class svg_form {
  wide,    // for a page, without its style sheet
  narrow,  // the same at 360 units
  // the wavefronts next to the words, 910 units wide, so that both are visible at once; for more than 32 banks, as wide
  // as needed
  beside,
  file,  // wide, with a title, its style sheet and a background: a separate image
};
std::string to_svg(const picture& p, const access_report& r, svg_form form);
// The style sheet of the pictures. Colours are variables that a page may set.
std::string svg_style();

}  // namespace bankwise
