// One kernel launch on the CPU: its parameters, its results, and its errors.
//
// The emulator executes machine code one warp at a time and does not know about banks. Every instruction on shared
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

// The kinds of errors, for code that simulates the device: a program gets a fault as one of them.
enum class fault_kind : std::uint8_t {
  none,
  invalid_launch,         // an impossible grid, block, parameters or architecture
  invalid_cluster,        // clusters of an impossible size, or that do not divide the grid
  cooperative_too_large,  // more blocks than are resident together
  illegal_address,
  misaligned_address,
  illegal_instruction,  // also what bankwise does not execute yet
  invalid_pc,           // execution left the code
  stack_overflow,       // of local memory
  assert_failed,
  trap,
  timeout,         // the budget is used up, or a loop never ends
  deadlock,        // a barrier, or a wait for lanes of a warp, that can never complete
  launch_failure,  // anything else
  out_of_memory,
  needs_results,  // for a launch that only counts: a call to a function that is not in its code
};

// How long a launch may run, from its beginning. Blocks run in the order of a sample (block_order.hpp), so the blocks
// that have run are a sample, unless all of them have. Blocks that wait for each other cannot be sampled: they run
// until `until`.
struct time_limit {
  std::chrono::nanoseconds begins{};  // no block begins after this time
  std::chrono::nanoseconds until{};   // blocks that still run are stopped
  std::uint64_t least = 1;            // at least this number of blocks begins, before `until`
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
  best,       // code compiled for this CPU if that is faster, otherwise handlers
  avx2,       // the same for a CPU with only AVX2
  interpret,  // handlers
  plain,      // handlers for any CPU
};

struct launch {
  const cubin::program* program = nullptr;
  const cubin::kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{32, 1, 1};
  // Blocks of a cluster, which run together and can access each other's shared memory. Zeros: as the kernel was
  // compiled (__cluster_dims__), or no clusters.
  std::array<std::uint32_t, 3> cluster{};
  warp_shape warps;             // the threads of each warp; refused if they do not cover the block
  bool large_clusters = false;  // clusters of 9 to 16 blocks, which not every machine supports
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;         // as in the constant bank, starting with the first parameter
  std::uint64_t budget = ~std::uint64_t{0};  // warp instructions, of a block or of all blocks; then the launch stops
  std::uint32_t stack_bytes = 1024;          // for each thread, in addition to the kernel's own frame
  unsigned threads = 0;                      // thread blocks at a time; 0: one for each core
  // If not 0: blocks, warps and the paths of a warp take turns in another order, which the number determines.
  std::uint64_t seed = 0;
  fault_kind* fault = nullptr;        // set before an error is returned
  std::uint64_t* executed = nullptr;  // receives the number of executed warp instructions, even if the launch fails
  // for tests: a fault if an instruction reads or changes something that its row does not name
  bool checks_operands = false;
  instruction_use use = instruction_use::best;  // how instructions are executed; results are the same
  std::uint32_t compile_after = 128;            // how often an instruction runs before it is compiled; 1 in tests
  // an access just outside an allocation is a fault, although a GPU allows it
  bool strict_bounds = false;
  // Runs only this number of blocks, chosen evenly: a sample, whose results in memory are not the kernel's. 0 means
  // all. Refused if blocks wait for each other.
  std::uint64_t most_blocks = 0;
  // If not null: only these blocks run, in this order, in one thread; `most_blocks` is their number.
  std::shared_ptr<const std::vector<std::uint64_t>> chosen;
  bool predicts_time = false;      // the report predicts how long the launch takes on the GPU
  std::string timed_gpu;           // the GPU of the prediction; empty: the one that timing::find_gpu returns
  bool warm_caches = false;        // L2 contains the data that the launch reads, as far as they fit
  bool counts_global = false;      // the report counts global memory, unless `counting` skips it
  std::optional<time_limit> time;  // runs all blocks, or as large a sample as the time allows
  // All blocks are resident and meet at grid.sync(), so they take turns in one thread. If they do not fit on the device
  // together, the launch is refused.
  bool cooperative = false;
  // Only the counted part is needed (counting.hpp), so the rest is not executed. Null if everything is executed.
  std::shared_ptr<const struct counting_code> counting;
  // Code of earlier launches, which is kept for later ones (kept_code.hpp). Null: code is decoded for this launch only.
  std::shared_ptr<class kept_code> kept;
  // The code that is watched for races of blocks on global memory. The launch stops at the first race and reports it.
  // Null for none.
  std::shared_ptr<const struct racing_code> racing;
  bool interleaves = false;  // in addition: resident blocks run interleaved, as on a GPU, and races are recorded
};

// Sets the options of the run. The caller adds the time limit, and the work of other launches.
void apply(const run_options& o, launch& l);

// The limit of counted warp instructions over all blocks of a launch: about ten seconds of a whole H200. Every count of
// an instruction is a small multiple of this number.
inline constexpr std::uint64_t most_instructions = std::uint64_t{1} << 43;

