// Makes a copy of the called function for each call. The search follows the code. For each reached instruction, the
// search keeps the current call, and the numbers in some registers. A number may be a return address, at which the
// search continues.
#include "sass/flow/call_copies.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sass/fields/fields.hpp"
#include "sass/operand/alu_operand.hpp"

namespace bankwise::sass {

namespace {

constexpr std::uint32_t no_call = ~0u;
constexpr std::size_t most_growth = 4, most_small = 20'000;

// The value of a register: not written yet, one known number, or several possible numbers.
struct known_number {
  enum class how : std::uint8_t { never, once, several } is = how::never;
  std::uint32_t value = 0;

  void meet(const known_number& other) {
    if (other.is == how::never || is == how::several) return;
    if (is == how::never)
      *this = other;
    else if (other.is == how::several || other.value != value)
      is = how::several;
  }
  friend bool operator==(const known_number&, const known_number&) = default;
};
using numbers = std::vector<known_number>;  // an element for each tracked register

class copier {
 public:
  explicit copier(const code_flow& code) : code_(code) {}

  code_flow run() {
    if (!code_.is_followed || !has_calls()) return code_;
    find_tracked();
    const std::size_t most = std::max(most_small, most_growth * code_.order.size());
    known_number several;
    several.is = known_number::how::several;
    reach({no_call, code_.entry}, numbers(tracked_.size(), several));
    while (!open_.empty()) {
      const place at = *open_.begin();
      open_.erase(open_.begin());
      step(at);
      if (states_.size() > most) return code_;
    }
    return build();
  }

 private:
  // The analysis keeps a state for each pair of a call and an instruction in the called function.
  using place = std::pair<std::uint32_t, std::uint32_t>;

  bool has_calls() const {
    return std::any_of(code_.order.begin(), code_.order.end(),
                       [&](std::uint32_t n) { return code_.nodes[n].op == opcode::CALL_REL; });
  }

  // An instruction that writes a number to a register or copies a register. Examples are "MOV R4, R10" and
  // "IMAD.MOV.U32 R4, RZ, RZ, 0x2fc0".
  struct copied {
    std::uint32_t to = 0;
    bool is_number = false;
    std::uint32_t from = 0;  // the number, or the copied register
  };
  std::optional<copied> copied_by(std::uint32_t n) const {
    const flow_node& at = code_.nodes[n];
    if (at.op != opcode::MOV && at.op != opcode::IMAD) return {};
    const instruction i = code_.instruction_at(n);
    alu_operand from = alu_operand_of(i, 'B', 'x');
    if (at.op == opcode::IMAD) {
      const alu_operand a = alu_operand_of(i, 'a', 'x'), b = alu_operand_of(i, 'b', 'x');
      from = alu_operand_of(i, 'c', 'x');
      const auto zero = [](const alu_operand& o) { return o.kind == operand_kind::vector && o.number == 255; };
      if (!zero(a) || !zero(b)) return {};
    }
    std::optional<std::uint32_t> to;
    for (const operand& o : operands_of(i))
      if (o.role == role::write && o.file == file::vector) to = o.first;
    if (!to || from.negated) return {};
    if (from.kind == operand_kind::immediate) return copied{*to, true, immediate_of(i)};
    if (from.kind == operand_kind::vector && from.number != 255) return copied{*to, false, from.number};
    return {};
  }

  // Finds the registers that return instructions read. Also finds the registers from which these registers are copied.
  void find_tracked() {
    std::set<std::uint32_t> all;
    for (const std::uint32_t n : code_.order)
      if (code_.nodes[n].op == opcode::RET)
        if (const auto r = return_register(n)) all.insert(*r);
    for (std::size_t before = 0; before != all.size();) {
      before = all.size();
      for (const std::uint32_t n : code_.order)
        if (const auto c = copied_by(n); c && !c->is_number && all.count(c->to) != 0) all.insert(c->from);
    }
    tracked_.assign(all.begin(), all.end());
  }
  std::optional<std::uint32_t> return_register(std::uint32_t n) const {
    for (const operand& o : operands_of(code_.instruction_at(n)))
      if (o.role == role::read && o.file == file::vector) return o.first;
    return {};
  }
  std::optional<std::size_t> index_of(std::uint32_t r) const {
    const auto at = std::lower_bound(tracked_.begin(), tracked_.end(), r);
    if (at == tracked_.end() || *at != r) return {};
    return static_cast<std::size_t>(at - tracked_.begin());
  }

  void reach(const place& to, const numbers& with) {
    const auto [at, is_new] = states_.try_emplace(to, with);
    bool changed = is_new;
    if (!is_new)
      for (std::size_t k = 0; k < with.size(); ++k) {
        const known_number before = at->second[k];
        at->second[k].meet(with[k]);
        changed |= !(before == at->second[k]);
      }
    if (changed) open_.insert(to);
  }

