// A set of registers for each input, carried along the edges of the code.
#include "sass/flow/dependence.hpp"

#include <algorithm>
#include <array>

#include "sass/fields.hpp"
#include "sass/flow/call_copies.hpp"
#include "sass/flow/deciders.hpp"
#include "sass/flow/guarded_places.hpp"
#include "sass/operand/constant_operands.hpp"
#include "sass/special_register.hpp"

namespace bankwise::sass {

namespace {

// What parts the lanes of a warp: their numbers, and what is loaded with them. It is no input.
constexpr input by_lane = static_cast<input>(16);
constexpr input sources[] = {input::data, input::block, input::arguments, input::time, by_lane};
constexpr std::size_t source_count = std::size(sources);
constexpr std::size_t barrier_count = 32;
constexpr inputs all_inputs{15};
constexpr unsigned window_bits = 24;       // that tell where in the shared memory of a block
constexpr unsigned program_constants = 3;  // bank of __constant__ variables

constexpr inputs of(input i) { return {static_cast<std::uint8_t>(i)}; }

// What a vote says is the same on all lanes.
bool tells_all_the_same(opcode op) { return op == opcode::VOTE || op == opcode::REDUX || op == opcode::CREDUX; }
bool changes_memory(const flow_node& n) {
  return n.traits.action == action::store || n.traits.action == action::update || n.traits.action == action::copy ||
         n.traits.unit == unit::asynchronous;
}

class analysis {
 public:
  analysis(const code_flow& code, const deciders& decided, parameter_space parameters)
      : code_(code), parameters_(parameters), decided_(decided) {}

  std::vector<dependence> run() {
    const std::size_t count = code_.nodes.size();
    before_.resize(count);
    own_.resize(count);
    execution_.resize(count);
    apart_.resize(count);
    for (std::size_t k = 0; k < 256; ++k) uniform_.set(first_place(file::uniform) + k);
    for (std::size_t k = 0; k < 8; ++k) uniform_.set(first_place(file::uniform_predicate) + k);
    read_.resize(count);
    for (const std::uint32_t n : code_.order) own_[n] = own_inputs(n), read_[n] = read(n);
    do changed_ = false, flow_on(), decide();
    while (changed_);
    std::vector<dependence> all(count);
    for (const std::uint32_t n : code_.order) {
      places where;
      for (const operand& o : operands_of(code_.instruction_at(n)))
        if (o.role == role::read && o.is_address) add_place(where, o);
      const inputs execution = execution_[n] | guard_of(n) | apart_[n].now;
      all[n] = {true, inputs_of(n, where, code_.nodes[n].under).without(by_lane), execution.without(by_lane)};
    }
    return all;
  }

 private:
  using state = std::array<guarded_places, source_count>;

  // What an instruction is, beside the registers that it names.
  struct reading {
    places guard;
    std::optional<std::size_t> window;   // the operand that tells whose shared memory it is, and not where in it
    std::optional<std::size_t> barrier;  // that is set, or waited at
    bool meets_all = false;              // all lanes of the warp
  };
  reading read(std::uint32_t n) const {
    reading r;
    const flow_node& at = code_.nodes[n];
    const instruction i = code_.instruction_at(n);
    const std::vector<operand> all = operands_of(i);
    // It stands first.
    if (!at.kills && !all.empty() && all.front().role == role::read) add_place(r.guard, all.front());
    // LEA UR4, CgaCtaId, UR4, 0x18: which block of the cluster has it, above the bits that tell where in shared memory.
    if ((at.op == opcode::ULEA || at.op == opcode::LEA) && std::get<scaled_add>(fields_of(i)).shift >= window_bits)
      for (const operand& o : all)
        if (o.role == role::read && (o.file == file::vector || o.file == file::uniform)) {
          r.window = first_place(o.file) + o.first;
          break;
        }
    for (const operand& o : all)
      if (o.file == file::barrier && o.first < barrier_count && at.op != opcode::BREAK &&
          (o.role == role::write || at.op == opcode::BSYNC))
        r.barrier = o.first;
    r.meets_all = at.op == opcode::WARPSYNC_I && at.kills && at.reads.none() &&
                  std::get<lane_gathering>(fields_of(i)).lanes == ~0u;
    return r;
  }

