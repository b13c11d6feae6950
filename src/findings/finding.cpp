#include "findings/finding.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "model/sectors/sector_reason.hpp"

namespace bankwise::findings {

namespace {

constexpr struct {
  problem what;
  measure of, waste;
  bool is_minor;
} problem_rows[] = {
    {problem::conflict, measure::wavefronts, measure::removable, false},
    {problem::word_queue, measure::wavefronts, measure::queued, false},
    {problem::copy_past_l1, measure::wavefronts, measure::excess, true},
    {problem::lane_retries, measure::rounds, measure::none, false},
    {problem::warp_retries, measure::rounds, measure::none, false},
    {problem::uncoalesced, measure::sectors, measure::none, false},
    {problem::misaligned, measure::sectors, measure::none, true},
    {problem::strided, measure::sectors, measure::none, false},
    {problem::used_in_parts, measure::sectors, measure::none, false},
    {problem::loaded_again, measure::sectors, measure::none, true},
    {problem::local_memory, measure::sectors, measure::none, true},
    {problem::local_in_loop, measure::sectors, measure::none, false},
#define DELAY(name, id) {problem::name, measure::elapsed_cycles, measure::none, false},
#include "model/time/delays.def"
};

constexpr problem of_sites[] = {problem::conflict, problem::word_queue, problem::copy_past_l1, problem::lane_retries,
                                problem::warp_retries};

problem problem_of(delay_kind k) {
  constexpr problem problems[] = {
#define DELAY(name, id) problem::name,
#include "model/time/delays.def"
  };
  return problems[static_cast<std::size_t>(k)];
}

problem problem_of(sector_problem p) {
  switch (p) {
    case sector_problem::misaligned: return problem::misaligned;
    case sector_problem::stride: return problem::strided;
    case sector_problem::parts: return problem::used_in_parts;
    case sector_problem::again: return problem::loaded_again;
    case sector_problem::local: return problem::local_memory;
    case sector_problem::local_in_loop: return problem::local_in_loop;
    case sector_problem::column:
    case sector_problem::scattered:
    case sector_problem::none: break;
  }
  return problem::uncoalesced;
}

// Returns the share of s.saved_cycles that belongs to one problem. s.saved_cycles belongs to the removable and the
// queued wavefronts together.
std::uint64_t saved_by(const site& s, problem p) {
  if (p != problem::conflict && p != problem::word_queue) return 0;
  const std::uint64_t both = removable(s) + queued(s);
  return both == 0 ? 0 : scaled(s.saved_cycles, amount_of(s, p), both);
}

// The problems of the lines of a launch.
class gathered_lines {
 public:
  void add(const instruction_place& at, problem p, std::size_t index, const finding& one) {
    gathered& g = lines_[{at.file, at.line, at.line == 0 ? at.function : "", at.line == 0 ? at.pc : 0, p}];
    g.all.what = p;
    g.sites.emplace_back(index, one.amount);
    g.all.amount += one.amount;
    g.all.whole += one.whole;
    g.all.saved_cycles += one.saved_cycles;
    g.all.order_cycles += one.order_cycles;
  }
  std::vector<finding> list() {
    std::vector<finding> found;
    for (auto& [key, g] : lines_) {
      std::stable_sort(g.sites.begin(), g.sites.end(),
                       [](const auto& a, const auto& b) { return a.second > b.second; });
      for (const auto& [index, amount] : g.sites) g.all.sites.push_back(index);
      found.push_back(std::move(g.all));
    }
    return found;
  }

