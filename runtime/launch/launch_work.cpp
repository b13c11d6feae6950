#include "runtime/launch/launch_work.hpp"

#include <algorithm>

#include "sass/instruction.hpp"

namespace bankwise::cuda {

namespace {

// Numbers are similar if they differ by at most a 20th of the larger sum. A 20th is less than predictions err.
constexpr std::uint64_t similar_part = 20;
// Fewer wavefronts or sectors than this part of the instructions do not decide the time.
constexpr std::uint64_t small_part = 50;

std::uint64_t apart_of(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

bool is_near(std::uint64_t difference, std::uint64_t a, std::uint64_t b) {
  return difference <= std::max(a, b) / similar_part;
}

template <class Site>
std::vector<work_step> numbers_of(const std::vector<Site>& sites, std::uint64_t Site::*number) {
  std::vector<work_step> list;
  list.reserve(sites.size());
  for (const Site& s : sites) list.push_back({s.pc, s.*number});
  return list;
}

struct comparison {
  std::uint64_t difference = 0, of_a = 0, of_b = 0;
  void add(std::uint64_t a, std::uint64_t b, std::uint64_t times = 1) {
    difference += apart_of(a, b) * times;
    of_a += a * times;
    of_b += b * times;
  }
};

// Compares sites one by one. A site that only one of the launches has counts as a difference.
comparison compare_sites(const std::vector<work_step>& a, const std::vector<work_step>& b) {
  comparison c;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool takes_a = j == b.size() || (i < a.size() && a[i].pc <= b[j].pc);
    const bool takes_b = i == a.size() || (j < b.size() && b[j].pc <= a[i].pc);
    c.add(takes_a ? a[i].number : 0, takes_b ? b[j].number : 0);
    i += takes_a;
    j += takes_b;
  }
  return c;
}

// Compares the numbers of all instructions. The last step of each list has the number 0.
comparison compare_steps(const std::vector<work_step>& a, const std::vector<work_step>& b) {
  comparison c;
  std::uint64_t of_a = 0, of_b = 0, from = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const std::uint64_t pc = std::min(i < a.size() ? a[i].pc : b[j].pc, j < b.size() ? b[j].pc : a[i].pc);
    if (of_a != 0 || of_b != 0) c.add(of_a, of_b, (pc - from) / sass::instruction_bytes);
    if (i < a.size() && a[i].pc == pc) of_a = a[i++].number;
    if (j < b.size() && b[j].pc == pc) of_b = b[j++].number;
    from = pc;
  }
  return c;
}

bool is_like(const comparison& c, std::uint64_t instructions) {
  return c.difference <= instructions / small_part || is_near(c.difference, c.of_a, c.of_b);
}

}  // namespace

launch_work work_of(const launch_report& r) {
  launch_work w;
  w.instructions = r.sum.warp_instructions;
  w.lanes = r.sum.active_lanes;
  w.waited = r.waited_cycles;
  w.wavefronts = numbers_of(r.sites, static_cast<std::uint64_t site::*>(&site::wavefronts));
  w.sectors = numbers_of(r.global_sites, static_cast<std::uint64_t global_site::*>(&global_site::sectors));
  const auto by_pc = [](const work_step& a, const work_step& b) { return a.pc < b.pc; };
  std::stable_sort(w.wavefronts.begin(), w.wavefronts.end(), by_pc);
  std::stable_sort(w.sectors.begin(), w.sectors.end(), by_pc);
  return w;
}

void add_executions(launch_work& to, const timing::launch_trace& t) {
  std::vector<std::int64_t> change(t.code.size() + 1);
  for (const timing::traced_block& b : t.blocks)
    for (const timing::traced_warp& w : b.warps)
      for (const timing::traced_run& r : w.runs) {
        if (r.code >= t.code.size() || r.count > t.code.size() - r.code) continue;
        ++change[r.code];
        --change[std::size_t{r.code} + r.count];
      }
  std::vector<work_step> of_code;
  std::int64_t now = 0;
  for (std::size_t i = 0; i < t.code.size(); ++i)
    of_code.push_back({t.code[i].pc, static_cast<std::uint64_t>(now += change[i])});
  std::sort(of_code.begin(), of_code.end(), [](const work_step& a, const work_step& b) { return a.pc < b.pc; });
  to.executed.clear();
  std::uint64_t last = 0, end = 0;
  const auto add = [&](std::uint64_t pc, std::uint64_t number) {
    if (number != last) to.executed.push_back({pc, last = number});
  };
  for (const work_step& s : of_code) {
    if (s.pc != end) add(end, 0);
    add(s.pc, s.number);
    end = s.pc + sass::instruction_bytes;
  }
  add(end, 0);
  for (const timing::traced_access& a : t.accesses)
    if (a.space == timing::memory_space::sleep) to.slept += t.lines[a.first_line];
}

bool is_like(const launch_work& a, const launch_work& b) {
  const std::uint64_t most = std::max(a.instructions, b.instructions);
  if (!is_near(apart(a, b), a.instructions, b.instructions)) return false;
  if (!is_near(apart_of(a.lanes, b.lanes), a.lanes, b.lanes)) return false;
  if (!is_like(compare_sites(a.wavefronts, b.wavefronts), most)) return false;
  if (!is_like(compare_sites(a.sectors, b.sectors), most)) return false;
  if (!is_near(apart_of(a.waited, b.waited), a.waited, b.waited)) return false;
  if (a.executed.empty() || b.executed.empty()) return a.sleep_key == b.sleep_key;
  if (!is_near(apart_of(a.slept, b.slept), a.slept, b.slept)) return false;
  const comparison executed = compare_steps(a.executed, b.executed);
  return is_near(executed.difference, executed.of_a, executed.of_b);
}

std::uint64_t instructions_of(const std::vector<work_step>& executed) { return compare_steps(executed, {}).of_a; }

std::uint64_t apart(const launch_work& a, const launch_work& b) { return apart_of(a.instructions, b.instructions); }

}  // namespace bankwise::cuda
