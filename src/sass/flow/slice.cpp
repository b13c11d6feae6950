// Follows needed values backwards. If a needed load reads a memory, all stores to this memory become needed, and the
// search starts again.
#include "sass/flow/slice.hpp"

#include <utility>

#include "sass/fields/fields.hpp"
#include "sass/fields/global_operation.hpp"
#include "sass/flow/guarded_places.hpp"
#include "sass/flow/straight_runs.hpp"

namespace bankwise::sass {

namespace {

class slicer {
 public:
  slicer(const code_flow& code, bool tells_global) : code_(code), tells_global_(tells_global), runs_(code) {}

  slice run() {
    const std::size_t count = code_.code.size() / instruction_bytes;
    s_.needed.assign(count, !code_.complete);
    s_.data_needed.assign(count, !code_.complete);
    s_.told.assign(count, false);
    if (!code_.complete) {
      s_.loaded = s_.written = space::generic;
      return std::move(s_);
    }
    before_.resize(runs_.size());
    result_wanted_.assign(code_.nodes.size(), false);
    for (const std::uint32_t n : code_.order)
      s_.needed[n] = is_root(code_.nodes[n]) || (tells_global_ && is_prefetch(code_.nodes[n].op));
    do flow_back();
    while (follow_memory());
    for (const std::uint32_t n : code_.order) {
      s_.told[n] = is_told(n);
      if (s_.needed[n]) s_.written = s_.written | written_by(n);
    }
    return std::move(s_);
  }

 private:
  static bool is_root(const flow_node& n) {
    if (may_touch_shared(n.op) || n.traits.unit == unit::control || n.traits.unit == unit::asynchronous) return true;
    const bool does_more = n.traits.action != action::none && n.traits.action != action::load;
    return n.traits.flow != flow::next || (n.traits.unit == unit::uniform && does_more) || n.op == opcode::USETMAXREG ||
           n.op == opcode::UCGABAR_ARV;
  }
  static bool is_prefetch(opcode op) { return op == opcode::UBLKPF || op == opcode::UTMAPF || op == opcode::UTMAPF_U; }
  bool is_told(std::uint32_t n) const { return tells_global_ && !s_.needed[n] && may_touch_global(code_.nodes[n].op); }
  static bool is_in_memory(const flow_node& n) {
    return n.traits.unit == unit::memory || n.traits.space == space::tensor_memory;
  }
  static bool loads(const flow_node& n) {
    return is_in_memory(n) && (n.traits.action == action::load || n.traits.action == action::update);
  }
  static bool puts(const flow_node& n) {
    return is_in_memory(n) && (n.traits.action == action::store || n.traits.action == action::update);
  }
  // Whether the instruction's counts depend on the set of lanes that stored.
  static bool tells_who_stored(const flow_node& n) {
    return n.op == opcode::ATOMS_CAS || n.op == opcode::ATOMS_CAST || n.op == opcode::ATOM_CAS;
  }

  // Returns the places that are needed after the last instruction of a run. Some places are needed in all lanes, others
  // only in lanes where a predicate is true or false.
  guarded_places wanted_after(std::uint32_t n) const {
    guarded_places wanted;
    bool is_first = true;
    for (const std::uint32_t to : code_.nodes[n].next) {
      const guarded_places& before = before_[runs_.of(to)];
      const bool is_plain = code_.held_on_way(n, to) == no_guard;
      if (std::exchange(is_first, false))
        wanted = is_plain ? before : on_way(code_, before, n, to);
      else
        wanted.add(is_plain ? before : on_way(code_, before, n, to));
    }
    return wanted;
  }

