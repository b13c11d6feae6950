// Follows the code after a look at an mbarrier whose phase is not complete. Assumes that all further looks also find an
// incomplete phase.
#include "emulate/turns/phase_wait.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "sass/fields/fields.hpp"
#include "sass/operand/branch.hpp"
#include "sass/operand/operands.hpp"

namespace bankwise::emulate {

namespace {

constexpr std::size_t most_states = 4096;

// The values that are known in all lanes of the path. Registers are also tracked, because code compiled for debugging
// copies the result of a look to registers.
struct known_values {
  std::map<unsigned, bool> predicates;
  std::map<unsigned, std::uint32_t> registers;

  std::optional<bool> predicate(unsigned n, bool negated) const {
    if (n == sass::predicate_true) return !negated;
    const auto found = predicates.find(n);
    return found == predicates.end() ? std::nullopt : std::optional(found->second != negated);
  }
  // The predicate at this bit. Its negation is three bits above.
  std::optional<bool> predicate_at(const sass::instruction& i, unsigned bit) const {
    return predicate(static_cast<unsigned>(i.bits(bit, 3)), i.bit(bit + 3));
  }
  std::optional<std::uint32_t> in_register(unsigned n) const {
    if (n == sass::register_zero) return 0;
    const auto found = registers.find(n);
    return found == registers.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::uint32_t> operand_b(const sass::instruction& i) const {
    constexpr std::uint64_t from_register = 1, immediate = 4;
    if (i.bits(9, 3) == immediate) return static_cast<std::uint32_t>(i.bits(sass::slot::b, 32));
    if (i.bits(9, 3) != from_register || i.bits(40, 24) != 0) return std::nullopt;  // the operand has modifiers
    return in_register(static_cast<unsigned>(i.bits(sass::slot::b, 8)));
  }
  friend auto operator<=>(const known_values&, const known_values&) = default;
};

class phase_wait_search {
 public:
  phase_wait_search(byte_span code, sass::isa set) : code_(code), set_(set) {}

  std::vector<std::uint32_t> from(std::uint32_t look) {
    known_values begin;
    begin.predicates[look_result(at(look))] = false;
    if (!go(look + 1, begin)) return {};
    while (!open_.empty()) {
      const auto [n, known] = *open_.begin();
      open_.erase(open_.begin());
      if (!follow(n, known)) return {};
    }
    std::set<std::uint32_t> all{look};
    for (const state& s : seen_) all.insert(s.first);
    return {all.begin(), all.end()};
  }

 private:
  using state = std::pair<std::uint32_t, known_values>;

  sass::instruction at(std::uint32_t n) const {
    return sass::load_instruction(code_.data() + std::size_t{n} * sass::instruction_bytes, set_);
  }
  static unsigned look_result(const sass::instruction& i) { return static_cast<unsigned>(i.bits(81, 3)); }

