// Who goes when, where warps of a block compete for words of shared memory with loops of compare-and-swaps.
//
//     clock  warp 0            warp 1
//         0  LDS   0           LDS   0       both have loaded before either swaps,
//        29  CAST  0 -> 1      CAST  fails   so that one of them stores and the other goes round again
//
// No simulator: only what decides whose swap comes first. A warp issues an instruction when the stall count and the scoreboards of
// its encoding let it, one a clock on each of four schedulers; loads and swaps pass one pipe in the order of their issue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulate/path_turns.hpp"
#include "emulate/worker.hpp"

namespace bankwise::emulate {

// By instruction of the section: a loop around a compare-and-swap, and what runs before and behind it between two barriers of
// the block. Empty: there is no such loop.
std::vector<bool> competing_code(const decoded_section& section);

// The clocks of a block's warps.
class competition {
 public:
  void start(std::size_t warps);
  // When the warp can issue this instruction, of these lanes, which were so many paths until now (0 or 1: one).
  std::uint64_t when(std::size_t warp, const sass::instruction& i, const micro_op& u, std::uint32_t lanes,
                     std::size_t paths) const;
  // Of two warps that can issue at these times, the first goes.
  bool before(std::size_t a, std::uint64_t at_a, std::size_t b, std::uint64_t at_b) const;

  struct issued {
    std::uint64_t at = 0;
    bool parted = false;           // its lanes went two ways
    turn after = turn::kept;       // whose turn it is then
    std::uint32_t wavefronts = 0;  // of the shared pipe; 0: it did not use it
  };
  void issue(std::size_t warp, const sass::instruction& i, const micro_op& u, const issued& how);

  // The warp has no path that can run, and has one again.
  void wait(std::size_t warp) { clocks_[warp].waits = true; }
  void wake(std::size_t warp);

 private:
  struct warp_clock {
    std::uint64_t next = 0;  // by its stall counts
    std::array<std::uint64_t, 6> scoreboard{};
    bool waits = false;
  };
  std::vector<warp_clock> clocks_;
  std::array<std::uint64_t, 4> scheduler_{};  // free from this clock on
  std::array<std::size_t, 4> latest_{};       // the warp that each issued for
  std::uint64_t pipe_ = 0, now_ = 0;
};

// That the pipe takes for the access that the worker just made; of a load of which nobody was told one.
std::uint32_t pipe_wavefronts(const shared_access& a, const micro_op& u);

}  // namespace bankwise::emulate
