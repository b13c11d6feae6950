// Computes the inputs on which each register depends. The analysis follows the edges of the code, one stretch of
// instructions at a time.
#include "sass/flow/dependence.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "sass/fields/constant_operands.hpp"
#include "sass/fields/fields.hpp"
#include "sass/flow/call_copies.hpp"
#include "sass/flow/deciders.hpp"
#include "sass/flow/guarded_inputs.hpp"
#include "sass/flow/stretches.hpp"
#include "sass/special_register.hpp"

namespace bankwise::sass {

namespace {

// The input of values that differ between the lanes of a warp. These values are lane indices, and values that are
// loaded with lane indices. Reports do not contain this input.
constexpr input by_lane = static_cast<input>(16);
constexpr std::size_t barrier_count = 32;
constexpr inputs all_inputs{15};
// the low bits of an address, which are the offset in the shared memory of a block
constexpr unsigned window_bits = 24;
constexpr unsigned program_constants = 3;  // the constant bank of __constant__ variables

constexpr inputs of(input i) { return {static_cast<std::uint8_t>(i)}; }
constexpr std::uint8_t lanes_alike = 0xff & ~16;  // all inputs except by_lane

// Whether the instruction is a vote or a reduction over the lanes, so that all lanes get the same result.
bool tells_all_the_same(opcode op) { return op == opcode::VOTE || op == opcode::REDUX || op == opcode::CREDUX; }
bool changes_memory(const flow_node& n) {
  return n.traits.action == action::store || n.traits.action == action::update || n.traits.action == action::copy ||
         n.traits.unit == unit::asynchronous;
}

template <class Use>
void for_each(const places& all, Use use) {
  for (std::size_t p = all._Find_first(); p < all.size(); p = all._Find_next(p)) use(p);
}

// The conditions of branches whose lanes have not joined again.
struct parting {
  inputs now;
  // for each barrier, the value of `now` at the time when the barrier was set
  std::array<inputs, barrier_count> saved{};

  // Adds the conditions of `p`. Returns whether any condition is new.
  bool add(const parting& p) {
    const parting before = *this;
    now = now | p.now;
    for (std::size_t k = 0; k < barrier_count; ++k) saved[k] = saved[k] | p.saved[k];
    return !(before.now == now && before.saved == saved);
  }
};

class analysis {
 public:
  analysis(const code_flow& code, const deciders& decided, parameter_space parameters)
      : code_(code), parameters_(parameters), decided_(decided), stretches_(code, decided) {}

  std::vector<dependence> run() {
    number_places();
    const std::size_t count = stretches_.size();
    read_.resize(code_.nodes.size());
    results_.resize(code_.nodes.size());
    for (const std::uint32_t n : code_.order) read_[n] = read(n);
    before_.assign(count, guarded_inputs(place_count_));
    apart_.resize(count);
    execution_.resize(count);
    condition_.resize(count);
    meets_.resize(count);
    for (const std::uint32_t n : code_.order)
      for (const deciders::meeting& m : decided_.meetings[n])
        meets_[stretches_.of(m.branch)].push_back(stretches_.of(n));
    waits_.assign(count, true);
    do flow_on();
    while (decide());
    for (const std::uint32_t n : code_.order)
      results_[n].execution = (results_[n].execution | execution_[stretches_.of(n)]).without(by_lane);
    return std::move(results_);
  }

 private:
  using number = std::uint16_t;  // number of a place among the places that the code uses

  // A range of `numbers_` or `written_`.
  struct range {
    std::uint32_t first = 0, count = 0;
  };
  // The places and inputs on which an instruction depends, and the places that it writes.
  struct reading {
    // the places on which the results depend; if the instruction's lanes depend on each other, the results also depend
    // on which lanes are active
    range value;
    range guard;
    range condition;
    range address;
    range writes;
    std::uint16_t forgets = 0;  // mask of the predicates that the instruction writes
    // the place that selects the block whose shared memory is accessed
    std::optional<number> window;
    std::optional<std::size_t> barrier;  // the convergence barrier that the instruction sets, or at which it waits
    bool meets_all = false;              // whether all lanes of the warp join here
    inputs own;                          // inputs other than registers
  };

