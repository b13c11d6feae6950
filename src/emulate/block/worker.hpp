// CPU threads that execute the blocks of a launch, and the state that these threads share.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulate/block/access_memo.hpp"
#include "emulate/block/block_state.hpp"
#include "emulate/code/micro_op.hpp"
#include "emulate/launch/launch.hpp"
#include "emulate/launch/listeners.hpp"
#include "emulate/memory/changed_bytes.hpp"
#include "emulate/memory/reductions.hpp"

namespace bankwise::emulate {

inline constexpr const char* missing_hint =
    "the README lists the instructions that bankwise cannot execute yet. If this instruction is not in the list, "
    "please send this line and the cubin to the project";

// The thread indices of a warp's lanes. The indices are the same in every block.
struct thread_rows {
  lane_row x, y, z;
};

// Launches that the kernel makes, and conditions that the kernel sets in its graph.
struct launches_of_kernel {
  const std::function<bool(child_launch)>& launch;  // from launch_hooks
  const std::function<bool(std::uint64_t, std::uint32_t)>& set_condition;
  std::map<std::uint64_t, child_launch> prepared;  // the key is the address of the parameters
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> last_errors;  // the key is a block and a thread
};

struct launch_state {
  const launch* l = nullptr;
  device_memory* memory = nullptr;
  class code_cache* code = nullptr;
  std::array<std::vector<std::byte>, constant_banks> banks;
  std::uint32_t local_bytes = 0;   // bytes of local memory of a lane
  std::uint32_t shared_bytes = 0;  // bytes of shared memory of a block, including the part reserved for the system
  // an access after this byte is a fault; the end of the last granule of shared memory, or shared_bytes
  std::uint32_t shared_end = 0;
  std::uint32_t threads = 0;
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  std::uint32_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  std::vector<thread_rows> thread_index;
  bool prints = false;                     // whether the printed output is needed
  std::mutex* heap = nullptr;              // guards the heap of malloc() in device code
  launches_of_kernel* launches = nullptr;  // guarded by the mutex `heap`
  reduction_order* reductions = nullptr;   // null if reductions in global memory are executed at once
  // whether the run skips accesses to global or shared memory, because no count depends on the contents
  bool leaves_global = false, leaves_shared = false;
  // whether the run skips accesses to tensor memory, because no count depends on the contents
  bool leaves_tensors = false;
  class block_races* races = nullptr;  // null if races are not detected
  // null if the classes of blocks are not needed (block_class.hpp)
  const std::vector<struct followed>* followed = nullptr;
  class block_recorders* recorders = nullptr;  // null if no block is recorded
  class block_clocks* clocks = nullptr;        // null if clock registers count instructions
  changed_bytes* changed = nullptr;            // keeps what a rehearsal changes; null for all other launches
};

// Counts how a block reads memory that other blocks may change: `again` counts repeated addresses, `fresh` counts new
// addresses.
struct looks_at_memory {
  std::uint64_t again = 0, fresh = 0;
  std::array<std::uint64_t, 64> last{};  // the last addresses, selected by their lower bits

  void note(std::uint64_t address) {
    std::uint64_t& slot = last[(address >> 2 ^ address >> 10) % last.size()];
    ++(slot == address ? again : fresh);
    slot = address;
  }
};

// An initialisation of an mbarrier, which ends the waits for a phase that was complete before.
struct renewed_mbarrier {
  std::uint32_t address = 0;
  std::uint32_t phase = 0;  // the phase bit before
  const warp* by = nullptr;
  std::uint32_t lanes = 0;  // the path that initialised the mbarrier
};

// The accesses of an instruction that end after a block's shared memory, but in its last granule.
struct past_the_end {
  std::uint32_t lanes = 0;  // 0 if there are no such accesses
  access_direction does = access_direction::read;
  std::uint32_t address = 0, bytes = 0;  // of the first of these lanes