  void step(const place& at) {
    const auto [call, n] = at;
    const flow_node& node = code_.nodes[n];
    const numbers before = states_.at(at);
    numbers after = before;
    const auto copy = copied_by(n);
    for (std::size_t k = 0; k < tracked_.size(); ++k) {
      if (!node.writes[first_place(file::vector) + tracked_[k]]) continue;
      known_number made;
      made.is = known_number::how::several;
      if (copy && copy->to == tracked_[k]) {
        if (copy->is_number)
          made = {known_number::how::once, copy->from};
        else if (const auto from = index_of(copy->from))
          made = before[*from];
      }
      if (node.kills) after[k] = {};
      after[k].meet(made);
    }
    if (node.op == opcode::CALL_REL) {
      for (const std::uint32_t to : node.next) {
        const bool is_called = to != n + 1;
        if (is_called && callers_[n].insert(call).second)
          // The search may already have followed the function to its returns from another call. These returns also lead
          // to this caller.
          for (const auto& [where, state] : states_)
            if (where.first == n && code_.nodes[where.second].op == opcode::RET) open_.insert(where);
        reach({is_called ? n : call, to}, after);
      }
      return;
    }
    for (const place& to : ways_from(at)) reach(to, after);
  }

  std::set<place> ways_from(const place& at) const {
    const auto [call, n] = at;
    const flow_node& node = code_.nodes[n];
    std::set<place> to;
    if (node.op == opcode::CALL_REL) {
      for (const std::uint32_t next : node.next) to.insert({next != n + 1 ? n : call, next});
      return to;
    }
    if (node.op != opcode::RET) {
      for (const std::uint32_t next : node.next) to.insert({call, next});
      return to;
    }
    const std::optional<std::uint32_t> only = returns_to(at);
    for (const std::uint32_t next : node.next) {
      if (!node.kills && next == n + 1) to.insert({call, next});
      if (only && next != *only) continue;
      const auto from = callers_.find(call);
      if (from == callers_.end())
        to.insert({call, next});
      else
        for (const std::uint32_t caller : from->second) to.insert({caller, next});
    }
    return to;
  }
  // The target of a return instruction, if its register contains one known number.
  std::optional<std::uint32_t> returns_to(const place& at) const {
    const auto r = return_register(at.second);
    const auto k = r ? index_of(*r) : std::nullopt;
    if (!k) return {};
    const known_number& has = states_.at(at)[*k];
    if (has.is != known_number::how::once) return {};
    const std::vector<std::uint32_t>& possible = code_.nodes[at.second].next;
    for (const std::uint64_t base : {std::uint64_t{0}, code_.address}) {
      const auto offset = static_cast<std::uint32_t>(has.value - base);
      const std::uint32_t to = offset / instruction_bytes;
      if (offset % instruction_bytes == 0 && std::find(possible.begin(), possible.end(), to) != possible.end())
        return to;
    }
    return {};
  }

  code_flow build() {
    code_flow f;
    f.code = code_.code;
    f.entry = code_.entry;
    f.address = code_.address;
    f.set = code_.set;
    f.complete = code_.complete;
    f.is_followed = true;
    f.has_calls_out = code_.has_calls_out;
    f.spills = code_.spills;
    f.nodes = code_.nodes;
    for (flow_node& n : f.nodes) {
      n.next.clear();
      n.from.clear();
      n.reached = false;
    }
    std::map<place, std::uint32_t> number;
    for (const auto& [at, state] : states_) {
      if (at.first == no_call) {
        number[at] = at.second;
        continue;
      }
      number[at] = static_cast<std::uint32_t>(f.nodes.size());
      f.copy_of.push_back(at.second);
      f.nodes.push_back(f.nodes[at.second]);
    }
    for (const auto& [at, n] : number) {
      f.nodes[n].reached = true;
      for (const place& to : ways_from(at)) f.nodes[n].next.push_back(number.at(to));
    }
    for (std::uint32_t n = 0; n < f.nodes.size(); ++n) {
      if (!f.nodes[n].reached) continue;
      f.order.push_back(n);
      for (const std::uint32_t to : f.nodes[n].next) f.nodes[to].from.push_back(n);
    }
    return f;
  }

  const code_flow& code_;
  std::vector<std::uint32_t> tracked_;
  std::map<place, numbers> states_;  // for each reached instruction, the state before it
  std::set<place> open_;
  // For each call instruction: the calls of the function that contains this instruction. After a return from the call,
  // one of them is the current call again.
  std::map<std::uint32_t, std::set<std::uint32_t>> callers_;
};

}  // namespace

code_flow with_call_copies(const code_flow& code) { return copier(code).run(); }

}  // namespace bankwise::sass
