// The state of the emulated machine while one thread block runs, and the form that instructions are decoded to.
//
// A register is 32 lanes of 32 bits side by side, so that one instruction is one loop that a compiler vectorises:
//
//     reg(7) -> | lane 0 | lane 1 | lane 2 | ... | lane 31 |        128 bytes
//
// Lanes of a warp that took different branches are different paths: a program counter and a mask each. Paths join where
// they waited for each other, at a convergence barrier (BSSY, BSYNC), a WARPSYNC or a block barrier, and never because they
// are at one address, as on the hardware. But YIELD and NANOSLEEP take lanes out of their convergence barriers, and a warp
// that has had one runs those together that are at one address when it turns to another path.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulate/launch.hpp"
#include "sass/fields.hpp"
#include "sass/instruction.hpp"

namespace bankwise::emulate {

inline constexpr unsigned register_rows = 266;  // 255 and zero_row are never written; writes to RZ go to trash_row
inline constexpr unsigned zero_row = 255;
inline constexpr unsigned trash_row = 256;  // and the rows behind it
inline constexpr unsigned rpc_row = 264;    // the two words of Rpc
inline constexpr unsigned barrier_registers = 16;
inline constexpr unsigned block_barriers = 16;
inline constexpr unsigned constant_banks = 18;

using row = std::uint32_t[32];
struct alignas(64) lane_row {
  row at;
};

// --- paths of a warp

enum class path_state : std::uint8_t {
  ready,
  at_bsync,     // waits for the lanes of convergence barrier `barrier`
  at_warpsync,  // waits for the lanes of `wait_mask`
  at_block,     // waits at block barrier `barrier`
  at_cluster,   // waits at the barrier of the cluster
};

struct path {
  std::uint64_t pc = 0;  // device address; of the instruction that waits, if it waits
  std::uint32_t mask = 0;
  std::uint32_t wait_mask = 0;
  path_state state = path_state::ready;
  std::uint8_t barrier = 0;
  bool exclusive =
      false;  // behind WARPSYNC.EXCLUSIVE: joined by nobody, and not interrupted, until it waits at a BSYNC
};

// The calls that each lane is in, as far as a fault tells them: pcs of CALL instructions, the last few.
struct call_log {
  static constexpr unsigned kept = 16;
  std::uint64_t at[kept][32];    // by depth, modulo
  std::uint32_t depth[32] = {};  // calls that have not returned
};

struct warp {
  std::vector<lane_row> registers;            // register_rows
  std::array<std::uint32_t, 8> predicates{};  // lane masks; [7] is all ones
  std::array<std::uint32_t, 256> uniform{};   // [255] is zero
  std::uint32_t uniform_predicates = 0x80;    // bit 7 is one
  row convergence[barrier_registers] = {};    // by barrier and lane: the lanes that meet there
  std::uint32_t alive = 0;
  bool yielded = false;          // some of its lanes once let others run
  std::vector<path> paths;       // disjoint; at most 32, and never reallocated
  std::uint32_t id = 0;          // in its block
  std::uint32_t at_cluster = 0;  // lanes that have arrived at the barrier of the cluster, which is not complete
  std::uint32_t bar_count = 0;   // what the last BAR.RED found: for B2R
  bool bar_flag = false;
  std::vector<std::byte> local;  // local_bytes for each lane, lane after lane
  bool local_used = false;       // something may have been written there
  call_log calls;

