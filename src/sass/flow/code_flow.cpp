#include "sass/flow/code_flow.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "sass/fields/fields.hpp"
#include "sass/operand/address.hpp"
#include "sass/operand/branch.hpp"

namespace bankwise::sass {

namespace {

constexpr std::size_t most_instructions = std::size_t{1} << 20;
// for each register file, the number of its first place
constexpr std::size_t first_of[] = {0, 0, 256, 512, 520, 528, 560, 562};

class flow_reader {
 public:
  flow_reader(byte_span code, isa set) {
    f_.code = code;
    f_.set = set;
    if (code.size() / instruction_bytes > most_instructions) return;
    f_.nodes.resize(code.size() / instruction_bytes);
    is_return_place_.resize(f_.nodes.size());
  }

  code_flow run(std::uint64_t entry, std::uint64_t address) {
    address_ = f_.address = address;
    f_.entry = static_cast<std::uint32_t>(entry / instruction_bytes);
    f_.is_followed = entry % instruction_bytes == 0 && go(entry / instruction_bytes, nullptr) && follow();
    f_.complete = f_.is_followed && !has_collectives_;
    for (std::uint32_t n = 0; n < f_.nodes.size(); ++n) {
      if (!f_.nodes[n].reached) continue;
      f_.order.push_back(n);
      for (const std::uint32_t to : f_.nodes[n].next) f_.nodes[to].from.push_back(n);
    }
    if (f_.complete) find_spills(entry / instruction_bytes);
    return std::move(f_);
  }

 private:
  bool go(std::uint64_t to, flow_node* from) {
    if (to >= f_.nodes.size()) return false;
    if (from != nullptr) from->next.push_back(static_cast<std::uint32_t>(to));
    if (!f_.nodes[to].reached) found_.push_back(static_cast<std::uint32_t>(to));
    f_.nodes[to].reached = true;
    return true;
  }

  // Follows the code from the entry. Returns false if it is unknown where lanes continue.
  bool follow() {
    std::vector<std::uint32_t> returns;
    bool has_calls = false;
    while (!found_.empty()) {
      const std::uint32_t n = found_.front();
      found_.pop_front();
      flow_node& at = f_.nodes[n];
      const instruction i = f_.instruction_at(n);
      if (!describe(at, i, std::uint64_t{n} * instruction_bytes)) return false;
      has_collectives_ |= at.traits.names_place && at.traits.flow == flow::meets && row_fields(i).flag(".COLLECTIVE");
      if (at.traits.flow == flow::anywhere) return false;
      if (at.traits.calls_or_returns && at.op != opcode::CALL_REL && at.op != opcode::RET) {
        at.leaves = f_.has_calls_out = true;
        if (!at.kills && !go(n + 1, &at)) return false;
        continue;
      }
      const std::uint64_t target = branch_target(i, n * instruction_bytes) / instruction_bytes;
      const bool jumps = at.op == opcode::BRA || at.op == opcode::BRA_U || at.op == opcode::CALL_REL;
      if (jumps && !go(target, &at)) return false;
      if (at.op == opcode::CALL_REL && !has_calls) {
        has_calls = true;
        if (!return_places()) return false;
      }
      if (at.op == opcode::CALL_REL && !go(n + 1, nullptr)) return false;
      if (at.op == opcode::RET) returns.push_back(n);
      // Lanes whose guard is false, or that do not branch, continue at the next instruction.
      if (!ends_all(at, i) && !go(n + 1, &at)) return false;
    }
    for (const std::uint32_t r : returns)
      for (std::uint32_t b = 0; b < f_.nodes.size(); ++b)
        if (is_return_place_[b]) f_.nodes[r].next.push_back(b);
    return true;
  }
  // Finds the addresses to which calls may return: the instructions after calls, and all addresses of the code that
  // occur as numbers in the code.
  bool return_places() {
    std::size_t count = f_.nodes.size();
    // The padding at the end of the section is not executed.
    while (count != 0 && opcode_at(count - 1) == opcode::NOP) --count;
    for (std::size_t n = 0; n < count; ++n) {
      const instruction i = f_.instruction_at(n);
      if (i.info() == nullptr) continue;
      if (i.info()->op == opcode::CALL_REL && n + 1 < count) is_return_place_[n + 1] = true;
      if (traits_of(i.info()->op).unit == unit::control) continue;
      for (const std::uint32_t number : i.possible_addresses())
        for (const std::uint64_t base : {std::uint64_t{0}, address_}) {
          const auto offset = static_cast<std::uint32_t>(number - base);
          if (offset != 0 && offset % instruction_bytes == 0 && offset / instruction_bytes < count)
            is_return_place_[offset / instruction_bytes] = true;
        }
    }
    for (std::size_t n = 0; n < count; ++n)
      if (is_return_place_[n] && !go(n, nullptr)) return false;
    return true;
  }
  std::optional<opcode> opcode_at(std::size_t n) const {
    const opcode_info* const info = f_.instruction_at(n).info();
    return info == nullptr ? std::optional<opcode>() : info->op;
  }
  static bool ends_all(const flow_node& at, const instruction& i) {
    if (!at.kills || at.traits.flow != flow::ends) return false;
    if (at.op == opcode::BRA) return has_no_condition(i) && branch_of(i).kind == branch_kind::plain;
    if (at.op == opcode::BRA_U) return false;
    return at.op == opcode::KILL || at.op == opcode::BPT || has_no_condition(i);
  }
  static predicate_operand condition_of(const instruction& i) { return row_fields(i).predicate("condition"); }
  static bool has_no_condition(const instruction& i) { return condition_of(i).is_true(); }

