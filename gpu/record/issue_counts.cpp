#include "issue_counts.hpp"

#include <algorithm>
#include <optional>

#include "sass/fields/fields.hpp"
#include "sass/flow/basic_blocks.hpp"
#include "sass/instruction.hpp"

namespace bankwise::record {

namespace {

bool has_guard(const sass::instruction& i) { return i.guard() != sass::predicate_true || i.guard_negated(); }

// Whether the instruction is a copy that may write zeros for some lanes instead of reading. We do not know whether the
// API reports the lanes that get zeros.
bool may_skip_lanes(const sass::instruction& i) {
  const sass::fields f = sass::fields_of(i);
  const auto* const copy = std::get_if<sass::copy_access>(&f);
  return copy != nullptr && copy->may_skip;
}

}  // namespace

bool is_generic(const sass::instruction& i) { return i.info() != nullptr && sass::is_generic(i.info()->op); }

issue_counts complete(const cubin::code_section& code, std::uint32_t sm, const std::vector<operation>& operations,
                      const issue_counts& heard, const std::pair<std::uint32_t, issue_count>* entry, bool is_whole) {
  const sass::isa set = sass::isa_of(sm);
  const sass::straight_code straight = sass::basic_blocks(code.bytes, set, code.address);
  const auto count = static_cast<std::uint32_t>(std::min(operations.size(), straight.block.size()));
  const auto instruction_at = [&](std::uint32_t n) {
    return sass::load_instruction(code.bytes.data() + std::size_t{n} * cubin::instruction_bytes, set);
  };
  const auto heard_at = [&](std::uint32_t n) {
    const auto it = heard.find(n);
    return it != heard.end() ? it->second : issue_count{};
  };
  const bool enters = entry != nullptr && entry->first < count && !straight.is_target[entry->first];

  issue_counts all = heard;
  std::optional<issue_count> known;  // count of the strand, if it is known
  bool together = false;             // whether all lanes of a warp always execute the strand together
  for (std::uint32_t begin = 0, end = 0; begin < count; begin = end) {
    end = begin + 1;
    while (end < count && straight.strand[end] == straight.strand[begin]) ++end;
    const bool is_first_block = enters && straight.block[begin] == straight.block[entry->first];
    if (straight.block[begin] == begin || !together) known.reset();
    if (is_first_block) known = entry->second;
    for (std::uint32_t n = begin; n < end; ++n) {
      if (!valid(operations[n]) || is_first_block) continue;
      const sass::instruction i = instruction_at(n);
      const issue_count h = heard_at(n);
      if (has_guard(i) || is_generic(i) || may_skip_lanes(i) || h.executed == 0) continue;
      if (!known || known->executed < h.executed) known = h;
    }
    together = is_first_block || (known && known->lanes == known->executed * lanes_per_warp);
    issue_count least = known.value_or(issue_count{});  // becomes the largest of `known` and the reported counts
    for (std::uint32_t n = begin; n < end; ++n) {
      if (!valid(operations[n]) || is_generic(instruction_at(n))) continue;
      least.executed = std::max(least.executed, heard_at(n).executed);
      least.lanes = std::max(least.lanes, heard_at(n).lanes);
    }
    for (std::uint32_t n = begin; n < end; ++n) {
      if (!valid(operations[n])) continue;
      const sass::instruction i = instruction_at(n);
      // If an unguarded instruction has no report, the instruction was not executed, or the API does not report this
      // kind of instruction.
      const issue_count h = heard_at(n);
      if (is_generic(i) ? h.executed == 0 : !has_guard(i) && (!may_skip_lanes(i) || h.executed == 0)) continue;
      issue_count c = {std::max(least.executed, h.executed), std::max(least.lanes, h.lanes)};
      c.at_least = !known || (!is_whole && !is_first_block);
      if (c.executed != 0) all[n] = c;
    }
  }
  return all;
}

}  // namespace bankwise::record
