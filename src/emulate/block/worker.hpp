// A thread that executes blocks of a launch, one after another, and the state that such threads share.
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
#include "emulate/memory/reductions.hpp"

namespace bankwise::emulate {

// The thread indices of a kernel: the same in every block.
struct thread_rows {
  lane_row x, y, z;
};

// Launches from the kernel, and conditions that it sets in its graph.
struct launches_of_kernel {
  const std::function<bool(child_launch)>& launch;  // from launch_hooks, like the next
  const std::function<bool(std::uint64_t, std::uint32_t)>& set_condition;
  std::map<std::uint64_t, child_launch> prepared;                                // by the address of their parameters
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> last_errors;  // by block and thread
};

// State that all workers of a launch share.
struct launch_state {
  const launch* l = nullptr;
  device_memory* memory = nullptr;
  class code_cache* code = nullptr;
  std::array<std::vector<std::byte>, constant_banks> banks;
  std::uint32_t local_bytes = 0;   // for each lane
  std::uint32_t shared_bytes = 0;  // including the part that the system reserves
  std::uint32_t threads = 0;       // of a block
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  std::uint32_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  std::vector<thread_rows> thread_index;   // by warp
  bool prints = false;                     // the printed output is needed
  std::mutex* heap = nullptr;              // protects the heap of device malloc
  launches_of_kernel* launches = nullptr;  // protected by the same lock
  reduction_order* reductions = nullptr;   // null: updates of global memory are made at once
  // If only counts are needed: no count depends on the contents of global or shared memory, so they are not accessed.
  bool leaves_global = false, leaves_shared = false;
  bool leaves_tensors = false;                             // the same for tensor memory
  class block_races* races = nullptr;                      // null if races are not searched for
  const std::vector<struct followed>* followed = nullptr;  // block_class.hpp; null if classes are not needed
};

// How a block reads memory that others may change: repeatedly at a few addresses, or once at many addresses.
struct looks_at_memory {
  std::uint64_t again = 0, fresh = 0;
  std::array<std::uint64_t, 64> last{};  // last addresses, by their lower bits

  void note(std::uint64_t address) {
    std::uint64_t& slot = last[(address >> 2 ^ address >> 10) % last.size()];
    ++(slot == address ? again : fresh);
    slot = address;
  }
};

// A path's look at an mbarrier whose phase was not complete for any lane.
struct vain_look {
  std::uint32_t lanes = 0, address = 0;  // no lanes: there was none
  std::uint64_t pc = 0;
  std::uint64_t changes = 0;  // of mbarriers before it
};

struct worker {
  const launch_state* s = nullptr;
  block_state* block = nullptr;
  warp* w = nullptr;
  path* p = nullptr;
  const decoded_section* section = nullptr;  // the section of the running path
  // Listener for events (listeners.hpp), or null.
  listener* events = nullptr;             // of accesses
  listener* asynchronous = nullptr;       // for other operations on shared memory
  listener* order = nullptr;              // for operations that order accesses
  listener* each = nullptr;               // of every instruction
  listener* global = nullptr;             // for accesses to global memory
  std::array<std::int64_t, 3> further{};  // for the current access: global_access_event::by
  listener* warps = nullptr;              // for changes of the running warp
  // For the section where the path runs, by micro_op::memo; null if all accesses are reported one by one.
  std::unique_ptr<access_memos>* memos = nullptr;
  std::uint32_t repeat_mask = 0;  // bits that a shift must not change, because a listener needs them
  std::vector<access_memo*> memos_in_use;
  std::unordered_map<const decoded_section*, std::vector<std::unique_ptr<access_memos>>> memos_of;
  const region* last_region = nullptr;
  block_reductions* reductions = nullptr;               // of the block, as in launch_state
  class block_class* blocks = nullptr;                  // the class of blocks that behave alike, if classes are needed
  std::vector<struct watched_region*> watched_regions;  // the regions of launch_state::races that it has accessed
  bool gives_way = false;                               // the warp yields before its next instruction
  shared_access event;                                  // the access that is being made
  bool yielded = false;                                 // the path yielded
  std::uint64_t turn_instructions = 0;                  // of the running path in this turn, for the clocks
  // how often warps were released that had waited for others of their block or cluster
  std::uint64_t releases = 0;
  std::uint64_t mbarrier_changes = 0;
  vain_look last_look;             // in this turn
  std::byte nowhere[32][16] = {};  // accessed instead of memory that is not used
  bool out_of_memory = false;      // a handler that compiled code called could not allocate memory
  std::uint64_t effects = 0;       // number of changes of global memory, for which others may wait
  looks_at_memory looks;           // the reads of the block in the current turn
  alignas(32) row scratch[6];      // uniform operands copied to all lanes
  out_of_bounds_accesses out_of_bounds;
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
  // Reports events to the listeners. All events except a block's end are for the running warp, or for `by`.
  void tell(order_kind what, std::uint32_t lanes, std::uint32_t number = 0, const warp* by = nullptr) const {
    if (order != nullptr) order->on_order({what, (by != nullptr ? by : w)->id, lanes, number});
  }

  // Reports to counting listeners. `mask`: lanes whose guard is true; if there are none, nothing happens.
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
  // Fails at an instruction that is invalid, or not executed yet.
  step fail(std::string message, int lane = -1, std::string hint = {}) {
    return fail(fault_kind::illegal_instruction, std::move(message), lane, std::move(hint));
  }
};

}  // namespace bankwise::emulate
