// One kernel launch on the CPU: its parameters, its results, and its errors.
//
// The emulator executes machine code one warp at a time and knows nothing about banks. Every instruction on shared
// memory becomes an event for a listener: an access of its lanes, or another operation (bankwise/asynchronous.hpp).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cubin/launch_limits.hpp"
#include "cubin/program.hpp"
#include "emulate/launch/warp_shape.hpp"
#include "emulate/listener.hpp"
#include "emulate/memory/memory.hpp"
#include "model/parts/out_of_bounds.hpp"
#include "model/parts/whole_counts.hpp"
#include "model/run_options.hpp"

namespace bankwise::emulate {

// The kinds of errors, for code that simulates the device: a program gets a fault as one of these.
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
  needs_results,  // of a launch that only counts: a call to a function that is not in its code
};

// How long a launch may run, from its beginning. Blocks run in the order of a sample (block_order.hpp), so that the
// blocks that ran are a sample, unless all of them ran. Blocks that wait for each other cannot be sampled: they run
// until `until`.
struct time_limit {
  std::chrono::nanoseconds begins{};  // blocks begin so long
  std::chrono::nanoseconds until{};   // what runs then is stopped
  std::uint64_t least = 1;            // blocks that begin in any case, before `until`
};

// Two instructions of blocks that run at the same time, in the order of this run.
enum class block_race_kind : std::uint8_t { read_after_write, write_after_read, write_after_write };
struct block_race {
  block_race_kind kind = block_race_kind::read_after_write;
  std::uint64_t first = 0, second = 0;  // device addresses
  std::uint64_t words = 0;              // words of the second access
};

// How instructions are executed.
enum class instruction_use : std::uint8_t {
  best,       // code compiled for this CPU if that pays, otherwise handlers
  avx2,       // the same for a CPU with only AVX2
  interpret,  // handlers
  plain,      // handlers for any CPU
};

struct launch {
  const cubin::program* program = nullptr;
  const cubin::kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{32, 1, 1};
  // Blocks of a cluster, which run together and reach each other's shared memory. Zeros: as the kernel was compiled
  // (__cluster_dims__), or no clusters.
  std::array<std::uint32_t, 3> cluster{};
  warp_shape warps;             // the threads of each warp; refused if they do not cover the block
  bool large_clusters = false;  // of 9 to 16 blocks, which not every machine has
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;         // as in the constant bank, from the first parameter on
  std::uint64_t budget = ~std::uint64_t{0};  // warp instructions, of a block or of all; then the launch stops
  std::uint32_t stack_bytes = 1024;          // of a thread, in addition to the kernel's own frame
  unsigned threads = 0;                      // thread blocks at a time; 0: one for each core
  // Not 0: blocks, warps and the paths of a warp take turns in another order, the same one for the same number.
  std::uint64_t seed = 0;
  fault_kind* fault = nullptr;        // set before an error is returned
  std::uint64_t* executed = nullptr;  // gets the warp instructions that were executed, however the launch ends
  bool checks_operands = false;       // tests: a fault where an instruction reads or changes what its row does not name
  instruction_use use = instruction_use::best;  // how instructions are executed; results are the same
  std::uint32_t compile_after = 128;            // how often an instruction runs before it is compiled; in tests: once
  // an access just outside an allocation is a fault, although a GPU allows it
  bool strict_bounds = false;
  // Runs only this number of blocks, chosen evenly: a sample, whose results in memory are not the kernel's. 0 means
  // all. Refused if blocks wait for each other.
  std::uint64_t most_blocks = 0;
  // Not null: these blocks run, in this order, and no others, in one thread; `most_blocks` is their number.
  std::shared_ptr<const std::vector<std::uint64_t>> chosen;
  bool predicts_time = false;      // the report predicts how long the launch takes on the GPU
  std::string timed_gpu;           // on which; empty: the one of timing::find_gpu
  bool warm_caches = false;        // and L2 contains the data that the launch reads, as far as they fit
  bool counts_global = false;      // the report counts global memory, unless `counting` skips it
  std::optional<time_limit> time;  // all blocks, or a sample of as many as it allows
  // All blocks are resident and meet at grid.sync(): they take turns in one thread. If they do not fit on the device
  // together, the launch is refused.
  bool cooperative = false;
  // Only the counted part is needed (counting.hpp): the rest is not executed. Null if everything is executed.
  std::shared_ptr<const struct counting_code> counting;
  // Code of earlier launches, for later ones (kept_code.hpp). Null: code is decoded for this launch only.
  std::shared_ptr<class kept_code> kept;
  // The code that is watched for races of blocks on global memory. The launch stops at the first race and reports it.
  // Null for none.
  std::shared_ptr<const struct racing_code> racing;
  bool interleaves = false;  // with that: resident blocks run interleaved, as on a GPU, and races are noted
};

// Sets the options of the run. The caller knows the time limit, and the work of other launches.
void apply(const run_options& o, launch& l);

// The limit of counted warp instructions over all blocks of a launch: about ten seconds of a whole H200. Every count of
// an instruction is a small multiple of it.
inline constexpr std::uint64_t most_instructions = std::uint64_t{1} << 43;

