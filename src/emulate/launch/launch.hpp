// One kernel launch on the CPU: the launch's parameters, results and errors.
//
// The emulator executes machine code one warp at a time. It does not model banks. Every instruction on shared memory
// becomes an event for listeners: an access of the instruction's lanes, or another operation
// (bankwise/asynchronous.hpp).
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

// The kinds of faults. Code that simulates the device turns each kind into an error of the program.
enum class fault_kind : std::uint8_t {
  none,
  invalid_launch,         // invalid grid, block, parameters or architecture
  invalid_cluster,        // invalid size of clusters, or a size that does not divide the grid
  cooperative_too_large,  // more blocks than can be resident together
  illegal_address,
  misaligned_address,
  illegal_instruction,  // the instruction is invalid, or bankwise does not execute it yet
  invalid_pc,           // execution continued outside the code
  stack_overflow,       // the stack grew past the limit of local memory
  assert_failed,
  trap,
  timeout,         // the budget of instructions is used up, or a loop never ends
  deadlock,        // a barrier, or a wait for lanes of a warp, can never complete
  launch_failure,  // anything else
  out_of_memory,
  needs_results,  // the launch only counts, but its kernel calls a function that is not in the code
};

// The time limits of a launch, measured from its beginning. Blocks run in the order of a sample (block_order.hpp). So
// if the time is used up, the blocks that have run are a sample. Blocks that wait for each other cannot be sampled.
// Such blocks run until the time `until`.
struct time_limit {
  std::chrono::nanoseconds begins{};  // no block begins after this time
  std::chrono::nanoseconds until{};   // blocks that still run after this time are stopped
  std::uint64_t least = 1;            // number of blocks that begin even after the time `begins`
};

// A race of two blocks that run at the same time and access the same word. For example, in a read after write, the
// access that is executed first is the write.
enum class block_race_kind : std::uint8_t { read_after_write, write_after_read, write_after_write };
struct block_race {
  block_race_kind kind = block_race_kind::read_after_write;
  std::uint64_t first = 0, second = 0;  // device addresses
  std::uint64_t words = 0;              // number of words that the second instruction accessed
};

// How instructions are executed.
enum class instruction_use : std::uint8_t {
  best,       // code compiled for this CPU where compiled code is faster; otherwise handlers
  avx2,       // like `best`, but as on a CPU with AVX2 and without AVX-512
  interpret,  // only handlers
  plain,      // only handlers that run on any CPU
};

