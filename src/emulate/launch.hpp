// One kernel launch on the CPU: what it needs, what it reports, and how it can fail.
//
// The emulator executes machine code a warp at a time and knows nothing of banks: every instruction that touches shared
// memory becomes an event for a listener: an access of its lanes, or something else (bankwise/asynchronous.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankwise/access.hpp"
#include "bankwise/asynchronous.hpp"
#include "base/result.hpp"
#include "cubin/program.hpp"
#include "emulate/memory.hpp"

namespace bankwise::emulate {

// What an error is, for those who answer for the device: a program hears of a fault as one of these.
enum class fault_kind : std::uint8_t {
  none,
  invalid_launch,         // a grid, block, parameters or an architecture that cannot be
  invalid_cluster,        // clusters of an impossible size, or that do not divide the grid
  cooperative_too_large,  // more blocks than are resident together
  illegal_address,
  misaligned_address,
  illegal_instruction,  // also what bankwise does not execute yet
  invalid_pc,           // execution left the code
  stack_overflow,       // of local memory
  assert_failed,
  trap,
  timeout,         // the budget is spent, or a loop never ends
  deadlock,        // a barrier, or a wait for lanes of a warp, that can never complete
  launch_failure,  // anything else
  out_of_memory,
};

struct launch {
  const cubin::program* program = nullptr;
  const cubin::kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{32, 1, 1};
  // Blocks of a cluster, which run together and reach each other's shared memory. Zeros: as the kernel was compiled
  // (__cluster_dims__), or no clusters.
  std::array<std::uint32_t, 3> cluster{};
  bool large_clusters = false;  // of 9 to 16 blocks, which not every machine has
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;         // as they stand in the constant bank, from the first parameter on
  std::uint64_t budget = ~std::uint64_t{0};  // warp instructions, of a block or of all; then the launch stops
  std::uint32_t stack_bytes = 1024;          // of a thread, beside the kernel's own frame
  unsigned threads = 0;                      // thread blocks at a time; 0: one for each core
  // Not 0: blocks, warps and the paths of a warp take turns in another order, the same one for the same number.
  std::uint64_t seed = 0;
  fault_kind* fault = nullptr;  // set before an error is returned
  bool checks_operands = false;  // tests: a fault where an instruction reads or changes what its row does not name
  bool strict_bounds = false;   // an access beside an allocation is a fault, though a GPU lets it pass
  // Runs so many blocks, chosen evenly, and no others: a sample, whose results in memory are not the kernel's. 0: all.
  // Refused where blocks wait for each other.
  std::uint64_t most_blocks = 0;
  // All blocks are resident and meet at grid.sync(): they take turns in one thread. Where they do not fit on the device
  // together, the launch is refused.
  bool cooperative = false;
};

// One executed warp instruction on shared memory.
struct shared_access {
  std::uint64_t pc = 0;     // device address of the instruction
  access what{};            // mask: lanes that take part. May be none: the guard was false everywhere
  std::uint32_t lanes = 0;  // lanes that were there, also those whose guard is false
  bool generic = false;     // only the lanes of `what` are in shared memory, which may be none
  copy_source from{};       // of a cp.async
  std::uint32_t warp = 0;   // in its block; where somebody wants to know the order, and of a compare-and-swap
  // For who wants to know the order:
  std::uint32_t path = 0;             // lanes that execute together, also those whose guard is false
  const std::byte* shared = nullptr;  // the block's shared memory, before the access
  const std::uint32_t* data[4] = {};  // of a plain store: rows of a word for each lane
};

// One executed warp instruction that does something else with shared memory.
struct async_event {
  std::uint64_t pc = 0;     // device address of the instruction
  async_operation what{};   // of a wgmma this is a warp's quarter
  std::uint32_t lanes = 0;  // that were there, also those whose guard is false
  bool done = false;        // false: the guard was false, and nothing happened
  struct range {
    std::uint32_t begin = 0, end = 0;  // shared addresses; equal: none
  };
  range touched[2] = {};  // what it reads or writes lies in these: of a wgmma A and B
};

// What orders the accesses of a block.
enum class order_kind : std::uint8_t {
  meet,     // `lanes` of a warp, of several paths, waited for each other
  arrive,   // `lanes` come to block barrier `number`
  leave,    // they waited there, and go on
  open,     // the barrier begins again, when all have left
  ended,    // `lanes` are no more
  release,  // what `lanes` did is known to who acquires at shared address `number`: an mbarrier
  acquire,
  make,           // an mbarrier at shared address `number`, of 8 bytes
  write,          // a bulk copy to shared address `number`, of `bytes`
  read,           // a bulk copy from there
  foreign_write,  // `bytes` at shared address `number` were written by another block of the cluster
  end,            // of the block
};
struct ordering {
  order_kind kind = order_kind::meet;
  std::uint32_t warp = 0, lanes = 0;
  std::uint32_t number = 0, bytes = 0;
  std::uint64_t pc = 0;  // of a bulk copy
};

// Called from one thread at a time for each listener. Blocks come in any order. The events between two calls of on_block
// are of one block; where blocks wait for each other and take turns, a block is told of more than once.
class listener {
 public:
  virtual ~listener() = default;
  virtual void on_block(std::uint64_t block) = 0;
  virtual void on_access(const shared_access& a) = 0;
  virtual void on_async(const async_event&) {}
  // Behind on_access() of a compare-and-swap: the lanes that stored.
  virtual void on_swap(const shared_access&, std::uint32_t) {}
  // Only those who want to know the order are told. Asked once.
  virtual bool wants_order() const { return false; }
  virtual void on_order(const ordering&) {}
  // Nor is everybody told of each instruction. Asked once.
  virtual bool wants_instructions() const { return false; }
  // `lanes` of a warp, together, executed `count` instructions one after another, the first of them at `pc`.
  virtual void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) {
    static_cast<void>(pc), static_cast<void>(count), static_cast<void>(lanes);
  }
};