  // Whether the instruction reads values of inactive lanes or copies a value of one lane to all lanes.
  static bool crosses_lanes(const flow_node& n) {
    if (n.traits.unit == unit::uniform) return false;  // the guard of a uniform instruction applies to the whole warp
    if (n.traits.unit != unit::lanes && n.traits.unit != unit::memory) return true;
    switch (n.op) {
      case opcode::VOTE:
      case opcode::VOTEU:
      case opcode::MATCH:
      case opcode::REDUX:
      case opcode::CREDUX:
      case opcode::ELECT:
      case opcode::SHFL_RR:
      case opcode::SHFL_RI:
      case opcode::SHFL_IR:
      case opcode::SHFL_II:
      case opcode::R2UR:
      case opcode::LDSM:
      case opcode::STSM:
      case opcode::MOVM: return true;
      default: break;
    }
    const places shared = uniform_places() & n.writes;
    return shared.any();
  }
  static const places& uniform_places() {
    static const places all = [] {
      places p;
      for (std::size_t k = 0; k < 256; ++k) p.set(first_place(file::uniform) + k);
      for (std::size_t k = 0; k < 8; ++k) p.set(first_place(file::uniform_predicate) + k);
      return p;
    }();
    return all;
  }
  // Finds the two guards of a branch or EXIT: the guard for lanes that jump, and the guard for lanes that continue.
  static void find_ways(flow_node& to, const instruction& i, std::uint64_t at) {
    if (to.op != opcode::BRA && to.op != opcode::BRA_U && to.op != opcode::EXIT) return;
    std::vector<guard> all;  // a lane jumps if all these guards are true
    const auto add = [&](guard g) {
      if (g != no_guard) all.push_back(g);
    };
    // With !PT, a branch is never taken.
    if ((i.guard() == predicate_true && i.guard_negated()) || condition_of(i).is_never()) return;
    add(guard_of(false, i.guard(), i.guard_negated()));
    add(guard_of(false, condition_of(i).number, condition_of(i).negated));
    if (to.op != opcode::EXIT) {
      const branch b = branch_of(i);
      if (b.any || (b.kind != branch_kind::plain && b.kind != branch_kind::uniform)) return;
      if (b.kind == branch_kind::uniform && b.predicate == predicate_true && b.predicate_negated) return;
      if (b.kind == branch_kind::uniform) add(guard_of(true, b.predicate, b.predicate_negated));
      if (branch_target(i, at) == at + instruction_bytes) return;
      if (!all.empty()) to.if_jumped = all.front();
    }
    if (all.size() == 1) to.if_passed = opposite(all.front());
  }

  bool describe(flow_node& to, const instruction& i, std::uint64_t at) const {
    const opcode_info* const info = i.info();
    if (info == nullptr) return false;
    to.op = info->op;
    to.traits = traits_of(info->op);
    if (to.traits.unit == unit::texture) return false;
    to.kills = i.guard() == predicate_true && !i.guard_negated();
    const fields f = fields_of(i);
    const bool puts = to.traits.action == action::store || to.traits.action == action::update;
    const bool has_data = puts && (std::holds_alternative<memory_access>(f) ||
                                   std::holds_alternative<matrix_access>(f) || std::holds_alternative<tensor_move>(f));
    places where;
    for (const operand& o : operands_of(i)) {
      if (o.is_result && o.role == role::read)
        add_place(to.kept, o);
      else
        add_place(o.role == role::read ? to.reads : to.writes, o);
      if (o.is_address || o.file == file::predicate || o.file == file::uniform_predicate ||
          (o.file == file::uniform && to.traits.space == space::tensor_memory))
        add_place(where, o);
    }
    to.reads |= to.kept & ~to.writes;
    to.kept &= to.writes;
    if (!to.kills && !crosses_lanes(to)) to.under = guard_of(has_uniform_guard(to.op), i.guard(), i.guard_negated());
    find_ways(to, i, at);
    if (!has_data) return true;
    to.data = to.reads & ~where;
    to.reads &= where;
    return true;
  }

