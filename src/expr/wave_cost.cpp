// Computes the cost of a wave. If a phase contains lanes of both halves, each bank needs a wavefront for each row that
// a lane accesses. If the lanes cannot share a row, each bank needs a wavefront for each lane.
#include "expr/wave_cost.hpp"

#include <set>

namespace bankwise {

wave_share wave_cost(const access& lower, const access& upper, const machine& on) {
  wave_share w;
  w.halves[0] = wavefronts(lower, on.model);
  w.halves[1] = wavefronts(upper, on.model);
  w.whole = w.halves[0] + w.halves[1];
  const u32 width = lower.op.width_bytes;
  const u32 together = on.phase_lanes[width <= 4 ? 0 : width <= 8 ? 1 : 2];
  if (together <= lanes_per_warp) return w;
  std::set<u64> rows[most_banks];
  u32 waiting[most_banks] = {};
  u32 most = 0;
  for (const access* a : {&lower, &upper})
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      if ((lanes_used(*a) >> lane & 1) == 0) continue;
      const u64 first = a->address[lane] / on.model.bank_bytes,
                last = (u64{a->address[lane]} + width - 1) / on.model.bank_bytes;
      for (u64 word = first; word <= last; ++word) {
        const auto bank = static_cast<u32>(word % on.model.banks);
        rows[bank].insert(word);
        ++waiting[bank];
        const u32 turns = shares_words(a->op.kind) ? static_cast<u32>(rows[bank].size()) : waiting[bank];
        most = turns > most ? turns : most;
      }
    }
  w.whole = most;
  return w;
}

}  // namespace bankwise