  std::uint32_t* reg(unsigned r) { return registers[r].at; }
};

// --- a thread block

struct block_barrier {
  std::uint32_t expected = 0;          // threads; 0: all of the block
  std::vector<std::uint32_t> arrived;  // by warp: lanes; empty: nobody is here
  std::uint32_t whole_warps = 0;       // from the first on, those of which all lanes are here
  std::uint32_t true_count = 0;        // threads whose predicate held, for BAR.RED
  std::uint32_t predicates = 0;        // threads that brought one
  std::uint8_t reduction = 0;          // 0 popc, 1 and, 2 or
};

// Blocks that run together. A shared address is a rank in the cluster and an offset, and a plain one has the rank of its
// own block:
//
//     31 ... 24   23 ... 0
//     rank        offset
struct cluster_state {
  std::vector<struct block_state*> blocks;  // by rank
  unsigned waiting = 0;                     // paths at the barrier
};
inline constexpr unsigned rank_shift = 24;
inline constexpr std::uint32_t offset_mask = (1u << rank_shift) - 1;

struct printed_text {
  std::string text;
  bool is_error = false;  // of a failed assertion
};

struct block_state {
  std::array<std::uint32_t, 3> index{};
  std::uint64_t linear = 0;
  std::uint64_t order = 0;         // among the blocks that run, as they begin
  std::uint64_t instructions = 0;  // of its warps so far
  std::uint64_t random = 0;        // state of the order of its warps; 0: as they are
  bool has_waited = false;         // for other blocks
  cluster_state* cluster = nullptr;
  std::uint32_t rank = 0;  // in its cluster
  bool ended = false;
  std::vector<printed_text> printed;
  std::size_t printed_bytes = 0;
  std::vector<warp> warps;
  std::vector<std::byte> shared;
  std::array<block_barrier, block_barriers> barriers{};
};

// --- decoded instructions

enum class source_kind : std::uint8_t { reg, constant, uniform };

// Where an operand's 32 lanes are: a register row, an immediate or constant that is already spread over the lanes, or a
// uniform register that is spread when it is read.
struct source {
  source_kind kind = source_kind::reg;
  std::uint16_t index = zero_row;
  const std::uint32_t* lanes = nullptr;  // of a constant
};

struct machine;
struct micro_op;
enum class step : std::uint8_t {
  next,    // on to the next instruction
  jumped,  // the path goes on at its pc
  moved,   // the path waits or has ended, or others are ready: look again
  fault,
};
using handler = step (*)(machine&, const micro_op&, std::uint32_t mask);

// One instruction, made ready for its handler.
struct micro_op {
  handler run = nullptr;
  std::uint8_t guard = 7;  // predicate
  bool uniform_guard = false;
  bool always = false;  // run even if the guard leaves no lane: accesses are counted
  bool uniform_wide = false;
  std::uint32_t guard_flip = 0;  // all ones if the guard is negated
  std::uint32_t index = 0;       // in its code section
  sass::opcode op = sass::opcode::NOP;
  std::uint16_t d = trash_row;  // destination row, and the row of its upper word
  std::uint16_t d_high = trash_row;
  std::uint8_t p0 = 7, p1 = 7;          // destination predicates
  std::uint8_t q0 = 7, q1 = 7, q2 = 7;  // source predicates
  std::uint8_t uniform_d = sass::uniform_register_zero;
  std::uint32_t q0_flip = 0;
  source a, b, c;  // operands
  // Sign and absolute value of operands as masks: value = (bits & keep) ^ flip.
  std::uint32_t keep_a = ~0u, flip_a = 0, keep_b = ~0u, flip_b = 0, keep_c = ~0u, flip_c = 0;
  sass::fields fields;
  source a_high, b_high, c_high;  // the upper words of 64-bit operands
  std::uint32_t q1_flip = 0, q2_flip = 0;
  std::uint64_t target = 0;   // device address of a branch
  handler vector = nullptr;   // of the uniform datapath: the same operation on lanes; its result goes to uniform_d
  handler checked = nullptr;  // what runs under run_with_operands_checked

  // What its modifiers say: of the type that fields_of() gives to its opcode.
  template <class T>
  const T& as() const {
    const T* const f = std::get_if<T>(&fields);
    if (f == nullptr) __builtin_unreachable();
    return *f;
  }
};

// Of a kernel's thread indices: the same in every block.
struct thread_rows {
  lane_row x, y, z;
};

struct decoded_section {
  std::uint64_t begin = 0, end = 0;  // device addresses
  std::vector<micro_op> ops;
  std::span<const std::byte> code;  // that they were made of
  sass::isa set = sass::isa::hopper;
  std::unique_ptr<std::atomic<std::uint32_t>[]> checks;  // how often each was executed, where operands are checked
  unsigned written_rows = 0;                             // no instruction writes a register from this one on