struct launch {
  const cubin::program* program = nullptr;
  const cubin::kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{32, 1, 1};
  // Blocks of a cluster run together and can access each other's shared memory. If zeros, the launch uses the cluster
  // size with which the kernel was compiled (__cluster_dims__), or no clusters.
  std::array<std::uint32_t, 3> cluster{};
  // which threads form a warp; the launch is refused if warps of this shape do not cover the block
  warp_shape warps;
  bool large_clusters = false;  // allows clusters of 9 to 16 blocks, which not every GPU supports
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  // the bytes of the constant bank, starting with the first parameter
  // largest number of warp instructions, for one block and for all blocks together; a launch that exceeds it stops
  std::uint64_t budget = ~std::uint64_t{0};
  std::uint32_t stack_bytes = 1024;  // bytes of stack per thread, in addition to the kernel's own frame
  unsigned threads = 0;              // number of thread blocks that run at a time; 0 means one per core
  // If not 0, this number determines the order in which blocks, warps and the paths of a warp take turns.
  std::uint64_t seed = 0;
  fault_kind* fault = nullptr;  // if not null, receives the kind of the fault before an error is returned
  // if not null, receives the number of executed warp instructions, even if the launch fails
  std::uint64_t* executed = nullptr;
  // for tests: whether an instruction causes a fault if it reads or changes a register that its row does not name
  bool checks_operands = false;
  bool checks_synchronisation = false;          // whether listeners hear of misuses (on_misuse)
  instruction_use use = instruction_use::best;  // how instructions are executed; every value gives the same results
  // number of executions of an instruction before it is compiled; tests use 1
  std::uint32_t compile_after = 128;
  // an access just outside an allocation is a fault, although a GPU permits this access
  bool strict_bounds = false;
  // Runs only this number of blocks, spread evenly over the grid. These blocks are a sample, so the results in memory
  // are wrong. 0 means all blocks. The launch is refused if blocks wait for each other.
  std::uint64_t most_blocks = 0;
  // If not null, only these blocks run, in this order, in one thread. `most_blocks` must be the number of blocks in the
  // list.
  std::shared_ptr<const std::vector<std::uint64_t>> chosen;
  // Whether only the emulator and the program's calls of CUDA access the memory that the launch may change. The host,
  // other threads and other processes do not see this memory.
  bool memory_is_private = false;
  // The launch only shows listeners what it would do. All memory that it changes is restored at its end. A block ends
  // when its recorder has enough. Requires one thread and `memory_is_private`.
  bool rehearses = false;
  // What a rehearsal's blocks find in shared memory before they write it: zeros, or other words for each number. Two
  // rehearsals with different numbers show whether results depend on unwritten bytes.
  std::uint32_t unwritten_words = 0;
  bool predicts_time = false;      // the report predicts how long the launch takes on the GPU
  std::string timed_gpu;           // the GPU for the prediction; if empty, the GPU that timing::find_gpu returns
  bool warm_caches = false;        // assumes that as much of the launch's input as possible is already in L2
  bool counts_global = false;      // the report counts global memory, unless `counting` omits it
  std::optional<time_limit> time;  // runs all blocks, or the largest sample that the time allows
  // All blocks are resident and meet at grid.sync(), so they take turns in one thread. The launch is refused if the
  // blocks do not fit on the device together.
  bool cooperative = false;
  // Executes only the code on which counts depend (counting.hpp). If null, the launch executes everything.
  std::shared_ptr<const struct counting_code> counting;
  // Keeps the code of launches for later launches (kept_code.hpp). If null, code is decoded for this launch only.
  std::shared_ptr<class kept_code> kept;
  // The code that is watched for races of blocks on global memory. The launch stops at the first race, and reports it.
  // If null, races are not detected.
  std::shared_ptr<const struct racing_code> racing;
  // whether listeners also receive the kinds of order_kind that lanes of a warp, copies and fences make
  bool tells_all_order = false;
  // if not null, a rehearsal stores here the bytes that it changed, as they are at its end
  class changed_bytes* outcome = nullptr;
  // When the launch begins on the device's clock, in nanoseconds, and the part of its data that L2 then has. Only clock
  // registers show them (block_clock.hpp).
  double begins = 0, in_l2 = 0;
  // used together with `racing`: resident blocks run interleaved, as on a GPU, and all races are recorded
  bool interleaves = false;
};

// Applies the options of a run to a launch. The caller adds the time limit, and the objects that the launch shares with
// other launches.
void apply(const run_options& o, launch& l);

// The largest number of counted warp instructions of a launch, summed over all blocks. A whole H200 executes this
// number in about ten seconds. No count of an instruction exceeds a small multiple of this number.
inline constexpr std::uint64_t most_instructions = std::uint64_t{1} << 43;

// The reason why a launch stopped before its end.
enum class stop_reason : std::uint8_t {
  none,
  interrupted,  // the caller requested the stop
  budget,
  time,  // some blocks were still running at the end of the launch's time
};
// The accesses of one instruction to global memory that are outside all allocations, but in a page with an allocation
// (device_memory::beside). Or the accesses to shared memory that end after the block's shared memory, but in its last
// granule.
struct first_out_of_bounds : out_of_bounds_access {
  std::uint64_t order = 0;  // position of the block that made the first access, in the order in which blocks begin
};
// the key is the device address of the instruction, and the memory
using out_of_bounds_accesses = std::map<std::pair<std::uint64_t, bounded_memory>, first_out_of_bounds>;
void add_out_of_bounds(out_of_bounds_accesses& to, const out_of_bounds_accesses& from);

// Sums over the blocks of one class of a sample (block_order.hpp). Each block contributes one number to each sum.
struct block_sum {
  __extension__ using wide = unsigned __int128;
  std::uint64_t blocks = 0, sum = 0;
  wide squares = 0;  // an exact integer, so that the order of additions does not matter
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
  std::uint64_t blocks = 0;   // number of blocks that ran to their end
  std::uint64_t counted = 0;  // number of blocks that ran, or that provably behave like a block that ran
  // number of blocks that have begun; if the launch stopped, this includes blocks that did not run to their end, whose
  // work is also in the counts
  std::uint64_t begun = 0;
  stop_reason stopped = stop_reason::none;
  diagnostic stopped_at;  // message that tells why and at which block the launch stopped
  whole_counts sum;
  out_of_bounds_accesses out_of_bounds;
  std::map<unsigned, block_sum> instructions;  // for a sample: sums of instructions, by class of clusters
  // Blocks race. Memory is restored to its state before the launch, which must run again with launch::interleaves.
  bool raced = false;
  std::vector<block_race> races;  // races of interleaved blocks, sorted by kind and address
};

