// The order of warps that compete for words of shared memory with compare-and-swap loops.
//
//     clock  warp 0            warp 1
//         0  LDS   0           LDS   0       both have loaded before either swaps,
//     1,320  CAST  0 -> 1      CAST  fails   so one of them stores and the other retries;
//     2,600  BSYNC, a lane     BRA           the lane that stored delays its warp, so warp 1 is first now
//
// This is not a simulator: it only models what determines which swap is first while Nsight Compute counts. Nsight
// Compute's own code runs before each piece of straight code, each branch and each access. It takes ten times as long
// as the kernel's code, and warps delay each other in it. A warp issues an instruction when the stall count and the
// scoreboards in its encoding allow it. Each of the four schedulers issues one instruction per clock. Loads and swaps
// go through one pipe in the order of their issue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// Whether an instruction is in a loop around a compare-and-swap, or in the code before and after the loop between two
// barriers of the block. Also whether lanes reach it by a jump, or whether it follows a jump.
enum class competing : std::uint8_t { no, yes, from_here };

// An instruction of such code, with the facts that determine the order of warps.
struct competing_op {
  static constexpr std::uint8_t no_scoreboard = 7;
  competing is = competing::no;
  std::uint8_t stall = 1;  // clocks until the warp's next instruction
  std::uint8_t waits = 0;  // waits for these scoreboards, one bit each
  // scoreboards that are set until it has ended, and until its registers are read
  std::uint8_t done = no_scoreboard, read = no_scoreboard;
  // clocks of an access to shared memory, after the pipe; 0 if it is not one
  std::uint8_t latency = 0;
  // for the access, in Nsight Compute's code before the instruction
  std::uint16_t probe_each = 0, probe_tenths_a_word = 0;
  std::uint32_t probe = 0;  // additional clocks of this code
};
struct competing_code {
  std::vector<competing_op> ops;  // by instruction of the section
};
// Null if there is no such loop.
std::shared_ptr<const competing_code> find_competing_code(const decoded_section& section);

// The clocks of a block's warps.
class competition {
 public:
  // `blocks`: how many share the multiprocessor.
  void start(std::size_t warps, std::uint64_t blocks);

  // The warp's next instruction; null if it does not follow the clock.
  void set_next(std::size_t warp, const competing_op* next);

  struct turn {
    std::size_t warp = 0;
    std::uint64_t at = 0;
  };
  // The warp that issues next, and when: its instruction, or Nsight Compute's code before it. Nothing if no warp can
  // issue.
  std::optional<turn> first();

  struct probed {
    std::uint64_t at = 0;
    std::uint32_t lanes = 0, words = 0;  // lanes and words that it accesses in shared memory
    std::uint32_t paths = 1;             // the number of paths of its lanes, each of which is counted separately
  };
  bool has_begun(std::size_t warp) const { return clocks_[warp].is_probed; }  // then only the time is compared
  // Executes the next step of Nsight Compute's code before the warp's next instruction. False if there is no step left,
  // so that the instruction is next.
  bool probe(std::size_t warp, const competing_op& op, const probed& what);

  struct issued {
    std::uint64_t at = 0;
    bool yields = false;           // it yields to other paths of the warp
    bool fences = false;           // wavefronts of the shared pipe; 0 if it was not used
    std::uint32_t wavefronts = 0;  // wavefronts of the shared pipe; 0 if it was not used
  };
  void issue(std::size_t warp, const competing_op& op, const issued& how);

  // Called when the warp has no path that can run, and when it has one again.
  void wait(std::size_t warp) { clocks_[warp].waits = true; }
  void wake(std::size_t warp);

 private:
  static constexpr std::size_t schedulers = 4;
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  struct warp_clock {
    std::uint64_t next = 0;  // earliest issue by its stall counts
    std::array<std::uint64_t, 6> scoreboard{};
    const competing_op* op = nullptr;  // the next one
    bool waits = false;
    bool is_probed = false;   // Nsight Compute's code before its next instruction has begun,
    std::uint32_t steps = 0;  // with this many steps left,
    std::uint64_t step = 0;   // of this many clocks
  };
  // A scheduler, with the warp that it issues next.
  struct scheduler {
    std::uint64_t free = 0;  // it is free from this clock on
    std::size_t latest = 0;  // the warp that it last issued, as an index among its warps
    std::size_t chosen = 0;  // likewise
    std::uint64_t at = never;
    bool is_known = false;  // `chosen` and `at`
  };
  void find_ready(std::size_t warp);
  void choose(std::size_t number);

  std::vector<warp_clock> clocks_;
  std::size_t places_ = 0;  // of each scheduler
  // for each scheduler and its warps: when the warp could issue if the scheduler were free
  std::vector<std::uint64_t> ready_;
  std::array<scheduler, schedulers> schedulers_{};
  std::uint64_t pipe_ = 0, now_ = 0;
  std::uint64_t probes_ = 0, blocks_ = 1;
};

// Clocks of the pipe for the access that the worker has just made. For a load, no listener has received it.
std::uint32_t pipe_wavefronts(const shared_access& a, const micro_op& u);

}  // namespace bankwise::emulate
