// The order of warps that compete for words of shared memory with compare-and-swap loops.
//
//     clock  warp 0            warp 1
//         0  LDS   0           LDS   0       both have loaded before either swaps,
//     1,320  CAST  0 -> 1      CAST  fails   so one of them stores and the other retries;
//     2,600  BSYNC, a lane     BRA           the lane that stored delays its warp, so warp 1 is first now
//
// This is not a simulator. It only models which swap is first while Nsight Compute counts. Nsight Compute's own code
// runs before each piece of straight code, each branch and each access. Warps delay each other in this inserted code,
// which takes ten times as long as the kernel's code. A warp issues an instruction when the stall count and the
// scoreboards in its encoding allow it. Each of the four schedulers issues one instruction per clock. Loads and swaps
// go through one pipe in the order in which they were issued.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// Whether an instruction competes: it is in a loop around a compare-and-swap, or in the code around the loop between
// two barriers of the block. An instruction `from_here` also begins a straight piece of code, because it is the target
// of a jump or follows a jump.
enum class competing : std::uint8_t { no, yes, from_here };

// A competing instruction, with the facts that determine the order of warps.
struct competing_op {
  static constexpr std::uint8_t no_scoreboard = 7;
  competing is = competing::no;
  std::uint8_t stall = 1;  // clocks between this instruction and the warp's next instruction
  std::uint8_t waits = 0;  // bit mask of the scoreboards that the instruction waits for
  // The scoreboards of the instruction. `done` is set until the instruction ends. `read` is set until the instruction's
  // operands are read.
  std::uint8_t done = no_scoreboard, read = no_scoreboard;
  // for an access to shared memory: clocks between the pipe and the result; 0 for other instructions
  std::uint8_t latency = 0;
  // for an access: additional clocks of Nsight Compute's code, and further tenths of a clock for each distinct word
  std::uint16_t probe_each = 0, probe_tenths_a_word = 0;
  std::uint32_t probe = 0;  // clocks of Nsight Compute's code before any instruction
};
struct competing_code {
  std::vector<competing_op> ops;  // one element for each instruction of the section
};
// The competing code of a section. Null if the section contains no loop around a compare-and-swap.
std::shared_ptr<const competing_code> find_competing_code(const decoded_section& section);

// The clocks of a block's warps.
class competition {
 public:
  // `blocks`: the number of blocks that share the multiprocessor.
  void start(std::size_t warps, std::uint64_t blocks);

  // Sets the warp's next instruction. `next` is null if the next instruction does not follow the clock.
  void set_next(std::size_t warp, const competing_op* next);

  struct turn {
    std::size_t warp = 0;
    std::uint64_t at = 0;
  };
  // The warp that issues next, and the clock at which it issues. The warp issues its next instruction, or a step of
  // Nsight Compute's code before this instruction. Nothing if no warp can issue.
  std::optional<turn> first();

  struct probed {
    std::uint64_t at = 0;
    // number of lanes, and number of distinct words of shared memory that these lanes access
    std::uint32_t lanes = 0, words = 0;
    // number of paths that joined; Nsight Compute executes its code once for each of these paths
    std::uint32_t paths = 1;
  };
  // Whether Nsight Compute's code before the warp's next instruction has begun. If it has begun, probe() ignores
  // `words` and `paths`.
  bool has_begun(std::size_t warp) const { return clocks_[warp].is_probed; }
  // Executes the next step of Nsight Compute's code before the warp's next instruction. Returns false if no step is
  // left, so that the instruction itself is next.
  bool probe(std::size_t warp, const competing_op& op, const probed& what);

  struct issued {
    std::uint64_t at = 0;
    bool yields = false;  // whether the running path yields to other paths of the warp
    bool fences = false;
    std::uint32_t wavefronts = 0;  // wavefronts of the shared pipe; 0 if the instruction does not use the pipe
  };
  void issue(std::size_t warp, const competing_op& op, const issued& how);

  // wait(): the warp has no path that can run. wake(): the warp has a path that can run again.
  void wait(std::size_t warp) { clocks_[warp].waits = true; }
  void wake(std::size_t warp);

 private:
  static constexpr std::size_t schedulers = 4;
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  struct warp_clock {
    std::uint64_t next = 0;  // earliest clock of the next issue, from the stall counts
    std::array<std::uint64_t, 6> scoreboard{};
    const competing_op* op = nullptr;
    bool waits = false;
    bool is_probed = false;   // whether Nsight Compute's code before the next instruction has begun
    std::uint32_t steps = 0;  // number of remaining steps of Nsight Compute's code
    std::uint64_t step = 0;   // duration of each step in clocks
  };
  // A warp scheduler, with the warp that it issues next.
  struct scheduler {
    std::uint64_t free = 0;  // the clock from which the scheduler is free
    std::size_t latest = 0;  // the warp that was issued last, as an index among the scheduler's warps
    std::size_t chosen = 0;  // the warp that is issued next, as an index among the scheduler's warps
    std::uint64_t at = never;
    bool is_known = false;  // whether `chosen` and `at` are up to date
  };
  void find_ready(std::size_t warp);
  void choose(std::size_t number);

  std::vector<warp_clock> clocks_;
  std::size_t places_ = 0;  // number of warps of each scheduler
  // for each warp, grouped by scheduler: the clock at which the warp could issue if its scheduler were free
  std::vector<std::uint64_t> ready_;
  std::array<scheduler, schedulers> schedulers_{};
  std::uint64_t pipe_ = 0, now_ = 0;
  std::uint64_t probes_ = 0, blocks_ = 1;
};

// The clocks that the shared-memory pipe needs for the worker's latest access. Listeners have not received this access
// yet if it is a load.
std::uint32_t pipe_wavefronts(const shared_access& a, const micro_op& u);

}  // namespace bankwise::emulate
