// Who goes when, where warps of a block compete for words of shared memory with loops of compare-and-swaps.
//
//     clock  warp 0            warp 1
//         0  LDS   0           LDS   0       both have loaded before either swaps,
//     1,320  CAST  0 -> 1      CAST  fails   so that one of them stores and the other goes round again;
//     2,600  BSYNC, a lane     BRA           the lane that stored takes its warp's time, so that warp 1 is first now
//
// No simulator: only what decides whose swap comes first, where Nsight Compute counts: its own code, ahead of each piece of straight
// code, each branch and each access, takes ten times as long as the kernel's, and warps hinder each other in it. Beside
// that a warp issues an instruction when the stall count and the scoreboards of its encoding let it, one a clock on each of four
// schedulers; loads and swaps pass one pipe in the order of their issue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulate/worker.hpp"

namespace bankwise::emulate {

// By instruction of the section: whether it is of a loop around a compare-and-swap, or of what runs before and behind it between
// two barriers of the block, and whether lanes come there by a jump, or a jump is before it. Empty: there is no such loop.
enum class competing : std::uint8_t { no, yes, from_here };
std::vector<competing> competing_code(const decoded_section& section);

// The clocks of a block's warps.
class competition {
 public:
  // `blocks`: that share the multiprocessor.
  void start(std::size_t warps, std::uint64_t blocks);
  // When the warp can issue this instruction, or what is run ahead of it.
  std::uint64_t when(std::size_t warp, const sass::instruction& i) const;

  struct probed {
    std::uint64_t at = 0;
    bool begins_piece = false;
    std::uint32_t lanes = 0, words = 0;  // that it accesses in shared memory
    std::uint32_t paths = 1;             // that its lanes were until now, and that are counted one by one
  };
  bool has_begun(std::size_t warp) const { return clocks_[warp].is_probed; }  // only the time is looked at then
  // The next step of what is run ahead of the warp's next instruction. False: there is none, it is its turn.
  bool probe(std::size_t warp, const micro_op& u, const probed& what);

  // Of two warps that can issue at these times, the first goes.
  bool before(std::size_t a, std::uint64_t at_a, std::size_t b, std::uint64_t at_b) const;

  struct issued {
    std::uint64_t at = 0;
    bool yields = false;           // to other paths of the warp
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
    bool is_probed = false;   // what is run ahead of its next instruction has begun,
    std::uint32_t steps = 0;  // these of it are left,
    std::uint64_t step = 0;   // of so many clocks
  };
  std::vector<warp_clock> clocks_;
  std::array<std::uint64_t, 4> scheduler_{};  // free from this clock on
  std::array<std::size_t, 4> latest_{};       // the warp that each issued for
  std::uint64_t pipe_ = 0, now_ = 0;
  std::uint64_t probes_ = 0, blocks_ = 1;
};

// That the pipe takes for the access that the worker just made; of a load of which nobody was told one.
std::uint32_t pipe_wavefronts(const shared_access& a, const micro_op& u);

}  // namespace bankwise::emulate