  sass::instruction instruction_at(std::uint64_t index) const {
    return sass::load_instruction(code.data() + index * 16, set);
  }
};

// What the kernel launches itself.
struct launches_of_kernel {
  const std::function<bool(child_launch)>& launch;                               // of launch_hooks
  std::map<std::uint64_t, child_launch> prepared;                                // by where their parameters go
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> last_errors;  // by block and thread
};

// What all workers of a launch share.
struct launch_state {
  const launch* l = nullptr;
  device_memory* memory = nullptr;
  class code_cache* code = nullptr;
  std::array<std::vector<std::byte>, constant_banks> banks;
  std::uint32_t local_bytes = 0;   // for each lane
  std::uint32_t shared_bytes = 0;  // including what the system reserves
  std::uint32_t threads = 0;       // of a block
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  std::uint32_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  std::vector<thread_rows> thread_index;   // by warp
  bool prints = false;                     // somebody reads what is printed
  std::mutex* heap = nullptr;              // guards the heap of device malloc
  launches_of_kernel* launches = nullptr;  // under the same lock
};

// A worker: runs one block after another.
struct machine {
  const launch_state* s = nullptr;
  block_state* block = nullptr;
  warp* w = nullptr;
  path* p = nullptr;
  const decoded_section* section = nullptr;  // where the path runs
  // Whom to tell (listeners.hpp); null: nobody wants to know.
  listener* events = nullptr;        // of accesses
  listener* asynchronous = nullptr;  // of what else touches shared memory
  listener* order = nullptr;         // of what orders accesses
  listener* each = nullptr;          // of every instruction
  std::uint64_t thread_instructions = 0;
  const region* last_region = nullptr;
  shared_access event;                  // the one that is being made
  bool yielded = false;                 // the path asked to let others run
  std::uint64_t turn_instructions = 0;  // of the path since its pc, for the clocks
  std::uint64_t effects = 0;            // changes of global memory, which others may wait for
  alignas(32) row scratch[6];           // uniform operands spread over lanes
  out_of_bounds_accesses out_of_bounds;
  // A fault, with what the report needs.
  std::string fault;
  std::string fault_hint;
  std::vector<std::string> fault_trail;
  int fault_lane = -1;
  fault_kind fault_is = fault_kind::none;

  const std::uint32_t* at(const source& o, unsigned scratch_row) {
    if (o.kind == source_kind::reg) return w->reg(o.index);
    if (o.kind == source_kind::constant) return o.lanes;
    std::uint32_t* spread = scratch[scratch_row];
    const std::uint32_t value = w->uniform[o.index];
    for (int i = 0; i < 32; ++i) spread[i] = value;
    return spread;
  }
  // The operand of an instruction of the uniform datapath.
  std::uint32_t scalar(const source& o) const {
    return o.kind == source_kind::uniform ? w->uniform[o.index] : o.kind == source_kind::constant ? o.lanes[0] : 0;
  }
  std::uint32_t predicate(unsigned n, std::uint32_t flip) const { return w->predicates[n] ^ flip; }
  void set_predicate(unsigned n, std::uint32_t lanes, std::uint32_t mask) {
    if (n != 7) w->predicates[n] = (w->predicates[n] & ~mask) | (lanes & mask);
  }
  bool uniform_predicate(unsigned n, std::uint32_t flip) const {
    return ((w->uniform_predicates >> n & 1) != 0) != (flip != 0);
  }
  void set_uniform_predicate(unsigned n, bool value) {
    if (n != 7) w->uniform_predicates = (w->uniform_predicates & ~(1u << n)) | static_cast<std::uint32_t>(value) << n;
  }
  void set_uniform(unsigned r, std::uint32_t value) {
    if (r < sass::uniform_register_zero) w->uniform[r] = value;
  }
  std::uint64_t pc_of(const micro_op& u) const { return section->begin + std::uint64_t{u.index} * 16; }

  // To who wants to know. Everything but a block's end is of the warp that runs, or of `by`.
  void tell(order_kind what, std::uint32_t lanes, std::uint32_t number = 0, const warp* by = nullptr) const {
    if (order != nullptr) order->on_order({what, (by != nullptr ? by : w)->id, lanes, number});
  }

