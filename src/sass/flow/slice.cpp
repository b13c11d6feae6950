// Follows needed values backwards. If a needed load reads a memory, all stores to this memory become needed, and the
// search starts again.
#include "sass/flow/slice.hpp"

#include <utility>

#include "sass/fields.hpp"
#include "sass/flow/guarded_places.hpp"
#include "sass/operand/global_operation.hpp"

namespace bankwise::sass {

namespace {

class slicer {
 public:
  slicer(const code_flow& code, bool tells_global) : code_(code), tells_global_(tells_global) {}

  slice run() {
    const std::size_t count = code_.code.size() / instruction_bytes;
    s_.needed.assign(count, !code_.complete);
    s_.data_needed.assign(count, !code_.complete);
    s_.told.assign(count, false);
    if (!code_.complete) {
      s_.loaded = s_.written = space::generic;
      return std::move(s_);
    }
    before_.resize(count);
    for (const std::uint32_t n : code_.order) s_.needed[n] = is_root(code_.nodes[n]);
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

  // Returns the places that are needed after the instruction. Some places are needed in all lanes, others only in lanes
  // where a predicate is true or false.
  guarded_places wanted_after(std::uint32_t n) const {
    guarded_places wanted;
    bool is_first = true;
    for (const std::uint32_t to : code_.nodes[n].next) {
      const bool is_plain = code_.held_on_way(n, to) == no_guard;
      if (std::exchange(is_first, false))
        wanted = is_plain ? before_[to] : on_way(code_, before_[to], n, to);
      else
        wanted.add(is_plain ? before_[to] : on_way(code_, before_[to], n, to));
    }
    wanted.forget(code_.nodes[n].writes);
    return wanted;
  }
  bool result_is_wanted(std::uint32_t n, const guarded_places& wanted) const {
    const flow_node& at = code_.nodes[n];
    return tells_who_stored(at) || (at.writes & wanted.where(at.under)).any();
  }

  void flow_back() {
    work_list work(code_, work_list::order::backward);
    while (const auto next = work.take()) {
      const std::uint32_t n = *next;
      const flow_node& at = code_.nodes[n];
      guarded_places wanted = wanted_after(n);
      const bool has_result = result_is_wanted(n, wanted);
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
      if (wanted == before_[n]) continue;
      before_[n] = std::move(wanted);
      for (const std::uint32_t f : at.from) work.put(f);
    }
  }

  // Marks the stores to memory that needed loads read. Returns whether more instructions are needed than before.
  bool follow_memory() {
    for (const std::uint32_t n : code_.order) {
      const flow_node& at = code_.nodes[n];
      if (s_.needed[n] && loads(at) && result_is_wanted(n, wanted_after(n))) s_.loaded = s_.loaded | at.traits.space;
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
  std::vector<guarded_places> before_;  // the places that are needed before each instruction
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