 private:
  struct gathered {
    finding all;
    std::vector<std::pair<std::size_t, std::uint64_t>> sites;  // indices with their amounts
  };
  std::map<std::tuple<std::string, std::uint32_t, std::string, std::uint64_t, problem>, gathered> lines_;
};

auto rank_of(const finding& f, std::uint64_t launches) {
  // A minor finding without a saving is a hint, which follows all others.
  return std::tuple(!f.is_minor() || f.order_cycles != 0, f.order_cycles * launches, f.amount * launches);
}

// Which finding of a cause comes first: one about all of its places, and last one that is only an effect.
int rank_in_cause(const finding& f) {
  const bool is_about_all = f.what == problem::spilled_registers || f.what == problem::stack_arrays;
  return is_about_all ? 2 : f.what == problem::narrow_loads ? 0 : 1;
}

// Adds a finding with the same cause.
void join(finding& to, finding more) {
  const bool leads = rank_in_cause(more) > rank_in_cause(to);
  if (leads) {
    std::swap(to, more);
    to.also = std::exchange(more.also, {});
  }
  to.order_cycles += more.order_cycles;
  to.saved_cycles += more.saved_cycles;
  if (!leads && !to.is_delay() && measure_of(to.what) == measure_of(more.what)) {
    to.sites.insert(to.sites.end(), more.sites.begin(), more.sites.end());
    to.amount += more.amount;
    to.whole += more.whole;
  }
  to.also.push_back(std::move(more));
  if (to.is_delay()) to.amount = to.saved_cycles;
}

}  // namespace

measure measure_of(problem p) { return problem_rows[static_cast<std::size_t>(p)].of; }
measure waste_of(problem p) { return problem_rows[static_cast<std::size_t>(p)].waste; }
bool is_timed(problem p) { return p != problem::copy_past_l1 && measure_of(p) != measure::rounds; }
bool is_distance(problem p) {
  return p == problem::uncoalesced || p == problem::strided || p == problem::used_in_parts;
}
bool is_minor(problem p) { return problem_rows[static_cast<std::size_t>(p)].is_minor; }

std::uint64_t amount_of(const site& s, problem p) {
  switch (p) {
    case problem::copy_past_l1:
      if (s.op.op.kind != op_kind::copy_async_cg) return 0;
      break;
    case problem::lane_retries: return s.again.queued + s.again.conflicting;
    case problem::warp_retries: return s.again.contended;
    default: break;
  }
  return waste_of(p) == measure::none ? 0 : row_of(waste_of(p)).of(s);
}

std::vector<finding> of_lines(const launch_report& l) {
  gathered_lines lines;
  for (std::size_t i = 0; i < l.sites.size(); ++i)
    for (const problem p : of_sites) {
      const site& s = l.sites[i];
      if (const std::uint64_t amount = amount_of(s, p); amount != 0)
        lines.add(s, p, i, {p, {}, amount, row_of(measure_of(p)).of(s), saved_by(s, p), saved_by(s, p)});
    }
  for (std::size_t i = 0; i < l.global_sites.size(); ++i) {
    const global_site& s = l.global_sites[i];
    if (const sector_reason why = reason_of(l, s))
      lines.add(s, problem_of(why.is), i,
                {problem_of(why.is),
                 {},
                 s.sectors - std::min(s.sectors, why.leaves),
                 s.sectors,
                 s.saved_cycles,
                 s.saved_cycles});
  }
  for (std::size_t i = 0; i < l.time.delays.size(); ++i) {
    const delay& d = l.time.delays[i];
    lines.add(d.place, problem_of(d.is), i,
              {problem_of(d.is), {}, d.saved_cycles, l.time.cycles, d.saved_cycles, d.order_cycles()});
  }
  std::vector<finding> list = lines.list();
  std::stable_sort(list.begin(), list.end(),
                   [](const finding& a, const finding& b) { return rank_of(a, 1) > rank_of(b, 1); });
  return list;
}

std::uint32_t cause_of(const launch_report& l, const finding& f) {
  if (f.is_delay()) return delay_of(l, f).cause;
  if (f.is_of_sectors()) return l.global_sites[f.sites.front()].cause;
  return f.what == problem::conflict ? l.sites[f.sites.front()].cause : 0;
}

std::vector<finding> of(const launch_report& l) {
  std::vector<finding> list;
  // No layout helps if the addresses depend on data, so such conflicts of an array have another remedy.
  const auto is_by_data = [&](const finding& f) {
    return f.what == problem::conflict && depends_on_data(l.sites[f.sites.front()]);
  };
  std::map<std::pair<std::uint32_t, bool>, std::size_t> causes;
  for (finding& f : of_lines(l)) {
    const std::uint32_t cause = cause_of(l, f);
    const auto [at, is_first] = causes.try_emplace({cause, is_by_data(f)}, list.size());
    if (cause == 0 || is_first)
      list.push_back(std::move(f));
    else
      join(list[at->second], std::move(f));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const finding& a, const finding& b) { return rank_of(a, 1) > rank_of(b, 1); });
  return list;
}

const instruction_place& place_of(const launch_report& l, const finding& f) {
  if (f.is_delay()) return delay_of(l, f).place;
  if (f.is_of_sectors()) return l.global_sites[f.sites.front()];
  return l.sites[f.sites.front()];
}

const delay& delay_of(const launch_report& l, const finding& f) { return l.time.delays[f.sites.front()]; }

std::vector<finding_in> of_all(const std::vector<added_launches>& launches) {
  std::vector<finding_in> list;
  for (const added_launches& a : launches)
    for (finding& f : of(a.all)) list.push_back({&a.all, a.times(), std::move(f)});
  std::stable_sort(list.begin(), list.end(), [](const finding_in& a, const finding_in& b) {
    return rank_of(a.what, a.launches) > rank_of(b.what, b.launches);
  });
  return list;
}

bool known_changes::are_instructions_better() const {
  const bool is_layout_useful = layout != nullptr && !layout->is_slower();
  return instructions != nullptr && instructions->saved() > (is_layout_useful ? layout->saved() : 0);
}

known_changes changes_for(const launch_report& l, const finding& f) {
  known_changes found;
  if (f.what != problem::conflict) return found;
  for (const std::size_t i : f.sites) {
    const std::pair at(l.sites[i].function, l.sites[i].pc);
    const auto has = [&](const auto& sites) { return std::find(sites.begin(), sites.end(), at) != sites.end(); };
    for (const known_fix& fix : l.fixes)
      if (found.layout == nullptr && has(fix.sites)) found.layout = &fix;
    for (const known_move& m : l.moves)
      if (m.saved() > (found.instructions != nullptr ? found.instructions->saved() : 0) && has(m.sites))
        found.instructions = &m;
  }
  return found;
}

}  // namespace bankwise::findings
