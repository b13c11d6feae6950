// Follows the old values of atomics through the registers and the shared memory of a loop.
#include "sass/flow/work_queues.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "sass/fields/fields.hpp"
#include "sass/operand/branch.hpp"
#include "sass/operand/operands.hpp"

namespace bankwise::sass {

namespace {

bool hands_out_numbers(const instruction& i, const opcode_traits& t) {
  if (t.action != action::update || !touches(t.space, space::global)) return false;
  const fields f = fields_of(i);
  const auto* const access = std::get_if<memory_access>(&f);
  if (access == nullptr || access->is_swap || access->reduces || access->result == register_zero) return false;
  return access->operation == atomic_op::add || access->operation == atomic_op::increment ||
         access->operation == atomic_op::decrement;
}

struct step {
  reads_and_writes registers;
  opcode_traits traits;
  bool hands_out = false;
  bool guarded = false;
};

// Whether a branch or an exit of the loop reads a value that comes from one of its atomics. Follows the values in the
// order of the code, and passes the loop three times, because values also reach the next round.
bool is_decided_by_number(const std::vector<step>& code, std::size_t first, std::size_t last) {
  constexpr int rounds = 3;
  register_set old_values;
  bool in_shared = false;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t n = first; n <= last; ++n) {
      const step& s = code[n];
      const bool touches_shared = touches(s.traits.space, space::shared);
      const bool loads_number = in_shared && s.traits.action == action::load && touches_shared;
      const bool uses_number = overlap(s.registers.reads, old_values);
      if (uses_number && s.traits.flow != flow::next) return true;
      if (uses_number && s.traits.action == action::store && touches_shared) in_shared = true;
      if (s.hands_out || loads_number || uses_number)
        join(old_values, s.registers.writes);
      else if (!s.guarded)
        remove(old_values, s.registers.writes);
    }
  return false;
}

}  // namespace

bool takes_work_in_loop(byte_span code, isa set) {
  std::vector<step> steps(code.size() / instruction_bytes);
  bool any = false;
  const auto at = [&](std::size_t n) { return load_instruction(code.data() + n * instruction_bytes, set); };
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const opcode_info* const info = at(n).info();
    if (info == nullptr) continue;
    steps[n].traits = traits_of(info->op);
    steps[n].guarded = at(n).guard() != predicate_true || at(n).guard_negated();
    any |= steps[n].hands_out = hands_out_numbers(at(n), steps[n].traits);
  }
  if (!any) return false;
  for (std::size_t n = 0; n < steps.size(); ++n) steps[n].registers = reads_and_writes_of(at(n));
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const instruction i = at(n);
    const opcode_info* const info = i.info();
    if (info == nullptr || (info->op != opcode::BRA && info->op != opcode::BRA_U)) continue;
    const std::uint64_t target = branch_target(i, n * instruction_bytes);
    const std::size_t first = target / instruction_bytes;
    if (target % instruction_bytes != 0 || first > n) continue;
    const auto is_queue = [](const step& s) { return s.hands_out; };
    const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::any_of(begin, steps.begin() + static_cast<std::ptrdiff_t>(n + 1), is_queue) &&
        is_decided_by_number(steps, first, n))
      return true;
  }
  return false;
}

}  // namespace bankwise::sass