  // From outside of registers: constants and special registers.
  inputs own_inputs(std::uint32_t n) const {
    const instruction i = code_.instruction_at(n);
    inputs found;
    for (const constant_operand& c : constant_operands_of(i)) {
      if (c.is_described) found = found | of(input::data) | of(input::arguments);
      if (c.bank == program_constants) found = found | of(input::data);
      const bool is_behind = c.offset + c.bytes <= parameters_.first;
      if (c.bank == 0 && (c.is_indexed || (!is_behind && c.offset < parameters_.first + parameters_.bytes)))
        found = found | of(input::arguments);
    }
    const fields f = fields_of(i);
    if (const auto* s = std::get_if<special_register_read>(&f)) {
      if (block_axis(s->number) >= 0 || s->number == special_number::sr_cgactaid) found = found | of(input::block);
      if (tells_time(s->number)) found = found | of(input::time);
      if (tells_lane(s->number)) found = found | of(by_lane);
    }
    return found;
  }

  inputs inputs_of(std::uint32_t n, const places& which, guard where = no_guard) const {
    inputs found;
    for (std::size_t k = 0; k < source_count; ++k)
      if ((before_[n][k].where(where) & which).any()) found = found | of(sources[k]);
    return found;
  }
  inputs guard_of(std::uint32_t n) const { return inputs_of(n, read_[n].guard); }
  // Of lanes that execute it nobody asks whether they do.
  inputs guard_in_value(std::uint32_t n) const { return code_.nodes[n].under == no_guard ? guard_of(n) : inputs(); }

  // What it leaves in its results.
  inputs value_of(std::uint32_t n) const {
    const flow_node& at = code_.nodes[n];
    places read = at.reads | at.data;
    if (at.under != no_guard) read &= ~read_[n].guard;
    if (const auto window = read_[n].window)
      return inputs_of(n, places(read).reset(*window), at.under) |
             inputs_of(n, places().set(*window), at.under).without(input::block);
    inputs value = inputs_of(n, read, at.under) | own_[n];
    if (tells_all_the_same(at.op)) return value.without(by_lane);
    if (touches(at.traits.space, space::constant) || at.traits.action == action::none) return value;
    if (touches(at.traits.space, space::shared)) value = value | in_shared_.without(by_lane);
    if (touches(at.traits.space, space::local)) value = value | in_local_;
    if (touches(at.traits.space, space::global)) {
      // Where the data stands is no input.
      const bool at_argument = at.traits.action == action::load && at.traits.space == space::global;
      const inputs lanes = value.has(by_lane) ? of(by_lane) : inputs();
      value = (at_argument ? guard_in_value(n) | lanes : value) | of(input::data);
    }
    if (at.traits.action == action::update || at.traits.unit == unit::asynchronous)
      value = value | of(input::time) | of(by_lane);
    return value;
  }

  // What it leaves in memory: an atomic's sum does not tell who came first.
  inputs stored_by(std::uint32_t n) const {
    const flow_node& at = code_.nodes[n];
    inputs value = inputs_of(n, at.reads | at.data, at.under) | guard_of(n) | own_[n] | execution_[n];
    const bool copies = at.traits.action == action::copy || at.traits.unit == unit::asynchronous;
    if (copies) value = value | of(input::data);
    return value;
  }

  // What depends on an input after it, if its value does, or its guard.
  guarded_places behind_of(std::uint32_t n, std::size_t k, bool value, bool by_guard) const {
    const flow_node& at = code_.nodes[n];
    guarded_places behind = before_[n][k];
    if (at.writes.none()) return behind;
    const places written = sources[k] == by_lane ? at.writes & ~uniform_ : at.writes;
    if (at.kills || (at.under != no_guard && !by_guard))
      behind.remove(at.under, at.writes & ~at.kept);
    else
      behind.hide(at.under, at.writes & ~at.kept);
    if (value) behind.put(at.under, written);
    if (by_guard && at.under != no_guard) behind.mark(at.under, written);
    behind.forget(at.writes);
    return behind;
  }