  void flow_back() {
    work_list work(code_, work_list::order::backward);
    while (const auto next = work.take()) {
      if (!runs_.is_last(*next)) continue;
      const std::uint32_t k = runs_.of(*next);
      const std::vector<std::uint32_t>& run = runs_[k];
      guarded_places wanted = wanted_after(run.back());
      for (std::size_t i = run.size(); i-- != 0;) {
        if (i + 1 != run.size()) wanted.assume(code_.held_on_way(run[i], run[i + 1]));
        pass(run[i], wanted);
      }
      if (wanted == before_[k]) continue;
      before_[k] = std::move(wanted);
      for (const std::uint32_t f : code_.nodes[run.front()].from) work.put(f);
    }
  }
  // Changes the places that are needed after an instruction to those that are needed before it.
  void pass(std::uint32_t n, guarded_places& wanted) {
    const flow_node& at = code_.nodes[n];
    wanted.forget(at.writes);
    const bool has_result = tells_who_stored(at) || (at.writes & wanted.where(at.under)).any();
    result_wanted_[n] = has_result;
    if (has_result) s_.needed[n] = true;
    if (has_result && at.traits.action == action::update) s_.data_needed[n] = true;
    if (s_.needed[n]) {
      if (at.kills || at.under != no_guard) wanted.remove(at.under, at.writes & ~at.kept);
      wanted.put(at.under, s_.data_needed[n] ? at.reads | at.data : at.reads);
      if (at.under != no_guard) wanted.put(no_guard, places().set(place_of(at.under)));
    } else if (is_told(n)) {
      wanted.put(at.under, told_reads(code_, n));
      if (at.under != no_guard) wanted.put(no_guard, places().set(place_of(at.under)));
    }
  }

  // Marks the stores to memory that needed loads read. Returns whether more instructions are needed than before.
  bool follow_memory() {
    for (const std::uint32_t n : code_.order) {
      const flow_node& at = code_.nodes[n];
      if (s_.needed[n] && loads(at) && result_wanted_[n]) s_.loaded = s_.loaded | at.traits.space;
    }
    bool changed = false;
    for (const std::uint32_t n : code_.order) {
      const flow_node& at = code_.nodes[n];
      const bool copies = at.traits.action == action::copy || at.traits.unit == unit::asynchronous;
      if ((!puts(at) && !copies) || !touches(at.traits.space, s_.loaded)) continue;
      // Operations that write tensor memory read shared memory. So stores to shared memory are also needed.
      if (copies && touches(at.traits.space, space::tensor_memory) && touches(s_.loaded, space::tensor_memory) &&
          !touches(s_.loaded, space::shared)) {
        s_.loaded = s_.loaded | space::shared;
        changed = true;
      }
      if (s_.needed[n] && s_.data_needed[n]) continue;
      s_.needed[n] = s_.data_needed[n] = changed = true;
      // The values that a copy stores come from the memory from which it copies.
      if (copies && touches(at.traits.space, space::shared) && touches(at.traits.space, space::global))
        s_.loaded = s_.loaded | space::global;
    }
    return changed;
  }

  // Returns the memory that an instruction writes. A copy accesses two memories, but writes only one.
  space written_by(std::uint32_t n) const {
    const flow_node& at = code_.nodes[n];
    if (at.traits.action == action::none || at.traits.action == action::load) return space::none;
    switch (at.op) {
      case opcode::LDGSTS:
      case opcode::UTMALDG:
      case opcode::UTMALDG_U: return space::shared;
      case opcode::UTCMMA:
      case opcode::UTCCP: return space::tensor_memory;
      case opcode::UBLKCP:
      case opcode::UBLKRED:
        return std::get<bulk_transfer>(fields_of(code_.instruction_at(n))).to_shared ? space::shared : space::global;
      default: return at.traits.space;
    }
  }

  const code_flow& code_;
  const bool tells_global_;
  slice s_;
  const straight_runs runs_;
  std::vector<guarded_places> before_;  // the places that are needed before each run
  std::vector<bool> result_wanted_;     // for each instruction: whether another instruction needs its result
};

}  // namespace

slice slice_of(const code_flow& code, bool tells_global) { return slicer(code, tells_global).run(); }

places told_reads(const code_flow& code, std::uint32_t n) {
  const flow_node& at = code.nodes[n];
  if (!at.is_spill) return at.reads;
  places address;
  for (const operand& o : operands_of(code.instruction_at(n)))
    if (o.role == role::read && (o.is_address || o.file == file::predicate)) add_place(address, o);
  return address;
}

}  // namespace bankwise::sass