// Why a launch stopped before its end.
enum class stop_reason : std::uint8_t {
  none,         // it did not
  interrupted,  // on request
  budget,
  time,  // blocks that began within the launch's time had not ended at its end
};
// Accesses of one instruction to global memory that are outside all allocations, but in a page with an allocation
// (device_memory::beside). Entries are identified by the instruction's address.
struct first_out_of_bounds : out_of_bounds_access {
  std::uint64_t order = 0;  // of the block of the first access, in the order in which blocks begin
};
using out_of_bounds_accesses = std::map<std::uint64_t, first_out_of_bounds>;  // by device address of the instruction
void add_out_of_bounds(out_of_bounds_accesses& to, const out_of_bounds_accesses& from);

// Sums over the blocks of one class of a sample (block_order.hpp), with one number for each block.
struct block_sum {
  __extension__ using wide = unsigned __int128;
  std::uint64_t blocks = 0, sum = 0;
  wide squares = 0;  // exact, so that the order of addition does not matter
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
  std::uint64_t counted = 0;  // including blocks that provably behave like an executed one
  std::uint64_t begun = 0;    // larger than `blocks` if the launch stopped; includes the work of unfinished blocks
  stop_reason stopped = stop_reason::none;
  diagnostic stopped_at;  // the message for the stop, with the position of a block
  whole_counts sum;
  out_of_bounds_accesses out_of_bounds;
  std::map<unsigned, block_sum> instructions;  // for a sample: by class of clusters
  // Blocks race: memory is as it was before the launch, which must run again with launch::interleaves.
  bool raced = false;
  std::vector<block_race> races;  // of interleaved blocks, by kind and place
};

// A launch made by a kernel (dynamic parallelism). It begins when the kernel's own launch has ended.
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
  std::uint64_t instructions = 0;     // warp instructions of these and, updated from time to time, of running ones
};

struct launch_hooks {
  // The listeners. Each entry makes a listener for each worker, in the caller's thread, and adds their results when the
  // launch has ended (listeners_of in listeners.hpp). Each event goes to one listener after another, in this order.
  std::vector<std::function<listener*(unsigned worker)>> listeners;
  // Called now and then from one thread.
  std::function<void(const launch_progress&)> progress;
  // If the value is not 0, the launch stops: every worker within the turn of a warp. Null if it is never stopped.
  const std::atomic<std::uint32_t>* stop = nullptr;
  // Receives the kernel's output: by block, and within a block in the order of execution, whatever the number of
  // workers is. Also called for the blocks before an error. Called from one thread at a time.
  std::function<void(std::string_view text)> print;
  std::function<void(std::string_view text)> print_error;  // receives the messages of failed assertions
  // Called when a kernel launches another, in the order of execution. If it returns false, the launch is refused, as
  // the device would do. Without this function, a kernel that launches is an error.
  std::function<bool(child_launch child)> launch;
  // Called when a kernel sets a condition of a graph (cudaGraphSetConditional). Returns false if there is no condition
  // with this handle. Without this function, such a kernel is an error.
  std::function<bool(std::uint64_t handle, std::uint32_t value)> set_condition;
  // Called when all blocks that can run have read global memory for a while without changing it: they may be waiting
  // for the host or for another launch. It is called between two turns of blocks, from the launch's own thread. When it
  // returns, memory may have changed, and moved on the host. `changed`: global memory has changed since the last call.
  // False stops the launch.
  std::function<bool(bool changed)> idle;
};

using cubin::most_cluster_blocks, cubin::portable_cluster_blocks;

// The size of a launch's clusters: its own, otherwise its kernel's, otherwise one block.
std::array<std::uint32_t, 3> cluster_of(const launch& l);
inline bool has_clusters(const launch& l) { return l.cluster[0] != 0 || l.kernel->cluster[0] != 0; }

// Whether code for sm_<number> is executed, and the list of all such architectures: "sm_75, sm_80, ...".
bool can_execute(std::uint32_t sm);
std::string executable_list();

// Runs a launch. Errors: an architecture that is not executed, an impossible block or grid, parameters of the wrong
// size, an unknown instruction, a memory fault, a barrier that can never complete, a branch to itself. Each names
// kernel, pc, source line, block, warp, lane. A stopped launch is not an error.
result<launch_result> run_launch(const launch& l, device_memory& memory, const launch_hooks& hooks);

// Whether the kernel's code can wait for values that others write: it reads global memory with strong loads, or uses
// old values of atomics. Then its blocks take turns, and launch_hooks::idle may be called.
bool may_wait_for_others(const cubin::program& p, const cubin::kernel& k);

// Whether one block of each class is enough for the counts: launch::counting allows it, and nothing else prevents it.
bool runs_by_class(const launch& l);
// Whether only the counted part is executed, because launch::counting can be used.
bool counts_only(const launch& l);

// Copies the program's variables into `memory`, at the addresses in the code. Call it once for each memory.
result<done> load_variables(const cubin::program& p, device_memory& memory);

}  // namespace bankwise::emulate
