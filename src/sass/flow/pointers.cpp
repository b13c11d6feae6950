// Follows the registers of an address backwards, to the origins of their values.
#include "sass/flow/pointers.hpp"

#include <utility>

#include "sass/fields/constant_operands.hpp"
#include "sass/fields/fields.hpp"
#include "sass/flow/guarded_places.hpp"
#include "sass/flow/straight_runs.hpp"

namespace bankwise::sass {

namespace {

bool touches_global(const flow_node& n) { return touches(n.traits.space, space::global); }
bool puts(const flow_node& n) { return n.traits.action == action::store || n.traits.action == action::update; }

class walk {
 public:
  explicit walk(const code_flow& code)
      : code_(code), runs_(code), starts_(code.nodes.size()), before_(runs_.size()), is_source_(code.nodes.size()) {
    found_.unknown = !code.complete || code.has_calls_out;
  }

  void start(std::uint32_t n) {
    const flow_node& at = code_.nodes[n];
    if (at.traits.unit == unit::memory) {
      for (const operand& o : operands_of(code_.instruction_at(n)))
        if (o.role == role::read && o.is_address) add_place(starts_[n], o);
    } else if (at.op == opcode::UBLKCP || at.op == opcode::UBLKRED) {
      starts_[n] = at.reads;
    } else {
      found_.unknown = true;
    }
  }

  pointer_sources run() {
    if (found_.unknown) return std::move(found_);
    do flow_back();
    while (follow_memory());
    for (const std::uint32_t n : code_.order)
      if (is_source_[n]) take(n);
    return std::move(found_);
  }

 private:
  static bool comes_from_memory(const flow_node& n) {
    return n.traits.action != action::none && !touches(n.traits.space, space::constant);
  }
  // The places from which addresses may be computed: registers and stack words.
  static const places& numbers() {
    static const places all = [] {
      places p;
      for (const file f : {file::vector, file::uniform})
        for (std::size_t k = 0; k < 256; ++k) p.set(first_place(f) + k);
      for (std::size_t k = 0; k < stack_words; ++k) p.set(first_place(file::stack) + k);
      return p;
    }();
    return all;
  }

  void flow_back() {
    work_list work(code_, work_list::order::backward);
    while (const auto next = work.take()) {
      if (!runs_.is_last(*next)) continue;
      const std::uint32_t k = runs_.of(*next);
      const std::vector<std::uint32_t>& run = runs_[k];
      guarded_places wanted;
      for (const std::uint32_t to : code_.nodes[run.back()].next)
        wanted.add(on_way(code_, before_[runs_.of(to)], run.back(), to));
      for (std::size_t i = run.size(); i-- != 0;) {
        if (i + 1 != run.size()) wanted.assume(code_.held_on_way(run[i], run[i + 1]));
        pass(run[i], wanted);
      }
      if (wanted == before_[k]) continue;
      before_[k] = std::move(wanted);
      for (const std::uint32_t from : code_.nodes[run.front()].from) work.put(from);
    }
  }
  // Changes the places that determine an address after an instruction to those before it.
  void pass(std::uint32_t n, guarded_places& wanted) {
    const flow_node& at = code_.nodes[n];
    wanted.forget(at.writes);
    if ((at.writes & wanted.all()).any()) {  // rarely: most instructions compute no address
      if ((at.writes & wanted.where(at.under)).any()) is_source_[n] = true;
      if (at.kills || at.under != no_guard) wanted.remove(at.under, at.writes & ~at.kept);
    }
    if (is_source_[n] && !comes_from_memory(at)) wanted.put(at.under, at.reads & numbers());
    if (starts_[n].any()) wanted.put(at.under, starts_[n]);
  }

  // If a load may read values that the kernel stored, follows these values. Returns whether more values must be
  // followed.
  bool follow_memory() {
    space loaded = space::none;
    for (const std::uint32_t n : code_.order)
      if (is_source_[n] && comes_from_memory(code_.nodes[n])) loaded = loaded | code_.nodes[n].traits.space;
    bool changed = false;
    for (const std::uint32_t n : code_.order) {
      const flow_node& at = code_.nodes[n];
      if (!touches(at.traits.space, loaded) || !touches(at.traits.space, space::shared | space::local)) continue;
      if (at.traits.action == action::copy) found_.may_be_loaded = true;
      const places all = starts_[n] | (puts(at) ? at.data & numbers() : places());
      changed |= all != starts_[n];
      starts_[n] = all;
    }
    return changed;
  }

  void take(std::uint32_t n) {
    const flow_node& at = code_.nodes[n];
    const instruction i = code_.instruction_at(n);
    if (comes_from_memory(at)) {
      const fields f = fields_of(i);
      const auto* access = std::get_if<memory_access>(&f);
      const bool is_wide = access == nullptr || access->bytes >= 8;
      found_.may_be_loaded |= at.traits.unit != unit::memory || (touches_global(at) && is_wide);
      return;
    }
    for (const constant_operand& c : constant_operands_of(i)) {
      found_.unknown |= c.is_indexed || c.is_described;
      add_words(c.bank, c.offset, c.bytes);
    }
  }
  void add_words(unsigned bank, std::uint64_t offset, unsigned bytes) {
    for (unsigned k = 0; k < bytes; k += 4) found_.words.insert({bank, (offset & ~std::uint64_t{3}) + k});
  }

  const code_flow& code_;
  const straight_runs runs_;
  std::vector<places> starts_;  // for each instruction: the places that it reads and that must be followed
  // for each run: the places (registers and stack words) that determine a followed address just before the run
  std::vector<guarded_places> before_;
  std::vector<bool> is_source_;
  pointer_sources found_;
};

}  // namespace

pointer_sources pointer_sources_of(const code_flow& code, std::uint32_t n) {
  walk w(code);
  w.start(n);
  return w.run();
}

global_pointers global_pointers_of(const code_flow& code) {
  walk reads(code), writes(code);
  for (const std::uint32_t n : code.order) {
    const flow_node& at = code.nodes[n];
    if (!touches_global(at)) continue;
    if (at.traits.action != action::store) reads.start(n);
    if (at.traits.action != action::load && at.op != opcode::LDGSTS) writes.start(n);
  }
  return {reads.run(), writes.run()};
}

}  // namespace bankwise::sass