  // --- The stack

  static constexpr unsigned stack_pointer = 1;

  // Finds the instructions that set R1 before the first branch. No other instruction changes R1. Calls never return to
  // these instructions, even if some number in the code is the address of one.
  std::set<std::uint32_t> makers_of_stack(std::uint32_t n) const {
    std::set<std::uint32_t> makers;
    places pointer;
    pointer.set(first_place(file::vector) + stack_pointer);
    for (std::set<std::uint32_t> seen; seen.insert(n).second; n = f_.nodes[n].next[0]) {
      const flow_node& at = f_.nodes[n];
      const auto jumps_here = [&](std::uint32_t from) { return f_.nodes[from].op != opcode::RET; };
      if (std::count_if(at.from.begin(), at.from.end(), jumps_here) > 1 || at.traits.space == space::local) break;
      if ((at.writes & pointer).any()) {
        if (!at.kills || (at.reads & ~pointer).any()) return {};
        makers.insert(n);
      }
      if (at.next.size() != 1) break;
    }
    return makers;
  }
  // If the address of a load or store of local memory is R1 plus a constant, finds the stack words that it copies.
  static std::optional<std::pair<unsigned, unsigned>> words_at(const instruction& i) {
    const fields f = fields_of(i);
    const auto* access = std::get_if<memory_access>(&f);
    if (access == nullptr || access->bytes < 4) return {};
    const address& a = access->address;
    if (a.uniform_base || a.adds_uniform || a.base != stack_pointer || a.shift != 0) return {};
    const std::int64_t word = a.offset / 4, count = access->bytes / 4;
    if (a.offset < 0 || a.offset % 4 != 0 || word + count > static_cast<std::int64_t>(stack_words)) return {};
    return std::pair{static_cast<unsigned>(word), static_cast<unsigned>(count)};
  }
  void find_spills(std::uint64_t entry) {
    const std::set<std::uint32_t> makers = makers_of_stack(static_cast<std::uint32_t>(entry));
    const std::size_t pointer = first_place(file::vector) + stack_pointer;
    for (const std::uint32_t n : f_.order) {
      const flow_node& at = f_.nodes[n];
      if (makers.count(n) != 0) continue;
      if (at.leaves || at.writes[pointer] || at.data[pointer]) return;
      const bool is_local = at.traits.space == space::local;
      if (is_local ? !words_at(f_.instruction_at(n)).has_value() : at.reads[pointer]) return;
    }
    f_.spills = true;
    for (const std::uint32_t n : f_.order) {
      flow_node& at = f_.nodes[n];
      if (at.traits.space == space::generic) at.traits.space = space::shared | space::global;
      if (at.traits.space != space::local) continue;
      const auto [word, count] = *words_at(f_.instruction_at(n));
      at.is_spill = true;
      at.slot = static_cast<std::uint16_t>(word);
      const bool stores = at.traits.action == action::store;
      at.reads |= at.data;
      at.data.reset();
      for (unsigned k = 0; k < count; ++k) (stores ? at.writes : at.reads).set(first_place(file::stack) + word + k);
      at.traits.unit = unit::lanes;
      at.traits.space = space::none;
      at.traits.action = action::none;
    }
  }

  std::uint64_t address_ = 0;
  bool has_collectives_ = false;
  code_flow f_;
  std::vector<bool> is_return_place_;
  std::deque<std::uint32_t> found_;
};

}  // namespace

std::size_t first_place(file f) { return first_of[static_cast<unsigned>(f)]; }
std::size_t place_of(guard g) {
  const unsigned n = g / 2;
  return n < predicate_true ? first_place(file::predicate) + n
                            : first_place(file::uniform_predicate) + n - predicate_true;
}
void add_place(places& to, const operand& o) {
  for (unsigned n = 0; n < o.count; ++n) to.set(first_place(o.file) + o.first + n);
}

code_flow flow_of_code(byte_span code, isa set, std::uint64_t entry, std::uint64_t address) {
  return flow_reader(code, set).run(entry, address);
}

}  // namespace bankwise::sass
