#include "check/budget_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"

namespace bankwise::check {

namespace {

struct cost_sum {
  std::uint64_t wavefronts = 0, ideal = 0, excess = 0, removable = 0;
  // The intervals of `wavefronts`, `ideal` and `removable`. If every block was executed, both ends of an interval are
  // equal to the number.
  interval within_wavefronts, within_ideal, within_removable;
  bool any = false;
  const site* worst = nullptr;
  // Counts for global and local memory.
  global_counts global;
  std::uint64_t local_sectors = 0;
  interval within_sectors, within_ideal_sectors, within_excess_sectors, within_local_sectors;
  const global_site* worst_global = nullptr;
};

bool is_file(const std::string& path, const std::string& wanted) {
  return path == wanted || path.ends_with(formatted("/{}", wanted));
}

// Adds the range of a total to `to`. `within` contains the intervals of the site or of the launch.
void add(interval& to, bool scaled, const std::vector<interval>& within, std::uint64_t totals::*total,
         std::uint64_t is) {
  interval i{is, is};
  if (scaled) i = {0, ~std::uint64_t{0}};
  for (std::size_t n = 0; n < std::size(total_rows) && n < within.size(); ++n)
    if (total_rows[n].member == total) i = within[n];
  to.low = plus(to.low, i.low);
  to.high = plus(to.high, i.high);
}

void add_global(interval& to, bool scaled, const std::vector<interval>& within, std::string_view count,
                const global_counts& is) {
  const std::uint64_t n = global_count_row_of(count).value(is);
  interval i{n, n};
  if (scaled) i = {0, ~std::uint64_t{0}};  // without an interval in the report, the range is unlimited
  if (const interval* known = global_interval_of(within, count); known != nullptr) i = *known;
  to.low = plus(to.low, i.low);
  to.high = plus(to.high, i.high);
}

// Adds the ranges of the counts of add_sectors(). `within` contains the intervals of an instruction, or of the launch.
void add_sector_ranges(cost_sum& c, bool scaled, const std::vector<interval>& within, const global_counts& is) {
  add_global(c.within_sectors, scaled, within, "sectors", is);
  add_global(c.within_ideal_sectors, scaled, within, "sectors_ideal", is);
  add_global(c.within_excess_sectors, scaled, within, "excess_sectors", is);
}

void add_sectors(cost_sum& c, const launch_report& l, const budget& b) {
  // The finding points at the instruction with the highest value of the limited count.
  const auto weight = [&](const global_site& s) {
    const bool has_limit =
        is_local(s.kind) ? b.local_sectors.has_value() : b.sectors || b.excess_sectors || b.sector_ratio;
    return std::tuple(has_limit, b.excess_sectors || b.sector_ratio ? excess_sectors(s) : 0, s.sectors);
  };
  for (const global_site& s : l.global_sites) {
    if (b.line != 0 && (s.line != b.line || !is_file(s.file, b.file))) continue;
    if (!is_global(s.kind) && !is_local(s.kind)) continue;  // budgets do not limit textures and surfaces
    c.any = true;
    if (is_local(s.kind)) {
      c.local_sectors = plus(c.local_sectors, s.sectors);
      add_global(c.within_local_sectors, l.scaled, s.within, "sectors", s);
    } else {
      c.global += s;
      if (b.line != 0) add_sector_ranges(c, l.scaled, s.within, s);
    }
    if (c.worst_global == nullptr || weight(s) > weight(*c.worst_global)) c.worst_global = &s;
  }
  // the interval of the launch is narrower than the sum of its sites' intervals
  if (b.line == 0) add_sector_ranges(c, l.scaled, l.global_within, c.global);
}

cost_sum cost_of(const launch_report& l, const budget& b) {
  cost_sum c;
  // The finding points at the instruction with the most wavefronts. If a budget limits the removable wavefronts or the
  // excess, the finding points at the instruction with the most removable wavefronts.
  const auto weight = [&](const site& s) {
    return std::pair(b.removable || b.excess ? removable(s) : 0, s.wavefronts);
  };
  for (const site& s : l.sites) {
    if (b.line != 0 && (s.line != b.line || !is_file(s.file, b.file))) continue;
    c.any = true;
    c.wavefronts = plus(c.wavefronts, s.wavefronts);
    c.ideal = plus(c.ideal, s.ideal);
    c.excess = plus(c.excess, excess(s));
    c.removable = plus(c.removable, removable(s));
    if (c.worst == nullptr || weight(s) > weight(*c.worst)) c.worst = &s;
    if (b.line == 0) continue;
    add(c.within_wavefronts, l.scaled, s.within, &totals::wavefronts, s.wavefronts);
    add(c.within_ideal, l.scaled, s.within, &totals::ideal, s.ideal);
    add(c.within_removable, l.scaled, s.within, &totals::removable, removable(s));
  }
  if (b.line == 0) {  // the interval of the launch is narrower than the sum of its sites' intervals
    add(c.within_wavefronts, l.scaled, l.within, &totals::wavefronts, c.wavefronts);
    add(c.within_ideal, l.scaled, l.within, &totals::ideal, c.ideal);
    add(c.within_removable, l.scaled, l.within, &totals::removable, c.removable);
  }
  if (!limits_shared(b)) c.any = false;
  if (limits_sectors(b)) add_sectors(c, l, b);
  return c;
}

struct limit {
  const char* name;
  std::uint64_t is = 0;
  interval within;
  std::uint64_t allowed = 0;
  bool is_of_sectors = false;
};

void add_sector_limits(std::vector<limit>& limits, const budget& b, const cost_sum& c) {
  const auto add = [&](const char* name, std::uint64_t is, const interval& within,
                       const std::optional<std::uint64_t>& allowed) {
    if (allowed) limits.push_back({name, is, within, *allowed, true});
  };
  add("sectors", c.global.sectors, c.within_sectors, b.sectors);
  add("excess sectors", excess_sectors(c.global), c.within_excess_sectors, b.excess_sectors);
  add("sectors of local memory", c.local_sectors, c.within_local_sectors, b.local_sectors);
}

// Returns a ratio as text for bankwise.toml, rounded up so that the launch stays within the ratio.
std::string ratio_text(double ratio) { return fixed(std::ceil(ratio * 100 - 1e-9) / 100, 2); }

double ratio_of(std::uint64_t is, std::uint64_t ideal) {
  return ideal == 0 ? 1 : static_cast<double>(is) / static_cast<double>(ideal);
}

// The highest cost among the launches to which a budget applies.
struct highest_cost {
  std::uint64_t wavefronts = 0, excess = 0, removable = 0, sectors = 0, excess_sectors = 0, local_sectors = 0;
  double ratio = 1, sector_ratio = 1;

