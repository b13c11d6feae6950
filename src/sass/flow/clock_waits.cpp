// Compares, in each short loop without accesses to memory, what its instructions read with what its rounds write.
#include "sass/flow/clock_waits.hpp"

#include <algorithm>
#include <variant>

#include "sass/fields/fields.hpp"
#include "sass/flow/back_jumps.hpp"
#include "sass/operand/branch.hpp"
#include "sass/operand/operands.hpp"
#include "sass/special_register.hpp"

namespace bankwise::sass {

namespace {

constexpr std::size_t longest_wait = 32;  // a longer loop is assumed to do more than waiting

instruction at_index(byte_span code, isa set, std::size_t n) {
  return load_instruction(code.data() + n * instruction_bytes, set);
}

// Whether an instruction of a waiting loop may be here. The loop's last instruction is its only jump back.
bool may_wait_with(const instruction& i, std::size_t n, std::size_t first, std::size_t last) {
  const opcode_info* const info = i.info();
  if (info == nullptr) return false;
  if (info->op == opcode::YIELD || info->op == opcode::NANOSLEEP_I || info->op == opcode::NANOSLEEP_R) return true;
  if (info->op == opcode::BRA || info->op == opcode::BRA_U) {
    const std::uint64_t to = branch_target(i, n * instruction_bytes) / instruction_bytes;
    return n == last || to < first || to > last;
  }
  const opcode_traits& t = traits_of(info->op);
  const bool reads_constant = touches(t.space, space::constant) && t.action == action::load;
  return t.flow == flow::next && (t.action == action::none || reads_constant) && !t.names_place && !t.calls_or_returns;
}

// Whether each round of the loop only depends on values from before the loop, and on the clock.
bool only_waits(byte_span code, isa set, std::size_t first, std::size_t last) {
  std::vector<reads_and_writes> all;
  register_set changed;
  for (std::size_t n = first; n <= last; ++n) {
    const instruction i = at_index(code, set, n);
    if (!may_wait_with(i, n, first, last)) return false;
    all.push_back(reads_and_writes_of(i));
    join(changed, all.back().writes);
  }
  for (std::size_t n = first; n <= last; ++n) {
    const auto& [reads, writes] = all[n - first];
    if (overlap(reads, changed)) return false;
    // Lanes whose guard is false keep the value of the round before.
    const instruction i = at_index(code, set, n);
    if (i.guard() == predicate_true && !i.guard_negated()) remove(changed, writes);
  }
  return true;
}

}  // namespace

bool reads_clock(const instruction& i) {
  const auto is_row_of = [&](opcode op) { return i.bits(0, 12) == info_of(op).bits; };  // fast, for most instructions
  if (!is_row_of(opcode::S2R) && !is_row_of(opcode::S2UR) && !is_row_of(opcode::CS2R)) return false;
  if (i.info() == nullptr) return false;
  const fields f = fields_of(i);
  const auto* const special = std::get_if<special_register_read>(&f);
  return special != nullptr && tells_clock(special->number);
}

std::vector<std::uint32_t> clock_waits(byte_span code, isa set) {
  std::vector<std::uint32_t> found;
  each_back_jump(code, set, [&](std::size_t first, std::size_t last) {
    if (first == last || last - first >= longest_wait) return;
    std::vector<std::uint32_t> reads;
    for (std::size_t at = first; at < last; ++at)
      if (reads_clock(at_index(code, set, at))) reads.push_back(static_cast<std::uint32_t>(at));
    if (!reads.empty() && only_waits(code, set, first, last)) found.insert(found.end(), reads.begin(), reads.end());
  });
  return found;
}

}  // namespace bankwise::sass
