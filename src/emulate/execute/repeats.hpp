// Detects accesses to shared memory that repeat an earlier access of the same instruction (access_memo.hpp). All
// addresses are shifted by the same multiple of a row of banks. Repeated accesses need no checks, and listeners receive
// all repetitions together.
#pragma once

#include "emulate/execute/places.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

// Returns the entry for accesses of this instruction with this first address. Returns null if accesses are not
// remembered.
static inline access_memo* memo_of(worker& m, const micro_op& u, const u32* address, u32 mask) {
  if (m.memos == nullptr || mask != all_lanes) return nullptr;
  std::unique_ptr<access_memos>& all = m.memos[u.memo];
  if (all == nullptr) all = std::make_unique<access_memos>();
  return &(*all)[memo_way(address[0])];
}
// Whether the access is in bounds, and is the remembered access shifted by a distance that listeners accept.
static inline bool is_repeated(const worker& m, const access_memo* last, const u32* address) {
  if (last == nullptr || !last->valid) return false;
  const u32 shift = address[0] - last->address[0];
  u32 differ = shift & m.repeat_mask;
  for (int i = 0; i < 32; ++i) differ |= (address[i] - last->address[i]) ^ shift;
  return differ == 0 && last->lowest + shift <= last->highest;
}
// Decides how compiled code loads the lanes' words. Also sets the windows: each half of the warp has one window, or two
// adjacent windows.
static inline load_plan plan_of(access_memo& a, unsigned bytes) {
  if (bytes < 4) return load_plan::none;
  if (a.shape == row_shape::one_place) return load_plan::one_place;
  if (a.shape == row_shape::side_by_side && bytes == 4) return load_plan::side_by_side;
  u32 words = 0;
  for (unsigned half = 0; half < 2; ++half) {
    const u32* const address = a.address + 16 * half;
    const auto [lowest, highest] = std::minmax_element(address, address + 16);
    words = std::max(words, (*highest - *lowest + bytes) / 4);
    a.window[half] = *lowest - a.lowest;
    for (unsigned i = 0; i < 16; ++i) a.word[16 * half + i] = (address[i] - *lowest) / 4;
  }
  return words <= window_words       ? load_plan::one_window
         : words <= 2 * window_words ? load_plan::two_windows
                                     : load_plan::none;
}
// Remembers an access after it was reported to listeners. All 32 lanes must be active.
static inline void remember(worker& m, const micro_op& u, access_memo* last, operation op, const u32* address,
                            u32 limit, row_shape shape) {
  if (last == nullptr) return;
  m.tell_repeats(*last);
  const auto [lowest, highest] = std::minmax_element(address, address + 32);
  std::copy_n(address, 32, last->address);
  last->lowest = *lowest;
  last->highest = limit - op.width_bytes - (*highest - *lowest);
  last->valid = true;
  last->shape = shape;
  last->plan = plan_of(*last, op.width_bytes);
  last->op = op;
  last->pc = m.pc_of(u);
  if (!last->listed) m.memos_in_use.push_back(last);
  last->listed = true;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