  void add(const cost_sum& c) {
    wavefronts = std::max(wavefronts, c.wavefronts);
    excess = std::max(excess, c.excess);
    removable = std::max(removable, c.removable);
    sectors = std::max(sectors, c.global.sectors);
    excess_sectors = std::max(excess_sectors, bankwise::excess_sectors(c.global));
    local_sectors = std::max(local_sectors, c.local_sectors);
    ratio = std::max(ratio, ratio_of(c.wavefronts, c.ideal));
    sector_ratio = std::max(sector_ratio, ratio_of(c.global.sectors, c.global.sectors_ideal));
  }
};

// Adds the limits of a budget that can be lowered, because every launch is below them.
void add_loose(const budget& b, const std::string& about, const highest_cost& most, verdict& v) {
  const auto add = [&](const char* key, const std::optional<std::uint64_t>& allowed, std::uint64_t is) {
    if (allowed && is < *allowed)
      v.loose.push_back({b.config_line, key, std::to_string(*allowed), std::to_string(is), about});
  };
  const auto add_ratio = [&](const char* key, const std::optional<double>& allowed, double ratio) {
    if (const std::string is = ratio_text(ratio); allowed && std::strtod(is.c_str(), nullptr) < *allowed)
      v.loose.push_back({b.config_line, key, fixed(*allowed, 2), is, about});
  };
  add("wavefronts", b.wavefronts, most.wavefronts);
  add("excess", b.excess, most.excess);
  add("removable", b.removable, most.removable);
  add_ratio("ratio", b.ratio, most.ratio);
  add("sectors", b.sectors, most.sectors);
  add("excess_sectors", b.excess_sectors, most.excess_sectors);
  add_ratio("sector_ratio", b.sector_ratio, most.sector_ratio);
  add("local_sectors", b.local_sectors, most.local_sectors);
}

std::string memory_of(const budget& b) {
  return !limits_sectors(b) ? "shared memory" : !limits_shared(b) ? "global memory" : "shared or global memory";
}

// Reports a budget that applies to no kernel. The finding points to the budget's line in the file.
void add_lost(const verdict_question& q, const budget& b, const std::string& about, bool launched, verdict& v) {
  const std::string of_what = b.run.empty() ? "these reports" : formatted("the run {}", b.run);
  finding i;
  i.what = find_kind(lost_budget);
  i.file = q.asked.name;
  i.line = b.config_line;
  i.message = launched ? formatted("this budget checks nothing, because there is no access to {} at {}:{} in {}",
                                   memory_of(b), b.file, b.line, b.kernel)
                       : formatted("this budget checks nothing, because no launch in {} has a kernel that matches '{}'",
                                   of_what, b.kernel);
  i.fingerprint = fingerprint_of({std::string(lost_budget), about});
  v.findings.push_back(std::move(i));
}

// Reports a time budget if the launch has no predicted time.
void add_untimed(const verdict_question& q, const budget& b, const std::string& about, const std::string& launch,
                 verdict& v) {
  finding i;
  i.what = find_kind(lost_budget);
  i.file = q.asked.name;
  i.line = b.config_line;
  i.message =
      formatted("this budget checks nothing, because the report has no predicted time for {}. Make the report with {}",
                launch, worded(setting::time_model, "on"));
  i.fingerprint = fingerprint_of({std::string(lost_budget), "time", about});
  v.findings.push_back(std::move(i));
}

// The result of comparing a launch with a budget.
struct launch_judgement {
  std::string wrong;  // the limits that the launch exceeds
  // Numbers that may or may not exceed the limit, because their interval contains the limit.
  std::string open;
  std::uint64_t most = 0;     // the largest excess over a limit
  bool is_of_sectors = true;  // whether `wrong` is only about sectors