  void flow_on() {
    work_list work(code_);
    while (const auto next = work.take()) {
      const std::uint32_t n = *next;
      const flow_node& at = code_.nodes[n];
      meet(n);
      if (changes_memory(at)) {
        const inputs stored = stored_by(n);
        if (touches(at.traits.space, space::shared)) grow(in_shared_, stored);
        if (touches(at.traits.space, space::local)) grow(in_local_, stored);
      }
      const inputs value = value_of(n), by_guard = guard_of(n);
      const parting after = parting_behind(n);
      for (const std::uint32_t to : at.next)
        if (apart_[to].add(after)) changed_ = true, work.put(to);
      for (std::size_t k = 0; k < source_count; ++k) {
        // Nothing depends on it here, or after this.
        if (before_[n][k].all().none() && !value.has(sources[k]) && !by_guard.has(sources[k])) continue;
        const guarded_places behind = behind_of(n, k, value.has(sources[k]), by_guard.has(sources[k]));
        for (const std::uint32_t to : at.next) {
          const guard held = code_.held_on_way(n, to);
          if (!(held == no_guard ? before_[to][k].add(behind) : before_[to][k].add(on_way(code_, behind, n, to))))
            continue;
          changed_ = true;
          work.put(to);
        }
      }
    }
  }

  // Lanes that a branch has parted meet again at the BSYNC of the BSSY before it, or all at a WARPSYNC. Until then an instruction may be
  // executed by one part of them after the other.
  struct parting {
    inputs now;                                 // what parted them
    std::array<inputs, barrier_count> saved{};  // where each barrier was set

    bool add(const parting& p) {
      const parting before = *this;
      now = now | p.now;
      for (std::size_t k = 0; k < barrier_count; ++k) saved[k] = saved[k] | p.saved[k];
      return !(before.now == now && before.saved == saved);
    }
  };
  parting parting_behind(std::uint32_t n) const {
    parting p = apart_[n];
    const flow_node& at = code_.nodes[n];
    if (at.next.size() > 1 && condition_of(n).has(by_lane)) p.now = p.now | condition_of(n).without(by_lane);
    if (read_[n].meets_all) p.now = {};
    if (const auto barrier = read_[n].barrier) {
      const inputs before = p.saved[*barrier];
      if (at.op == opcode::BSSY)
        p.saved[*barrier] = at.kills ? p.now : p.now | before;
      else if (at.op == opcode::BSYNC)
        p.now = at.kills ? before : p.now | before;
      else
        p.saved[*barrier] = all_inputs;
    }
    return p;
  }

  inputs condition_of(std::uint32_t branch) const {
    return inputs_of(branch, code_.nodes[branch].reads) | own_[branch];
  }

  // Within a loop nothing depends on how often it goes round, but behind it what it leaves.
  void meet(std::uint32_t n) {
    for (const auto& [branch, written] : decided_.meetings[n]) {
      const inputs by = condition_of(branch);
      for (std::size_t k = 0; k < source_count; ++k) {
        if (!by.has(sources[k])) continue;
        // What a lane had before the branch tells which way it went where the way tells what it had.
        const places told = written | before_[branch][k].all();
        if (before_[n][k].add(told)) changed_ = true;
      }
    }
  }

  // What branches depend on is what they decide depends on.
  void decide() {
    for (bool grew = true; grew;) {
      grew = false;
      for (const std::uint32_t n : code_.order)
        for (const std::uint32_t by : decided_.by[n]) {
          const inputs before = execution_[n];
          grow(execution_[n], condition_of(by) | execution_[by]);
          grew |= execution_[n] != before;
        }
    }
  }

  void grow(inputs& to, inputs by) {
    const inputs sum = to | by;
    changed_ |= sum != to;
    to = sum;
  }

  const code_flow& code_;
  const parameter_space parameters_;
  const deciders& decided_;
  std::vector<state> before_;  // what registers depend on, before each instruction
  std::vector<inputs> own_, execution_;
  std::vector<reading> read_;
  std::vector<parting> apart_;
  places uniform_;  // registers that all lanes share
  inputs in_shared_, in_local_;
  bool changed_ = false;
};

}  // namespace

std::vector<dependence> dependences_of(const code_flow& code, parameter_space parameters) {
  std::vector<dependence> unknown(code.code.size() / instruction_bytes);
  if (!code.complete || code.has_calls_out) return unknown;
  const code_flow by_call = with_call_copies(code);
  const auto decided = deciders_of(by_call);
  if (!decided) return unknown;
  const std::vector<dependence> each = analysis(by_call, *decided, parameters).run();
  // What an instruction is in any copy of it.
  std::vector<dependence> all = unknown;
  for (const std::uint32_t n : by_call.order) {
    dependence& d = all[by_call.original(n)];
    d = {true, d.address | each[n].address, d.execution | each[n].execution};
  }
  return all;
}

}  // namespace bankwise::sass