  // Numbers the places that the code uses. Most of the roughly 1,000 places are unused.
  void number_places() {
    places named;
    for (const std::uint32_t n : code_.order) {
      const flow_node& at = code_.nodes[n];
      named |= at.reads;
      named |= at.data;
      named |= at.writes;
    }
    for_each(named, [&](std::size_t p) { number_[p] = static_cast<number>(place_count_++); });
  }
  range numbers_of(const places& all) {
    const std::size_t first = numbers_.size();
    for_each(all, [&](std::size_t p) { numbers_.push_back(number_[p]); });
    return range_from(first, numbers_.size());
  }
  static range range_from(std::size_t first, std::size_t end) {
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)};
  }

  reading read(std::uint32_t n) {
    reading r;
    const flow_node& at = code_.nodes[n];
    const instruction i = code_.instruction_at(n);
    const std::vector<operand> all = operands_of(i);
    places guard, address;
    // The first operand in the list is the guard.
    if (!at.kills && !all.empty() && all.front().role == role::read) add_place(guard, all.front());
    places value = at.reads | at.data;
    if (at.under != no_guard) value &= ~guard;
    // For example, LEA UR4, CgaCtaId, UR4, 0x18 shifts the rank of a block into the address bits above the offset in
    // shared memory.
    if ((at.op == opcode::ULEA || at.op == opcode::LEA) && std::get<scaled_add>(fields_of(i)).shift >= window_bits)
      for (const operand& o : all)
        if (o.role == role::read && (o.file == file::vector || o.file == file::uniform)) {
          value.reset(first_place(o.file) + o.first);
          r.window = number_[first_place(o.file) + o.first];
          break;
        }
    for (const operand& o : all) {
      if (o.file == file::barrier && o.first < barrier_count && at.op != opcode::BREAK &&
          (o.role == role::write || at.op == opcode::BSYNC))
        r.barrier = o.first;
      if (o.role == role::read && o.is_address) add_place(address, o);
    }
    r.meets_all = at.op == opcode::WARPSYNC_I && at.kills && at.reads.none() &&
                  std::get<lane_gathering>(fields_of(i)).lanes == ~0u;
    r.own = own_inputs(at.op, i);
    r.value = numbers_of(value);
    r.guard = numbers_of(guard);
    r.address = numbers_of(address);
    if (n == stretches_[stretches_.of(n)].back()) r.condition = numbers_of(at.reads);
    const std::size_t first = written_.size();
    for_each(at.writes, [&](std::size_t p) {
      written_.push_back({number_[p], at.kept[p], is_uniform(p) ? lanes_alike : std::uint8_t{0xff}});
      for (const bool uniform : {false, true}) {
        const std::size_t predicate = p - first_place(uniform ? file::uniform_predicate : file::predicate);
        if (predicate >= predicate_true) continue;
        r.forgets |= static_cast<std::uint16_t>(1u << guard_of(uniform, static_cast<unsigned>(predicate), false) / 2);
      }
    });
    r.writes = range_from(first, written_.size());
    return r;
  }
  // Whether all lanes share this register.
  static bool is_uniform(std::size_t place) {
    const auto is_in = [&](file f, std::size_t count) { return place - first_place(f) < count; };
    return is_in(file::uniform, 256) || is_in(file::uniform_predicate, 8);
  }

  inputs own_inputs(opcode op, const instruction& i) const {
    inputs found;
    for (const constant_operand& c : constant_operands_of(i)) {
      if (c.is_described) found = found | of(input::data) | of(input::arguments);
      if (c.bank == program_constants) found = found | of(input::data);
      const bool ends_before = c.offset + c.bytes <= parameters_.first;
      if (c.bank == 0 && (c.is_indexed || (!ends_before && c.offset < parameters_.first + parameters_.bytes)))
        found = found | of(input::arguments);
    }
    if (op != opcode::S2R && op != opcode::S2UR && op != opcode::CS2R) return found;
    const unsigned special = std::get<special_register_read>(fields_of(i)).number;
    if (block_axis(special) >= 0 || special == special_number::sr_cgactaid) found = found | of(input::block);
    if (tells_time(special)) found = found | of(input::time);
    if (tells_lane(special)) found = found | of(by_lane);
    return found;
  }

  inputs inputs_of(const guarded_inputs::row& at, range which) const {
    inputs found;
    for (const number k : std::span(numbers_).subspan(which.first, which.count)) found.bits |= at[k];
    return found;
  }