  void add(int lane, access_direction what, std::uint32_t at, std::uint64_t count) {
    if (lanes == 0) does = what, address = at, bytes = static_cast<std::uint32_t>(count);
    lanes |= std::uint32_t{1} << lane;
  }
};

struct worker {
  const launch_state* s = nullptr;
  block_state* block = nullptr;
  warp* w = nullptr;
  path* p = nullptr;
  const decoded_section* section = nullptr;  // the section with the code of the running path
  // The listener for each kind of event (listeners.hpp), or null.
  listener* events = nullptr;        // accesses to shared memory
  listener* asynchronous = nullptr;  // operations on shared memory other than accesses
  listener* order = nullptr;         // operations that order accesses
  listener* each = nullptr;          // every instruction
  listener* global = nullptr;
  listener* copied = nullptr;
  listener* misuses = nullptr;
  std::array<std::int64_t, 3> further{};  // for the current access: the value of global_access_event::by
  listener* warps = nullptr;              // events about changes of the running warp
  // The remembered accesses of the running path's section, indexed by micro_op::memo. Null if each access is reported
  // separately.
  std::unique_ptr<access_memos>* memos = nullptr;
  // mask of the address bits that must be equal in a repeated access and in the remembered access; depends on the
  // listeners
  std::uint32_t repeat_mask = 0;
  std::vector<access_memo*> memos_in_use;
  std::uint64_t last_begun = 0;  // the block that began last
  std::unordered_map<const decoded_section*, std::vector<std::unique_ptr<access_memos>>> memos_of;
  const region* last_region = nullptr;
  block_reductions* reductions = nullptr;  // the reductions of the block; null if launch_state::reductions is null
  // finds the class of the running block; null if the class is not needed
  class block_class* blocks = nullptr;
  // the regions of launch_state::races that this worker has accessed
  std::vector<struct watched_region*> watched_regions;
  bool gives_way = false;  // whether the warp must yield before its next instruction
  shared_access event;
  bool yielded = false;
  // number of instructions of the running path in this turn, for clock registers
  std::uint64_t turn_instructions = 0;
  class block_clock* clock = nullptr;  // of the running block; null if clock registers count instructions
  bool reads_in_turn = false;          // whether a warp may let others run before it reads its clock
  // number of releases of warps that waited for other warps of their block or cluster
  std::uint64_t releases = 0;
  std::uint64_t mbarrier_changes = 0;
  // the path's last look at an mbarrier in this turn; `pc` is 0 if the phase was complete for a lane
  vain_look last_look;
  std::vector<renewed_mbarrier> renewed;  // in this turn
  std::byte nowhere[32][16] = {};         // replaces memory whose contents are not needed
  bool out_of_memory = false;             // whether a handler that compiled code called could not allocate memory
  std::uint64_t effects = 0;              // number of changes of global memory for which other blocks may wait
  looks_at_memory looks;                  // the block's reads in the current turn
  alignas(32) row scratch[6];             // uniform operands copied to all lanes
  out_of_bounds_accesses out_of_bounds;
  past_the_end past;  // of the running instruction; its handler adds them to `out_of_bounds`
  // A fault, with the data for its report.
  std::string fault;
  std::string fault_hint;
  std::vector<std::string> fault_trail;
  int fault_lane = -1;
  fault_kind fault_is = fault_kind::none;

  const std::uint32_t* operand_row(const source& o, unsigned scratch_row) {
    if (o.kind == source_kind::reg) return w->reg(o.index);
    if (o.kind == source_kind::constant) return o.lanes;
    std::uint32_t* spread = scratch[scratch_row];
    const std::uint32_t value = w->uniform[o.index];
    for (int i = 0; i < 32; ++i) spread[i] = value;
    return spread;
  }
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

  void tell_repeats(access_memo& a) {
    if (events != nullptr && a.times != 0) {
      shared_access again{.pc = a.pc, .lanes = 32};
      again.what.op = a.op;
      again.what.mask = ~0u;
      std::copy_n(a.address, 32, again.what.address);
      events->on_repeats(again, a.times);
    }
    a.times = 0;
  }
  // Must be called before an instruction changes global memory.
  void keep_bytes(std::byte* at, std::size_t bytes) const {
    if (s->changed != nullptr) s->changed->keep(at, bytes);
  }
  // Reports an event that orders accesses. `by`: the warp that causes the event. Null stands for the running warp.
  void tell(order_kind what, std::uint32_t lanes, std::uint32_t number = 0, const warp* by = nullptr) const {
    if (order != nullptr) order->on_order({what, (by != nullptr ? by : w)->id, lanes, number});
  }

  // Reports an asynchronous operation to the listener. `mask`: lanes whose guard is true. If `mask` is 0, the operation
  // had no effect.
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
  // Reports that the instruction is invalid, or that bankwise does not execute it yet.
  step fail(std::string message, int lane = -1, std::string hint = {}) {
    return fail(fault_kind::illegal_instruction, std::move(message), lane, std::move(hint));
  }
};

}  // namespace bankwise::emulate
