#include "report/picture/picture.hpp"

#include <algorithm>

namespace bankwise {

namespace {

picture_cell& cell_of(picture_wave& wave, u32 bank) {
  const auto at = std::lower_bound(wave.cells.begin(), wave.cells.end(), bank,
                                   [](const picture_cell& c, u32 b) { return c.bank < b; });
  if (at != wave.cells.end() && at->bank == bank) return *at;
  return *wave.cells.insert(at, {bank, 0, 0, 0});
}

// Adds a word to its row. If the bank serves the word in several wavefronts, the row contains the word once, with all
// these wavefronts.
void place_word(picture& p, const want& w, u32 wave) {
  const u32 row = w.word / p.banks;
  const auto at =
      std::lower_bound(p.rows.begin(), p.rows.end(), row, [](const picture_row& r, u32 n) { return r.row < n; });
  picture_row& r = at != p.rows.end() && at->row == row ? *at : *p.rows.insert(at, {row, 0, {}});
  const auto same =
      std::find_if(r.words.begin(), r.words.end(), [&](const picture_word& x) { return x.word == w.word; });
  picture_word& x = same != r.words.end() ? *same : r.words.emplace_back(picture_word{w.word, 0, false, {}});
  x.lanes |= w.lanes;
  x.excess |= p.waves[wave].excess;
  x.waves.push_back(wave);
}

}  // namespace

char lane_character(u32 lane) { return "0123456789abcdefghijklmnopqrstuv"[lane % 32]; }

u32 first_lane(u32 lanes) {
  u32 lane = 0;
  while (lane < 31 && (lanes >> lane & 1) == 0) ++lane;
  return lane;
}

picture draw(const access_report& r) {
  const bank_model& m = r.on.model;
  picture p;
  p.banks = m.banks;
  p.bank_bytes = m.bank_bytes;
  p.lanes = lanes_used(r.what);
  p.retried = p.lanes & ~lanes_served(r.what, m);
  // A compare-and-swap takes two wavefronts for each word of a bank.
  const u32 trips = r.what.op.kind == op_kind::compare_and_swap || r.what.op.kind == op_kind::cas_spin ? 2 : 1;
  p.overlapping = r.what.op.width_bytes > 8 && m.wide == serving::quarters_plus_one;
  if (p.overlapping) p.waves.resize(r.why.total.wavefronts, {0, false, {}});

  for (u32 i = 0; i < r.why.phases; ++i) {
    const phase& ph = r.why.phase_at[i];
    // Overlapping phases share their wavefronts. The first wavefront is additional, and belongs to no phase
    // (quarters_plus_one). Every phase therefore begins at the second wavefront.
    const u32 first = p.overlapping ? 1 : static_cast<u32>(p.waves.size());
    p.phases.push_back({ph.lanes, first, ph.wavefronts * trips, r.why.total.merged != merge::none});
    const u32 fewest =
        r.what.op.kind == op_kind::copy_async_cg ? ph.wavefronts : passes_for(ph.words * m.bank_bytes, m);
    for (u32 turn = 0; turn < ph.wavefronts && !p.overlapping; ++turn)
      for (u32 trip = 0; trip < trips; ++trip) p.waves.push_back({i, turn >= fewest, {}});
    for (u32 k = 0; k < ph.wants; ++k) {
      const want& w = r.why.want_at[ph.first_want + k];
      for (u32 trip = 0; trip < trips; ++trip) {
        const u32 wave = first + w.turn * trips + trip;
        if (p.overlapping && w.turn >= fewest) p.waves[wave].excess = true;
        picture_cell& c = cell_of(p.waves[wave], w.bank);
        if (c.words++ == 0) c.word = w.word;
        c.lanes |= w.lanes;
        place_word(p, w, wave);
      }
    }
  }
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    std::sort(p.rows[i].words.begin(), p.rows[i].words.end(),
              [](const picture_word& a, const picture_word& b) { return a.word < b.word; });
    p.rows[i].skipped = i == 0 ? p.rows[i].row : p.rows[i].row - p.rows[i - 1].row - 1;
  }
  return p;
}

}  // namespace bankwise