  // Returns the inputs of an instruction's results. The condition for the execution is not an input, because it is true
  // in all lanes that execute the instruction.
  inputs value_of(std::uint32_t n, const guarded_inputs& before, inputs by_guard) const {
    const flow_node& at = code_.nodes[n];
    const reading& r = read_[n];
    const guarded_inputs::row& here = before.where(at.under);
    inputs value = inputs_of(here, r.value);
    if (r.window) return value | inputs{here[*r.window]}.without(input::block);
    value = value | r.own;
    if (tells_all_the_same(at.op)) return value.without(by_lane);
    if (touches(at.traits.space, space::constant) || at.traits.action == action::none) return value;
    if (touches(at.traits.space, space::shared)) value = value | in_shared_.without(by_lane);
    if (touches(at.traits.space, space::local)) value = value | in_local_;
    if (touches(at.traits.space, space::tensor_memory)) return value | of(input::data) | of(by_lane);
    if (touches(at.traits.space, space::global)) {
      // A parameter is not an input if it is only the address of loaded data.
      const bool at_argument = at.traits.action == action::load && at.traits.space == space::global;
      const inputs lanes = value.has(by_lane) ? of(by_lane) : inputs();
      const inputs guarding = at.under == no_guard ? by_guard : inputs();
      value = (at_argument ? guarding | lanes : value) | of(input::data);
    }
    if (at.traits.action == action::update || at.traits.unit == unit::asynchronous)
      value = value | of(input::time) | of(by_lane);
    return value;
  }

  // Returns the inputs of the stored values. For an atomic, the order of the lanes is not an input.
  inputs stored_by(std::uint32_t n, const guarded_inputs& before, inputs by_guard) const {
    const flow_node& at = code_.nodes[n];
    const reading& r = read_[n];
    const guarded_inputs::row& here = before.where(at.under);
    inputs value = inputs_of(here, r.value) | by_guard | r.own | execution_[stretches_.of(n)];
    if (r.window) value.bits |= here[*r.window];
    const bool copies = at.traits.action == action::copy || at.traits.unit == unit::asynchronous;
    if (copies) value = value | of(input::data);
    return value;
  }

  void flow_on() {
    while (next_ < waits_.size()) {
      const std::uint32_t k = next_++;
      if (!waits_[k]) continue;
      waits_[k] = false;
      meet(k);
      go_along(k);
      for (const std::uint32_t where : meets_[k]) put(where);
    }
  }
  void put(std::uint32_t stretch) {
    waits_[stretch] = true;
    next_ = std::min(next_, stretch);
  }

  void go_along(std::uint32_t k) {
    const std::vector<std::uint32_t>& all = stretches_[k];
    guarded_inputs at = before_[k];
    parting apart = apart_[k];
    for (std::size_t place = 0; place < all.size(); ++place) {
      const std::uint32_t n = all[place];
      if (place != 0) at.assume(code_.held_on_way(all[place - 1], n));
      step(n, at, apart);
    }
    const std::uint32_t last = all.back();
    for (const std::uint32_t next : code_.nodes[last].next) {
      const std::uint32_t to = stretches_.of(next);
      bool grew = apart_[to].add(apart);
      if (const guard held = code_.held_on_way(last, next); held == no_guard) {
        grew |= before_[to].add(at);
      } else {
        guarded_inputs there = at;
        there.assume(held);
        grew |= before_[to].add(there);
      }
      if (grew) put(to);
    }
  }

  // Changes the state before an instruction to the state after it.
  void step(std::uint32_t n, guarded_inputs& at, parting& apart) {
    const flow_node& node = code_.nodes[n];
    const reading& r = read_[n];
    const inputs by_guard = inputs_of(at.all(), r.guard);
    results_[n] = {true, inputs_of(at.where(node.under), r.address).without(by_lane), by_guard | apart.now};
    if (changes_memory(node)) {
      const inputs stored = stored_by(n, at, by_guard);
      if (touches(node.traits.space, space::shared)) grow(in_shared_, stored, space::shared);
      if (touches(node.traits.space, space::local)) grow(in_local_, stored, space::local);
    }
    if (const std::uint32_t k = stretches_.of(n); n == stretches_[k].back())
      condition_[k] = inputs_of(at.all(), r.condition) | r.own;
    part(n, apart);
    if (r.writes.count == 0) return;
    const inputs value = value_of(n, at, by_guard);
    at.write({std::span(written_).subspan(r.writes.first, r.writes.count), node.under, node.kills, value.bits,
              by_guard.bits});
    for (unsigned k = 0; r.forgets >> k != 0; ++k)
      if ((r.forgets >> k & 1) != 0) at.forget(static_cast<guard>(2 * k));
  }