  void add_open(const std::string& what) { open += (open.empty() ? "" : "; ") + what; }
  void add_wrong(const std::string& what, std::uint64_t by, bool of_sectors) {
    wrong += (wrong.empty() ? "" : "; ") + what;
    most = std::max(most, by);
    is_of_sectors &= of_sectors;
  }
};

void judge_limit(launch_judgement& j, const limit& n, bool scaled) {
  if (n.within.low > n.allowed)
    j.add_wrong(formatted("{}{} {}{}, {} allowed", scaled ? "about " : "", grouped(n.is), n.name,
                          scaled ? formatted(", at least {}", grouped(n.within.low)) : "", grouped(n.allowed)),
                n.within.low - n.allowed, n.is_of_sectors);
  else if (n.within.high > n.allowed)
    j.add_open(formatted("the budget allows {} {}, but the estimate is {} {}, {}", grouped(n.allowed), n.name,
                         grouped(n.is), n.name,
                         n.within.high == ~std::uint64_t{0}
                             ? formatted("and at least {}", grouped(n.within.low))
                             : formatted("in the interval {} to {}", grouped(n.within.low), grouped(n.within.high))));
}

// A limit of a ratio: measured wavefronts or sectors divided by ideal wavefronts or sectors.
struct ratio_limit {
  const char* name;
  std::optional<double> allowed;
  double is = 1, least = 1, most = 1;
  std::uint64_t excess = 0;
  bool is_of_sectors = false;
};

void judge_ratio(launch_judgement& j, const ratio_limit& r) {
  if (!r.allowed) return;
  if (r.least > *r.allowed)
    j.add_wrong(formatted("{} times the ideal {}, {} allowed", fixed(r.is, 2), r.name, fixed(*r.allowed, 2)), r.excess,
                r.is_of_sectors);
  else if (r.most > *r.allowed)
    j.add_open(formatted("the budget allows {} times the ideal {}, but the estimate is {} times the ideal {}",
                         fixed(*r.allowed, 2), r.name, fixed(r.is, 2), r.name));
}

// Returns the limits that are whole numbers, together with the launch's values.
std::vector<limit> limits_of(const budget& b, const launch_report& l, const cost_sum& c) {
  const auto less = [](std::uint64_t x, std::uint64_t y) { return x - std::min(x, y); };
  const interval excess_within = l.scaled ? interval{less(c.within_wavefronts.low, c.within_ideal.high),
                                                     less(c.within_wavefronts.high, c.within_ideal.low)}
                                          : interval{c.excess, c.excess};
  std::vector<limit> limits;
  if (b.wavefronts) limits.push_back({"wavefronts", c.wavefronts, c.within_wavefronts, *b.wavefronts});
  if (b.excess) limits.push_back({"excess wavefronts", c.excess, excess_within, *b.excess});
  if (b.removable) limits.push_back({"removable wavefronts", c.removable, c.within_removable, *b.removable});
  add_sector_limits(limits, b, c);
  const auto add_time = [&](const char* name, const std::optional<std::uint64_t>& allowed, std::uint64_t is) {
    if (l.time && allowed) limits.push_back({name, is, {is, is}, *allowed});
  };
  add_time("elapsed cycles (predicted)", b.elapsed_cycles, l.time.cycles);
  add_time("ns (predicted)", b.nanoseconds, l.time.nanoseconds);
  return limits;
}

launch_judgement judge_launch(const budget& b, const launch_report& l, const cost_sum& c) {
  launch_judgement j;
  for (const limit& n : limits_of(b, l, c)) judge_limit(j, n, l.scaled);
  ratio_limit wavefronts{"wavefronts", b.ratio, ratio_of(c.wavefronts, c.ideal), 0, 0, c.excess, false};
  wavefronts.least = l.scaled ? ratio_of(c.within_wavefronts.low, c.within_ideal.high) : wavefronts.is;
  wavefronts.most = l.scaled ? ratio_of(c.within_wavefronts.high, c.within_ideal.low) : wavefronts.is;
  judge_ratio(j, wavefronts);
  // The number of sectors is at least the ideal number, so a ratio is at least 1.
  const auto end_ratio = [](std::uint64_t is, std::uint64_t ideal) { return std::max(1.0, ratio_of(is, ideal)); };
  ratio_limit sectors{
      "sectors", b.sector_ratio, ratio_of(c.global.sectors, c.global.sectors_ideal), 0, 0, excess_sectors(c.global),
      true};
  sectors.least = l.scaled ? end_ratio(c.within_sectors.low, c.within_ideal_sectors.high) : sectors.is;
  sectors.most = l.scaled ? end_ratio(c.within_sectors.high, c.within_ideal_sectors.low) : sectors.is;
  judge_ratio(j, sectors);
  return j;
}

finding finding_of(const launch_judgement& j, const launch_report& l, const cost_sum& c, const std::string& about,
                   const std::string& place) {
  finding i;
  i.what = find_kind(over_budget);
  i.kernel = l.kernel;
  i.name = l.name;
  const auto point_at = [&](const auto& s, std::string operation) {
    i.file = s.file;
    i.line = s.line;
    i.text = s.text;
    i.pc = s.pc;
    i.sass = s.sass;
    i.operation = std::move(operation);
  };
  if (j.is_of_sectors && c.worst_global != nullptr)
    point_at(*c.worst_global, spelling_of(*c.worst_global));
  else if (c.worst != nullptr)
    point_at(*c.worst, c.worst->op.spelling);
  i.of_sectors = j.is_of_sectors;
  i.wavefronts = c.wavefronts;
  i.amount = j.most;
  i.message = formatted("{}: {} ({})", l.name, j.wrong, place);
  i.fingerprint = fingerprint_of({std::string(over_budget), l.kernel, about});
  return i;
}

void judge_budget(const verdict_question& q, const budget& b, verdict& v) {
  const std::string place = formatted("{}:{}", base_name(q.asked.name), b.config_line);
  const std::string of_line = b.kernel + (b.line != 0 ? formatted(" {}:{}", b.file, b.line) : "");
  const std::string about = (b.run.empty() ? "" : formatted("{}: ", b.run)) + of_line;
  std::string untimed;  // name of a launch without a predicted time, if the budget limits time
  bool launched = false, touched = false, undecided = false, estimated = false;
  highest_cost most_of;
  std::map<std::string, std::pair<std::uint64_t, finding>> above;
  const auto leave_undecided = [&](std::string note) {
    undecided = v.undecided = true;
    v.notes.push_back(std::move(note));
  };
  for (std::size_t at = 0; at < q.reports.size(); ++at)
    for (const launch_report& l : q.reports[at].launches) {
      if (!b.run.empty() && (at >= q.runs.size() || q.runs[at] != b.run)) continue;
      if (!matches(b.kernel, l.name) && !matches(b.kernel, l.kernel)) continue;
      launched = true;
      const cost_sum c = cost_of(l, b);
      touched |= c.any;
      estimated |= l.scaled || l.partial;
      most_of.add(c);
      if (limits_sectors(b) && !l.global_counted) {
        v.lacks_counts = true;
        leave_undecided(formatted(
            "{}: {}: the check cannot decide, because the report has no sectors of global memory. Make the report "
            "again with {}",
            place, l.name, worded(setting::global, "on")));
        continue;
      }
      if ((b.elapsed_cycles || b.nanoseconds) && !l.time && untimed.empty()) untimed = l.name;
      const launch_judgement j = judge_launch(b, l, c);
      if (j.wrong.empty() && !j.open.empty())
        leave_undecided(formatted("{}: {}: the check cannot decide: {}. Make the report again without {}", place,
                                  l.name, j.open, worded(l.timed ? setting::time : setting::ctas)));
      if (j.wrong.empty()) continue;
      const auto it = above.find(l.kernel);
      if (it == above.end() || it->second.first < j.most) above[l.kernel] = {j.most, finding_of(j, l, c, about, place)};
    }
  for (auto& [kernel, worst] : above) v.findings.push_back(std::move(worst.second));
  if (!launched && !q.has_all && b.run.empty())
    v.notes.push_back(
        formatted("{}: no launch in these reports has a kernel that matches '{}'. The reports of the other runs were "
                  "not read",
                  place, b.kernel));
  else if (!launched || (!touched && b.line != 0))
    add_lost(q, b, about, launched, v);
  else if (!untimed.empty())
    add_untimed(q, b, about, untimed, v);
  else if (above.empty() && !undecided)
    v.passed.push_back({"budgets", formatted("{} ({})", about, place)});
  if (launched && above.empty() && !undecided && !estimated && (touched || b.line == 0))
    add_loose(b, of_line, most_of, v);
}

}  // namespace

void judge_budgets(const verdict_question& q, verdict& v) {
  for (const budget& b : q.asked.budgets) {
    const bool has_report = b.run.empty() || std::find(q.runs.begin(), q.runs.end(), b.run) != q.runs.end();
    if (has_report) judge_budget(q, b, v);
  }
}

}  // namespace bankwise::check