// A launch that a kernel makes (dynamic parallelism). It begins after the kernel's own launch has ended.
struct child_launch {
  const cubin::kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  bool last = false;  // begins after all other launches from the kernel (cudaStreamTailLaunch)
};

struct launch_progress {
  std::uint64_t done = 0, total = 0;  // numbers of ended blocks and of all blocks
  // number of executed warp instructions; instructions of running blocks are added from time to time
  std::uint64_t instructions = 0;
};

struct launch_hooks {
  // Functions that make listeners. Each function is called in the caller's thread, once for each worker. When the
  // launch has ended, the owner of the function adds up the results (listeners_of in listeners.hpp). Each event goes to
  // all listeners, in the order of these functions.
  std::vector<std::function<listener*(unsigned worker)>> listeners;
  // Called from time to time, from one thread.
  std::function<void(const launch_progress&)> progress;
  // The launch stops when this value becomes other than 0. Every worker then stops within the turn of a warp. Null if
  // the launch cannot be stopped.
  const std::atomic<std::uint32_t>* stop = nullptr;
  // Receives the kernel's output block by block. Within a block, the output is in the order of execution. The output
  // does not depend on the number of workers. After an error, the function is also called for the blocks before the
  // error. Called from one thread at a time.
  std::function<void(std::string_view text)> print;
  std::function<void(std::string_view text)> print_error;  // receives the messages of failed assertions
  // Called when a kernel launches another kernel, in the order of execution. If the function returns false, the launch
  // is refused. If the function is not set, a launch from a kernel is an error.
  std::function<bool(child_launch child)> launch;
  // Called when a kernel sets a condition of a graph (cudaGraphSetConditional). Returns false if no condition has this
  // handle. If the function is not set, such a call is an error.
  std::function<bool(std::uint64_t handle, std::uint32_t value)> set_condition;
  // Called when all blocks that can run have only read global memory for a while. These blocks may be waiting for the
  // host or for another launch. The function is called between two turns of blocks, from the launch's own thread. When
  // the function returns, memory may have changed, and may have moved to another address of the host. `changed`:
  // whether global memory has changed since the last call. If the function returns false, the launch stops.
  std::function<bool(bool changed)> idle;
  class block_recorders* recorders = nullptr;  // records single blocks; null if no block is recorded
  class block_clocks* clocks = nullptr;        // what clock registers contain; null if they count instructions
};

using cubin::most_cluster_blocks, cubin::portable_cluster_blocks;

// The size of a launch's clusters. This is the size that the launch sets. If the launch sets no size, the clusters have
// the size with which the kernel was compiled, or one block.
std::array<std::uint32_t, 3> cluster_of(const launch& l);
inline bool has_clusters(const launch& l) { return l.cluster[0] != 0 || l.kernel->cluster[0] != 0; }

// can_execute(): whether code for sm_<number> can be executed. executable_list(): all executable architectures, as
// "sm_75, sm_80, ...".
bool can_execute(std::uint32_t sm);
std::string executable_list();

// Runs a launch. Returns an error for an architecture that is not executed, an impossible block or grid, parameters of
// the wrong size, an unknown instruction, a memory fault, a barrier that can never complete, or a branch to itself. The
// error names kernel, pc, source line, block, warp and lane. A stopped launch is not an error.
result<launch_result> run_launch(const launch& l, device_memory& memory, const launch_hooks& hooks);

// Whether the kernel's code can wait for values that other code writes. This is true if the code has strong loads from
// global memory, or uses old values of atomics. The kernel's blocks then take turns, and launch_hooks::idle may be
// called.
bool may_wait_for_others(const cubin::program& p, const cubin::kernel& k);
// Whether resident blocks of the kernel run at the same time, because they take work from a queue.
bool shares_work(const cubin::program& p, const cubin::kernel& k);

// Whether it is enough to execute one block of each class, because only counts are needed. This requires that
// launch::counting permits classes and no other option prevents them.
bool runs_by_class(const launch& l);
// Whether launch::counting can be used, so that only the code on which counts depend is executed.
bool counts_only(const launch& l);

// Copies the program's variables to `memory`, at the addresses that the code uses. Must be called once for each memory.
result<done> load_variables(const cubin::program& p, device_memory& memory);

}  // namespace bankwise::emulate