// Why a launch stopped before its end.
enum class stop_reason : std::uint8_t {
  none,         // it did not
  interrupted,  // somebody asked for it
  budget,
};
// What one instruction did to global memory that belongs to nobody, in a page with an allocation (device_memory::beside).
struct out_of_bounds_access {
  std::string verb;                    // "reads", "writes", "updates"
  std::uint32_t bytes = 0;             // of a lane
  std::uint64_t count = 0, lanes = 0;  // warp instructions with such a lane; these lanes
  // The first time:
  std::uint64_t order = 0;  // of the block, as blocks begin
  std::array<std::uint32_t, 3> block{}, thread{};
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t address = 0;
  std::string nearest;             // "right behind the end of argument 1 (128 bytes at 0x700000000000)"
  std::vector<std::string> trail;  // how execution came there, and where the nearest allocation was made: lines
};
using out_of_bounds_accesses = std::map<std::uint64_t, out_of_bounds_access>;  // by device address of the instruction
void add(out_of_bounds_accesses& to, const out_of_bounds_accesses& from);

struct launch_result {
  std::uint64_t blocks = 0;  // that ran to their end
  std::uint64_t begun = 0;   // more than these if the launch stopped: what they did until then is counted, too
  stop_reason stopped = stop_reason::none;
  diagnostic stopped_at;  // what is said of that, with where a block was
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;  // lanes whose guard is false are not counted
  out_of_bounds_accesses out_of_bounds;
};

// A launch that a kernel made (dynamic parallelism). It begins when the kernel's own launch has ended.
struct child_launch {
  const cubin::kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  bool last = false;  // of all that the kernel launches, behind the others (cudaStreamTailLaunch)
};

// How far a launch is.
struct launch_progress {
  std::uint64_t done = 0, total = 0;  // blocks
  std::uint64_t instructions = 0;     // warp instructions of these and, now and then, of those that run
};

struct launch_hooks {
  // A listener for each worker. They are merged by the caller, who made them.
  std::function<listener*(unsigned worker)> make_listener;
  // Called now and then from one thread.
  std::function<void(const launch_progress&)> progress;
  // Not 0: the launch stops, every worker within the turn of a warp. Null: nobody asks for it.
  const std::atomic<std::uint32_t>* stop = nullptr;
  // What the kernel prints: by block, and in a block in the order of execution, whatever the number of workers. Also
  // called for the blocks before an error. Called from one thread at a time.
  std::function<void(std::string_view text)> print;
  std::function<void(std::string_view text)> print_error;  // the messages of failed assertions
  // A kernel launches another, in the order of execution: false refuses it, as the device would. Without this a kernel that
  // launches is an error.
  std::function<bool(child_launch child)> launch;
};

inline constexpr std::uint32_t portable_cluster_blocks = 8, most_cluster_blocks = 16;

// What a launch's clusters are: its own, or its kernel's, or of one block.
std::array<std::uint32_t, 3> cluster_of(const launch& l);
inline bool has_clusters(const launch& l) { return l.cluster[0] != 0 || l.kernel->cluster[0] != 0; }

// Whether code for sm_<number> is executed, and "sm_75, sm_80, ...": all that is.
bool can_execute(std::uint32_t sm);
std::string executable_list();

// Errors: an architecture that is not executed, a block or grid of an impossible size, parameters of the wrong size, an instruction that is not known, a
// memory fault, a barrier that can never complete, a branch to itself. Each names kernel, pc, source line, block, warp,
// lane. A launch that is stopped is no error.
result<launch_result> run(const launch& l, device_memory& memory, const launch_hooks& hooks);

// Copies the program's variables into `memory`, where code finds them. Once for each memory.
result<done> load_variables(const cubin::program& p, device_memory& memory);

}  // namespace bankwise::emulate