// Why a launch stopped before its end.
enum class stop_reason : std::uint8_t {
  none,         // it did not
  interrupted,  // on request
  budget,
  time,  // blocks that began in the launch's time were not done in it
};
// Accesses of one instruction to global memory outside all allocations, in a page with an allocation
// (device_memory::beside). Its address identifies its place.
struct first_out_of_bounds : out_of_bounds_access {
  std::uint64_t order = 0;  // of the block of the first time, as blocks begin
};
using out_of_bounds_accesses = std::map<std::uint64_t, first_out_of_bounds>;  // by device address of the instruction
void add_out_of_bounds(out_of_bounds_accesses& to, const out_of_bounds_accesses& from);

// The sums over the blocks of one class of a sample (block_order.hpp), one number for each block.
struct block_sum {
  __extension__ using wide = unsigned __int128;
  std::uint64_t blocks = 0, sum = 0;
  wide squares = 0;  // exact, so that the order of addition does not show
  std::uint64_t most = 0;

  void add(std::uint64_t n, std::uint64_t times = 1) {
    most = n > most ? n : most;
    blocks += times;
    sum += n * times;
    squares += wide{n} * n * times;
  }
  void add(const block_sum& other) {
    most = other.most > most ? other.most : most;
    blocks += other.blocks;
    sum += other.sum;
    squares += other.squares;
  }
};

struct launch_result {
  std::uint64_t blocks = 0;   // that ran to their end
  std::uint64_t counted = 0;  // and blocks that provably behave like an executed one, which are counted with it
  std::uint64_t begun = 0;    // larger if the launch stopped: its work until then also counts
  stop_reason stopped = stop_reason::none;
  diagnostic stopped_at;  // the message for that, with the place of a block
  whole_counts sum;
  out_of_bounds_accesses out_of_bounds;
  std::map<unsigned, block_sum> instructions;  // for a sample: of the clusters of each class
  // Blocks race: memory is as it was before the launch, which must run again with launch::interleaves.
  bool raced = false;
  std::vector<block_race> races;  // of interleaved blocks, by kind and place
};

// A launch that a kernel made (dynamic parallelism). It begins when the kernel's own launch has ended.
struct child_launch {
  const cubin::kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  bool last = false;  // for all launches from the kernel, after the others (cudaStreamTailLaunch)
};

// The progress of a launch.
struct launch_progress {
  std::uint64_t done = 0, total = 0;  // blocks
  std::uint64_t instructions = 0;     // warp instructions of these and, now and then, of running ones
};

struct launch_hooks {
  // The listeners. Each makes a listener for each worker, in the caller's thread, and adds their results when the
  // launch has ended (listeners_of in listeners.hpp). Each event goes to one listener after another, in this order.
  std::vector<std::function<listener*(unsigned worker)>> listeners;
  // Called now and then from one thread.
  std::function<void(const launch_progress&)> progress;
  // If not 0, the launch stops: every worker within the turn of a warp. Null if it is never stopped.
  const std::atomic<std::uint32_t>* stop = nullptr;
  // The kernel's output: by block, and within a block in the order of execution, whatever the number of workers is.
  // Also called for the blocks before an error. Called from one thread at a time.
  std::function<void(std::string_view text)> print;
  std::function<void(std::string_view text)> print_error;  // the messages of failed assertions
  // A kernel launches another, in the order of execution: false refuses it, as the device would. Without this a kernel
  // that launches is an error.
  std::function<bool(child_launch child)> launch;
  // A kernel sets a condition of a graph (cudaGraphSetConditional): false if there is none with this handle. Without
  // this function, such a kernel is an error.
  std::function<bool(std::uint64_t handle, std::uint32_t value)> set_condition;
  // All blocks that can run have read global memory for a while without changing it: they may be waiting for the host
  // or for another launch. Called between two turns of blocks, from the launch's own thread; when it returns, memory
  // may have changed and moved on the host. `changed`: global memory has changed since the last call. False stops the
  // launch.
  std::function<bool(bool changed)> idle;
};

using cubin::most_cluster_blocks, cubin::portable_cluster_blocks;

// The size of a launch's clusters: its own, its kernel's, or one block.
std::array<std::uint32_t, 3> cluster_of(const launch& l);
inline bool has_clusters(const launch& l) { return l.cluster[0] != 0 || l.kernel->cluster[0] != 0; }

// Whether code for sm_<number> is executed, and "sm_75, sm_80, ...": all that is.
bool can_execute(std::uint32_t sm);
std::string executable_list();

// Errors: an architecture that is not executed, a block or grid of an impossible size, parameters of the wrong size, an
// instruction that is not known, a memory fault, a barrier that can never complete, a branch to itself. Each names
// kernel, pc, source line, block, warp, lane. A launch that is stopped is not an error.
result<launch_result> run_launch(const launch& l, device_memory& memory, const launch_hooks& hooks);

// Whether the kernel's code can wait for values that others write: it reads global memory with strong loads, or uses
// old values of atomics. Then its blocks take turns, and launch_hooks::idle may be called.
bool may_wait_for_others(const cubin::program& p, const cubin::kernel& k);

// Whether one block of each class is enough for the counts: launch::counting allows it, and nothing else prevents it.
bool runs_by_class(const launch& l);
// Only the counted part is executed: launch::counting can be used.
bool counts_only(const launch& l);

// Copies the program's variables into `memory`, where code finds them. Once for each memory.
result<done> load_variables(const cubin::program& p, device_memory& memory);

}  // namespace bankwise::emulate
