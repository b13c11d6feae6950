// Delays from sums of floats: each addition needs the sum before it. The compiler must keep the order of the additions,
// so only the source can divide a sum into several ones that do not depend on each other.
//
//     sum += x[k]       FADD R7, R1, R7; 4 clocks; FADD R7, R2, R7; 4 clocks; ...
//     sum[k % 4] += x[k]    FADD R7, R1, R7; FADD R8, R2, R8; FADD R9, R3, R9; FADD R10, R4, R10; FADD R7, ...
#include <algorithm>
#include <vector>

#include "profile/delays/load_groups.hpp"
#include "sass/operand/alu_operand.hpp"
#include "timing/instruction_cost.hpp"

namespace bankwise {

namespace {

using op = sass::opcode;

// The additions of one sum, in the order of the code.
struct one_sum {
  std::vector<std::uint32_t> additions;
  unsigned from = 0, to = 0;  // the registers of the sum before and after them
};

bool is_register(const sass::alu_operand& o) {
  return o.kind == sass::operand_kind::vector && o.number != sass::register_zero;
}

unsigned result_of(const sass::instruction& i) { return static_cast<unsigned>(i.bits(sass::slot::d, 8)); }

// Whether an instruction adds something to the value of a register, which it does not use in another way.
bool adds_to(const traced_launch& l, std::uint32_t i, unsigned sum) {
  const sass::instruction& code = l.code[i];
  const auto is_sum = [&](char slot, char letter) {
    const sass::alu_operand o = sass::alu_operand_of(code, slot, letter);
    return is_register(o) && o.number == sum && !o.negated && !o.absolute;
  };
  if (code.guard() != sass::predicate_true) return false;
  switch (l.opcode_at(i)) {
    case op::FADD: return is_sum('a', 'f') != is_sum('D', 'f');
    case op::FFMA: return is_sum('c', 'f') && !is_sum('a', 'f') && !is_sum('b', 'f');
    case op::DADD: return is_sum('a', 'd') != is_sum('c', 'd');
    case op::DFMA: return is_sum('c', 'd') && !is_sum('a', 'd') && !is_sum('b', 'd');
    default: return false;
  }
}

// The sums to which each round of a loop adds, and which the round does not use in another way.
std::vector<one_sum> sums_of(const traced_launch& l, const code_range& loop) {
  std::vector<one_sum> open;
  std::vector<unsigned> seen;  // registers that begin a sum
  for (std::uint32_t i = loop.first; i <= loop.second; ++i)
    for (unsigned r = 0; l.is_executed(i) && r < sass::register_zero; ++r)
      if (l.registers_of(i).reads.vector[r] && adds_to(l, i, r) &&
          std::find(seen.begin(), seen.end(), r) == seen.end()) {
        seen.push_back(r);
        open.push_back({{}, r, r});
      }
  for (std::uint32_t i = loop.first; i <= loop.second; ++i) {
    if (!l.is_executed(i)) continue;
    const sass::reads_and_writes& io = l.registers_of(i);
    std::erase_if(open, [&](one_sum& s) {
      if (io.reads.vector[s.to]) {
        if (!adds_to(l, i, s.to)) return true;
        s.additions.push_back(i);
        s.to = result_of(l.code[i]);
        return false;
      }
      return io.writes.vector[s.to];
    });
  }
  std::erase_if(open, [](const one_sum& s) { return s.additions.empty() || s.from != s.to; });
  return open;
}

// The changes of a loop whose additions need not wait for each other. With several sums, there are always instructions
// that need no recent result, so a compiler can begin one of them in each clock between the first and the last addition.
change_list without_waits(const traced_launch& l, const std::vector<one_sum>& sums) {
  std::uint32_t first = ~0U, last = 0;
  for (const one_sum& s : sums) {
    first = std::min(first, s.additions.front());
    last = std::max(last, s.additions.back());
  }
  change_list list;
  for (std::uint32_t i = first; i < last; ++i) {
    if (!l.is_executed(i) || !l.is_executed(i + 1) || timing::cost_of(l.code[i]).stall <= 1) continue;
    // Predicates and branches take longer than other results.
    const sass::register_set& needed = l.registers_of(i + 1).reads;
    if (needed.predicates.none() && needed.uniform.none() && l.traits_at(i + 1).flow == sass::flow::next)
      list.push_back({i, {.stall = 1}});
  }
  return list;
}

}  // namespace

void find_sum_delays(traced_launch& l) {
  std::vector<code_range> loops;
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    const op o = l.opcode_at(i);
    if (!l.is_executed(i) || (o != op::FADD && o != op::FFMA && o != op::DADD && o != op::DFMA)) continue;
    const code_range in = l.loop_around(i);
    if (in.first <= in.second && (loops.empty() || loops.back() != in)) loops.push_back(in);
  }
  std::sort(loops.begin(), loops.end());
  loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
  for (const code_range& in : loops) {
    const std::vector<one_sum> sums = sums_of(l, in);
    // Additions to several sums do not wait for each other.
    constexpr std::size_t enough = 4;
    if (sums.empty() || sums.size() >= enough) continue;
    const auto longest = std::max_element(sums.begin(), sums.end(), [](const one_sum& a, const one_sum& b) {
      return a.additions.size() < b.additions.size();
    });
    const change_list changes = without_waits(l, sums);
    if (changes.empty()) continue;
    const std::uint64_t saved = l.again.saved_with(changes);
    if (!l.is_enough(saved)) continue;
    l.add(l.delay_at(delay_kind::chained_sums, longest->additions.front()), saved);
  }
}

}  // namespace bankwise