  // To who counts. `mask`: lanes whose guard holds; none: nothing happens.
  void tell(const micro_op& u, std::uint32_t mask, const async_operation& what, async_event::range first = {},
            async_event::range second = {}) const {
    if (asynchronous != nullptr)
      asynchronous->on_async(
          {pc_of(u), what, static_cast<std::uint32_t>(std::popcount(p->mask)), mask != 0, {first, second}});
  }

  step fail(fault_kind kind, std::string message, int lane = -1, std::string hint = {}) {
    fault = std::move(message);
    fault_hint = std::move(hint);
    fault_lane = lane;
    fault_trail.clear();
    fault_is = kind;
    return step::fault;
  }
  // An instruction that is wrong, or not executed yet.
  step fail(std::string message, int lane = -1, std::string hint = {}) {
    return fail(fault_kind::illegal_instruction, std::move(message), lane, std::move(hint));
  }
};

// --- what happens to paths (paths.cpp)

// The lanes of `taken` go to `target`, the others of the path to the instruction after `u`.
step branch(machine& m, const micro_op& u, std::uint32_t taken, std::uint64_t target);
// The lanes of `leaving`, part of the path, become a path of their own, at `pc`.
path& split(machine& m, std::uint32_t leaving, std::uint64_t pc);
// The lanes end. Barriers that waited for them may open.
step end_lanes(machine& m, const micro_op& u, std::uint32_t mask);
// The lanes let others run, and nobody waits for them any more: they leave all convergence barriers.
step yield_lanes(machine& m, const micro_op& u, std::uint32_t mask);
// Ready paths at the address of this one run together with it. Which it is then.
std::size_t join_ready(warp& w, std::size_t chosen);
// Lets the paths of the warp go on whose convergence barrier or WARPSYNC is complete.
void release_paths(machine& m);
// Lanes of the path arrive at a block barrier; `wait`: and stay until it opens. expected 0: the whole block.
step arrive(machine& m, const micro_op& u, std::uint32_t mask, unsigned barrier, std::uint32_t expected, bool wait);
// Opens the block barriers where all have arrived.
void release_block_barriers(machine& m);
void release_block_barrier(machine& m, unsigned barrier);
// Nobody is at the barrier.
void clear(block_barrier& b);

// --- clusters (cluster.cpp)

// The bytes [address, address + count) of the shared memory of a block of the cluster; null: a fault, which says that
// `what` ("a bulk copy of 64 bytes") is there.
std::byte* cluster_bytes(machine& m, std::uint32_t address, std::uint64_t count, const std::string& what, int lane);
inline bool is_own(const machine& m, std::uint32_t address) { return address >> rank_shift == m.block->rank; }
// To who wants to know: what another block, or one that waits for nobody, writes into shared memory of the cluster.
void tell_cluster_write(machine& m, std::uint32_t address, std::uint32_t bytes, std::uint64_t pc);
// Lets the paths go on that wait at the barrier of the cluster, if all threads that have not ended are there.
void release_cluster_barrier(machine& m);

// --- functions that the driver supplies (externals.cpp)

bool is_supplied(std::string_view name);
bool uses_heap(std::string_view name);
// Whether blocks that call it may run side by side: it changes nothing that another block sees.
bool changes_nothing_shared(std::string_view name);
// Does what the function does for all lanes of the path and lets them return. Arguments are in R4 and up, each at a
// multiple of its size; the result goes to R4; the return address is in R20.
step call_supplied(machine& m, std::string_view name);
// Where the first lane of the path returns to. Lanes that return elsewhere become a path of their own, and call later.
std::uint64_t return_address(machine& m);

// The row that register r + k of a vector is written to.
inline std::uint16_t written_row(unsigned r, unsigned k = 0) {
  return static_cast<std::uint16_t>(r == sass::register_zero || r + k >= sass::register_zero ? trash_row + k : r + k);
}
inline source register_source(unsigned r, unsigned k = 0) {
  return {source_kind::reg,
          static_cast<std::uint16_t>(r == sass::register_zero || r + k >= sass::register_zero ? zero_row : r + k)};
}

// Handlers by opcode; null where an opcode is not implemented.
using handler_table = std::array<handler, static_cast<std::size_t>(sass::opcode::count)>;

}  // namespace bankwise::emulate
