// A picture for a terminal. Each wavefront is a row, and each bank a column.
#include <algorithm>

#include "base/text.hpp"
#include "report/picture/picture.hpp"

namespace bankwise {

namespace {

constexpr u32 banks_a_line = 32;
constexpr std::size_t margin = 16;  // a margin of 16 columns and two columns for each of 32 banks make 80 columns

std::string bank_header(u32 first, u32 last, const style& s) {
  std::string tens(margin, ' '), ones = pad_right("  bank", margin);
  for (u32 bank = first; bank < last; ++bank) {
    tens += bank % 10 == 0 && bank != 0 ? pad_right(std::to_string(bank / 10), 2) : "  ";
    ones += std::to_string(bank % 10) + " ";
  }
  const auto line = [&](std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text.empty() ? text : s.dim(text) + "\n";
  };
  return line(tens) + line(ones);
}

// Returns a mark such as "7 ", or "7+" if several lanes share the word.
std::string lanes_mark(u32 lanes) {
  return std::string(1, lane_character(first_lane(lanes))) + ((lanes & (lanes - 1)) != 0 ? "+" : " ");
}

struct mark {
  u32 bank;
  u32 lanes;
  bool excess;
};

std::string banks_line(const std::vector<mark>& marks, u32 first, u32 last, const style& s) {
  std::string line;
  std::size_t i = 0;
  for (u32 bank = first; bank < last; ++bank) {
    while (i < marks.size() && marks[i].bank < bank) ++i;
    if (i == marks.size() || marks[i].bank != bank)
      line += s.dim(bank + 1 == last ? "." : ". ");
    else
      line += marks[i].excess ? s.bad(lanes_mark(marks[i].lanes)) : s.good(lanes_mark(marks[i].lanes));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<mark> marks_of(const picture_wave& w) {
  std::vector<mark> marks;
  for (const picture_cell& c : w.cells) marks.push_back({c.bank, c.lanes, w.excess});
  return marks;
}

std::string words_text(const picture& p, u32 first, u32 last, const style& s) {
  std::string text;
  for (const picture_row& r : p.rows) {
    if (r.skipped != 0 && &r != &p.rows.front())
      text += s.dim("  ... " + std::to_string(r.skipped) + (r.skipped == 1 ? " row" : " rows")) + "\n";
    std::vector<mark> marks;
    for (const picture_word& w : r.words) marks.push_back({w.word % p.banks, w.lanes, w.excess});
    const u64 address = u64{r.row} * p.banks * p.bank_bytes;
    text += pad_right("  byte " + std::to_string(address), margin) + banks_line(marks, first, last, s) + "\n";
  }
  return text;
}

std::string waves_text(const picture& p, u32 first, u32 last, const style& s, std::size_t most_waves) {
  std::string text;
  const auto wave = [&](const std::string& left, u32 i) {
    const picture_wave& w = p.waves[i];
    text += pad_right(left, 11) + pad_left(std::to_string(i + 1), 3) + (w.excess ? s.bad("! ") : "  ") +
            banks_line(marks_of(w), first, last, s) + "\n";
  };
  if (p.overlapping) {
    for (u32 i = 0; i < p.waves.size(); ++i) wave(i == 0 ? "  set-up" : i == 1 ? "  together" : "", i);
    return text;
  }
  for (std::size_t k = 0; k < p.phases.size(); ++k) {
    const picture_phase& ph = p.phases[k];
    // If a phase is too long, the last line shows the number of omitted wavefronts.
    const u32 shown = ph.waves > most_waves ? static_cast<u32>(std::max<std::size_t>(most_waves, 2)) - 1 : ph.waves;
    for (u32 i = 0; i < shown; ++i)
      wave(i != 0 ? "" : (ph.merged ? "  merged " : "  phase ") + std::to_string(k), ph.first_wave + i);
    if (shown < ph.waves)
      text += s.dim("           ... and " + std::to_string(ph.waves - shown) + " more wavefronts of this phase") + "\n";
  }
  return text;
}

}  // namespace

std::string to_text(const picture& p, const style& s, std::size_t most_waves, bool words) {
  std::string text;
  for (u32 first = 0; first < p.banks; first += banks_a_line) {
    const u32 last = std::min(p.banks, first + banks_a_line);
    text += (first == 0 ? s.strong("wavefronts, one on each line") + "\n" : "") + bank_header(first, last, s) +
            waves_text(p, first, last, s, most_waves);
  }
  for (u32 first = 0; words && first < p.banks; first += banks_a_line) {
    const u32 last = std::min(p.banks, first + banks_a_line);
    text += (first == 0 ? "\n" + s.strong("words, by their address in shared memory") + "\n" : "") +
            bank_header(first, last, s) + words_text(p, first, last, s);
  }
  std::string legend;
  const auto explain_mark = [&](const std::string& m) { legend += (legend.empty() ? "" : "; ") + m; };
  u32 drawn = 0;
  bool shared = false, excess = false;
  for (const picture_wave& w : p.waves) {
    excess |= w.excess;
    for (const picture_cell& c : w.cells) {
      drawn |= c.lanes;
      shared |= (c.lanes & (c.lanes - 1)) != 0;
    }
  }
  if (drawn >> 10 != 0) explain_mark("a-v lanes 10-31");
  if (shared) explain_mark("+ several lanes share the word");
  if (excess) explain_mark("! more wavefronts than the words need");
  explain_mark(". idle");
  return text + s.dim("  " + legend) + "\n";
}

}  // namespace bankwise