  bool go(std::uint64_t n, const known_values& known) {
    if ((n + 1) * sass::instruction_bytes > code_.size()) return false;
    if (const state s{static_cast<std::uint32_t>(n), known}; seen_.insert(s).second) open_.insert(s);
    return seen_.size() <= most_states;
  }
  // Returns false if the path may leave the loop.
  bool follow(std::uint32_t n, const known_values& known) {
    const sass::instruction i = at(n);
    const sass::opcode_info* const info = i.info();
    if (info == nullptr) return false;
    const std::optional<bool> runs = known.predicate(i.guard(), i.guard_negated());
    if (runs == false) return go(n + 1, known);
    const sass::opcode_traits& t = sass::traits_of(info->op);
    if (info->op == sass::opcode::BRA || info->op == sass::opcode::BRA_U) return branch(n, i, runs, known);
    if (t.flow == sass::flow::ends || t.flow == sass::flow::anywhere) return false;
    const bool is_look = info->op == sass::opcode::SYNCS_PHASECHK;
    const bool is_harmless = t.action == sass::action::none || t.action == sass::action::load ||
                             (t.action == sass::action::store && t.space == sass::space::local);
    if (!is_look && !is_harmless) return false;
    return go(n + 1, after(i, info->op, runs == true, known));
  }
  bool branch(std::uint32_t n, const sass::instruction& i, std::optional<bool> runs, const known_values& known) {
    const std::uint64_t to = sass::branch_target(i, std::uint64_t{n} * sass::instruction_bytes);
    if (to % sass::instruction_bytes != 0) return false;
    const sass::branch b = sass::branch_of(i);
    const std::optional<bool> condition = known.predicate_at(i, 87);
    const bool never = condition == false, always = runs == true && condition == true &&
                                                    i.info()->op == sass::opcode::BRA &&
                                                    b.kind == sass::branch_kind::plain;
    return (never || go(to / sass::instruction_bytes, known)) && (always || go(n + 1, known));
  }
  // Returns the known values after the instruction. `surely`: whether the instruction is executed in any case.
  known_values after(const sass::instruction& i, sass::opcode op, bool surely, const known_values& before) const {
    known_values known = before;
    const sass::register_set writes = sass::reads_and_writes_of(i).writes;
    std::erase_if(known.predicates, [&](const auto& p) { return writes.predicates[p.first]; });
    std::erase_if(known.registers, [&](const auto& r) { return writes.vector[r.first]; });
    if (!surely) {
      // A further test of the incomplete phase has the same result.
      const unsigned p = look_result(i);
      if (op == sass::opcode::SYNCS_PHASECHK && before.predicate(p, false) == false) known.predicates[p] = false;
      return known;
    }
    const auto to = static_cast<unsigned>(i.bits(sass::slot::d, 8)),
               a = static_cast<unsigned>(i.bits(sass::slot::a, 8));
    std::optional<std::uint32_t> word;
    switch (op) {
      case sass::opcode::SYNCS_PHASECHK: known.predicates[look_result(i)] = false; break;
      case sass::opcode::MOV: word = before.operand_b(i); break;
      case sass::opcode::SEL:
        if (const auto first = before.predicate_at(i, 87)) word = *first ? before.in_register(a) : before.operand_b(i);
        break;
      case sass::opcode::ISETP: set_compared(i, before, known); break;
      case sass::opcode::PLOP3: set_logic(i, before, known); break;
      default: break;
    }
    if (word && to != sass::register_zero && writes.vector[to] && !writes.vector[to + 1]) known.registers[to] = *word;
    return known;
  }
  // Handles comparisons for equality. Comparisons with other conditions are not handled.
  static void set_compared(const sass::instruction& i, const known_values& before, known_values& known) {
    constexpr std::uint64_t equal = 2, unequal = 5;
    const std::uint64_t relation = i.bits(76, 3);
    const auto x = before.in_register(static_cast<unsigned>(i.bits(sass::slot::a, 8))), y = before.operand_b(i);
    const bool is_plain = i.bits(74, 2) == 0 && !i.bit(72) && before.predicate_at(i, 87) == true &&
                          i.bits(84, 3) == sass::predicate_true && (relation == equal || relation == unequal);
    if (is_plain && x && y) known.predicates[static_cast<unsigned>(i.bits(81, 3))] = (*x == *y) == (relation == equal);
  }
  static void set_logic(const sass::instruction& i, const known_values& before, known_values& known) {
    const sass::fields all = sass::fields_of(i);
    const auto* const f = std::get_if<sass::predicate_logic>(&all);
    const auto x = before.predicate_at(i, 87), y = before.predicate_at(i, 77), z = before.predicate_at(i, 68);
    if (f == nullptr || f->c_is_uniform || !x || !y || !z) return;
    const unsigned row = (*x ? 4u : 0u) | (*y ? 2u : 0u) | (*z ? 1u : 0u);
    known.predicates[static_cast<unsigned>(i.bits(81, 3))] = (f->table >> row & 1) != 0;
    known.predicates[static_cast<unsigned>(i.bits(84, 3))] = (f->second_table >> row & 1) != 0;
  }

  byte_span code_;
  sass::isa set_;
  std::set<state> seen_, open_;
};

}  // namespace

std::vector<std::uint32_t> phase_wait_at(byte_span code, sass::isa set, std::uint32_t look) {
  return phase_wait_search(code, set).from(look);
}

}  // namespace bankwise::emulate