  // Adds inputs to the values in memory. If an input is new, loads from this memory must be examined again.
  void grow(inputs& in_memory, inputs by, space where) {
    const inputs sum = in_memory | by;
    if (sum == in_memory) return;
    in_memory = sum;
    for (const std::uint32_t n : code_.order)
      if (touches(code_.nodes[n].traits.space, where)) put(stretches_.of(n));
  }

  // After a branch, lanes may be on different paths. The lanes join at the BSYNC for the BSSY before the branch, or at
  // a WARPSYNC. Until then, each path may execute the same instruction.
  void part(std::uint32_t n, parting& p) const {
    const flow_node& at = code_.nodes[n];
    if (at.next.size() > 1)
      if (const inputs condition = condition_[stretches_.of(n)]; condition.has(by_lane))
        p.now = p.now | condition.without(by_lane);
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
  }

  // Values depend on the number of rounds only after the loop.
  void meet(std::uint32_t k) {
    for (const auto& [branch, written] : decided_.meetings[stretches_[k].front()]) {
      const std::uint32_t from = stretches_.of(branch);
      const std::uint8_t by = condition_[from].bits;
      if (by == 0) continue;
      // A value that one of the paths writes depends on the path that the lane took.
      guarded_inputs::row told = before_[from].all();
      for (std::uint8_t& one : told) one &= by;
      for_each(written, [&](std::size_t p) { told[number_[p]] = by; });
      before_[k].add(told);
    }
  }

  // The condition of a branch decides whether instructions are executed. Adds the condition's inputs to these
  // instructions. Returns whether any input is new.
  bool decide() {
    bool changed = false;
    for (bool grew = true; grew;) {
      grew = false;
      for (std::uint32_t k = 0; k < stretches_.size(); ++k) {
        inputs sum = execution_[k];
        for (const std::uint32_t branch : decided_.by[stretches_[k].front()])
          sum = sum | condition_[stretches_.of(branch)] | execution_[stretches_.of(branch)];
        if (sum == execution_[k]) continue;
        execution_[k] = sum;
        grew = changed = true;
        for (const std::uint32_t n : stretches_[k])
          if (changes_memory(code_.nodes[n])) put(k);
      }
    }
    return changed;
  }

  const code_flow& code_;
  const parameter_space parameters_;
  const deciders& decided_;
  const stretches stretches_;
  std::array<number, sass::place_count> number_{};
  std::size_t place_count_ = 0;
  std::vector<reading> read_;
  std::vector<number> numbers_;
  std::vector<guarded_write::place> written_;
  std::vector<dependence> results_;
  // Each vector has one element for each stretch. `before_`: inputs of registers before the stretch. `apart_`:
  // conditions of branches whose lanes are still apart. `execution_`: inputs that decide whether the stretch is
  // executed. `condition_`: inputs of the condition of the stretch's branch. `meets_`: where the paths of this branch
  // join.
  std::vector<guarded_inputs> before_;
  std::vector<parting> apart_;
  std::vector<inputs> execution_, condition_;
  std::vector<std::vector<std::uint32_t>> meets_;
  std::vector<bool> waits_;  // for each stretch: whether it must be examined; false for all stretches before `next_`
  std::uint32_t next_ = 0;
  inputs in_shared_, in_local_;
};

}  // namespace

std::vector<dependence> dependences_of(const code_flow& code, parameter_space parameters) {
  std::vector<dependence> unknown(code.code.size() / instruction_bytes);
  if (!code.is_followed || code.has_calls_out) return unknown;
  const bool has_calls = std::any_of(code.order.begin(), code.order.end(),
                                     [&](std::uint32_t n) { return code.nodes[n].op == opcode::CALL_REL; });
  const code_flow copied = has_calls ? with_call_copies(code) : code_flow();
  const code_flow& by_call = has_calls ? copied : code;
  const auto decided = deciders_of(by_call);
  if (!decided) return unknown;
  const std::vector<dependence> each = analysis(by_call, *decided, parameters).run();
  // The inputs of an instruction are the inputs of all its copies.
  std::vector<dependence> all = unknown;
  for (const std::uint32_t n : by_call.order) {
    dependence& d = all[by_call.original(n)];
    d = {code.complete, d.address | each[n].address, d.execution | each[n].execution};
  }
  return all;
}

}  // namespace bankwise::sass
