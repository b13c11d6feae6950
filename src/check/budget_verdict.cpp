#include "check/budget_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "check/amounts.hpp"
#include "check/budget_kernels.hpp"
#include "model/instances.hpp"

namespace bankwise::check {

namespace {

constexpr std::initializer_list<measure_record> sector_records = {measure_record::global, measure_record::local};

// The cost of a launch in the view of a budget.
struct launch_cost {
  amounts sum;
  bool any = false;  // whether the budget's line, or the launch, has an instruction that the budget limits
  // the instructions to which a finding points; null if there are none
  const site* worst = nullptr;
  const global_site* worst_global = nullptr;
};

bool is_file(const std::string& path, const std::string& wanted) {
  return path == wanted || path.ends_with(formatted("/{}", wanted));
}

// Returns the instruction with the most waste, if the budget limits waste. If several instructions have it, or if the
// budget limits no waste, returns the instruction with the highest cost.
template <class Site>
const Site* worst_of(const std::vector<Site>& sites, const budget& b, auto is_wanted) {
  const Site* worst = nullptr;
  std::pair<std::uint64_t, std::uint64_t> most;
  for (const Site& s : sites) {
    if (!is_wanted(s)) continue;
    std::pair<std::uint64_t, std::uint64_t> weight;
    for (const limit& l : b.limits)
      if (l.row->worst != measure::none && row_of(l.row->worst).waste == measure::none)
        weight.first = std::max(weight.first, row_of(l.row->worst).of(s));
    for (const measure_row& m : measure_rows)
      if (m.waste != measure::none) weight.second = std::max(weight.second, m.of(s));
    if (worst != nullptr && weight <= most) continue;
    worst = &s;
    most = weight;
  }
  return worst;
}

launch_cost cost_of(const launch_report& l, const budget& b) {
  const auto is_on_line = [&](const instruction_place& s) {
    return b.line == 0 || (s.line == b.line && is_file(s.file, b.file));
  };
  const auto is_wanted = [&](const global_site& s) { return (is_global(s.kind) || is_local(s.kind)) && is_on_line(s); };
  launch_cost c;
  c.sum = b.line == 0 ? amounts_of(l) : amounts_of(l, is_on_line);
  c.worst = worst_of(l.sites, b, is_on_line);
  if (b.has(sector_records)) c.worst_global = worst_of(l.global_sites, b, is_wanted);
  c.any = (b.has({measure_record::shared}) && c.worst != nullptr) || c.worst_global != nullptr;
  return c;
}

// Returns a ratio as text for bankwise.toml, rounded up so that the launch stays within the ratio.
std::string ratio_text(double ratio) { return fixed(std::ceil(ratio * 100 - 1e-9) / 100, 2); }

double ratio_in(const amounts& sum, const measure_row& m) { return ratio_of(sum[m.is].is, sum[m.ideal].is); }

// Adds the limits of a budget that can be lowered, because every launch is below them.
void add_loose(const budget& b, const std::string& about, const std::vector<amounts>& launches, verdict& v) {
  for (const limit& l : b.limits) {
    const measure_row& m = l.of();
    std::uint64_t most = 0;
    double ratio = 1;
    for (const amounts& a : launches) {
      most = std::max(most, a[m.is].is);
      if (m.ideal != measure::none) ratio = std::max(ratio, ratio_in(a, m));
    }
    if (l.row->form == limit_form::ratio) {
      if (const std::string is = ratio_text(ratio); std::strtod(is.c_str(), nullptr) < l.ratio)
        v.loose.push_back({b.config_line, l.row->key, fixed(l.ratio, 2), is, about});
    } else if (m.record != measure_record::time && most < l.most) {
      v.loose.push_back({b.config_line, l.row->key, std::to_string(l.most), std::to_string(most), about});
    }
  }
}

std::string memory_of(const budget& b) {
  return !b.has(sector_records)             ? "shared memory"
         : !b.has({measure_record::shared}) ? "global memory"
                                            : "shared or global memory";
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

void judge_number(launch_judgement& j, const limit& l, const amount& a, bool scaled) {
  // Times are printed in the unit of the key. Short times need more digits.
  const bool is_time = l.row->form == limit_form::microseconds;
  const int digits = l.most < 1000 ? 3 : 2;
  const std::string name = is_time ? "us (predicted)" : l.of().many;
  const auto number = [is_time, digits](std::uint64_t n) {
    return is_time ? fixed(static_cast<double>(n) / 1000, digits) : grouped(n);
  };
  if (a.within.low > l.most)
    j.add_wrong(formatted("{}{} {}{}, {} allowed", scaled ? "about " : "", number(a.is), name,
                          scaled ? formatted(", at least {}", number(a.within.low)) : "", number(l.most)),
                a.within.low - l.most, l.of().is_of_sectors());
  else if (a.within.high > l.most)
    j.add_open(formatted("the budget allows {} {}, but the estimate is {} {}, {}", number(l.most), name, number(a.is),
                         name,
                         a.within.high == ~std::uint64_t{0}
                             ? formatted("and at least {}", number(a.within.low))
                             : formatted("in the interval {} to {}", number(a.within.low), number(a.within.high))));
}

// Judges the limit of a ratio: measured wavefronts or sectors divided by ideal wavefronts or sectors.
void judge_ratio(launch_judgement& j, const limit& l, const amounts& sum, bool scaled) {
  const measure_row& m = l.of();
  const interval within = sum[m.is].within, ideal = sum[m.ideal].within;
  const double is = ratio_in(sum, m);
  // A measure is at least its ideal, so a ratio is at least 1.
  const auto end_of = [&](std::uint64_t x, std::uint64_t y) { return scaled ? std::max(1.0, ratio_of(x, y)) : is; };
  if (end_of(within.low, ideal.high) > l.ratio)
    j.add_wrong(formatted("{} times the ideal {}, {} allowed", fixed(is, 2), m.many, fixed(l.ratio, 2)),
                sum[m.excess].is, m.is_of_sectors());
  else if (end_of(within.high, ideal.low) > l.ratio)
    j.add_open(formatted("the budget allows {} times the ideal {}, but the estimate is {} times the ideal {}",
                         fixed(l.ratio, 2), m.many, fixed(is, 2), m.many));
}

launch_judgement judge_launch(const budget& b, const launch_report& l, const amounts& sum) {
  launch_judgement j;
  for (const limit& one : b.limits)
    if (one.row->form != limit_form::ratio && (l.time || one.of().record != measure_record::time))
      judge_number(j, one, sum[one.row->of], l.scaled);
  for (const limit& one : b.limits)
    if (one.row->form == limit_form::ratio) judge_ratio(j, one, sum, l.scaled);
  return j;
}

finding finding_of(const launch_judgement& j, const launch_report& l, const launch_cost& c, const std::string& about,
                   const std::string& place) {
  finding i;
  i.what = find_kind(over_budget);
  i.kernel = l.kernel;
  i.instance = shown_name(l);
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
  i.wavefronts = c.sum[measure::wavefronts].is;
  i.amount = j.most;
  i.message = formatted("{}: {} ({})", i.instance, j.wrong, place);
  i.fingerprint = fingerprint_of({std::string(over_budget), l.kernel, about});
  return i;
}

// Returns the launches of a budget's kernels, in the reports of its run.
std::vector<const launch_report*> launches_of(const verdict_question& q, const budget& b) {
  std::vector<const launch_report*> launches;
  std::vector<std::size_t> kernel_of;
  std::vector<kernel_names> kernels;
  std::map<kernel_names, std::size_t> places;
  for (std::size_t at = 0; at < q.reports.size(); ++at) {
    if (!b.run.empty() && (at >= q.runs.size() || q.runs[at] != b.run)) continue;
    for (const launch_report& l : q.reports[at].launches) {
      const auto [place, is_new] = places.try_emplace(names_of(l), kernels.size());
      if (is_new) kernels.push_back(place->first);
      launches.push_back(&l);
      kernel_of.push_back(place->second);
    }
  }
  const std::vector<bool> is_for = kernels_of_budget(b.kernel, kernels);
  std::vector<const launch_report*> chosen;
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (is_for[kernel_of[i]]) chosen.push_back(launches[i]);
  return chosen;
}

void judge_budget(const verdict_question& q, const budget& b, verdict& v) {
  const std::string place = formatted("{}:{}", base_name(q.asked.name), b.config_line);
  const std::string of_line = b.kernel + (b.line != 0 ? formatted(" {}:{}", b.file, b.line) : "");
  const std::string about = (b.run.empty() ? "" : formatted("{}: ", b.run)) + of_line;
  std::string untimed;  // name of a launch without a predicted time, if the budget limits time
  bool launched = false, touched = false, undecided = false, estimated = false, timed = false;
  std::vector<amounts> sums;  // for each launch to which the budget applies
  std::map<std::string, std::pair<std::uint64_t, finding>> above;
  const auto leave_undecided = [&](std::string note) {
    undecided = v.undecided = true;
    v.notes.push_back(std::move(note));
  };
  for (const launch_report* const one : launches_of(q, b)) {
    const launch_report& l = *one;
    launched = true;
    const launch_cost c = cost_of(l, b);
    touched |= c.any;
    estimated |= l.scaled || l.partial;
    sums.push_back(c.sum);
    if (b.has(sector_records) && !l.global_counted) {
      v.lacks_counts = true;
      leave_undecided(formatted(
          "{}: {}: the check cannot decide, because the report has no sectors of global memory. Make the report "
          "again with {}",
          place, shown_name(l), worded(setting::global, "on")));
      continue;
    }
    if (b.has({measure_record::time}) && !l.time && untimed.empty()) untimed = shown_name(l);
    timed |= static_cast<bool>(l.time);
    const launch_judgement j = judge_launch(b, l, c.sum);
    if (j.wrong.empty() && !j.open.empty())
      leave_undecided(formatted("{}: {}: the check cannot decide: {}. Make the report again without {}", place,
                                shown_name(l), j.open, worded(l.timed ? setting::time : setting::ctas)));
    if (j.wrong.empty()) continue;
    const std::string kernel = shown_name(l);
    const auto it = above.find(kernel);
    if (it == above.end() || it->second.first < j.most) above[kernel] = {j.most, finding_of(j, l, c, about, place)};
  }
  for (auto& [kernel, worst] : above) v.findings.push_back(std::move(worst.second));
  if (!launched && !q.has_all && b.run.empty())
    v.notes.push_back(
        formatted("{}: no launch in these reports has a kernel that matches '{}'. The reports of the other runs were "
                  "not read",
                  place, b.kernel));
  else if (!launched || (!touched && b.line != 0))
    add_lost(q, b, about, launched, v);
  else if (!untimed.empty() && timed)
    v.notes.push_back(
        formatted("{}: the report lacks the predicted times of some launches of {}, so only its other launches were "
                  "compared. {} predicts all times",
                  place, untimed, worded(setting::time_model, "all")));
  else if (!untimed.empty())
    add_untimed(q, b, about, untimed, v);
  else if (above.empty() && !undecided)
    v.passed.push_back({"budgets", formatted("{} ({})", about, place)});
  if (launched && above.empty() && !undecided && !estimated && (touched || b.line == 0)) add_loose(b, of_line, sums, v);
}

}  // namespace

void judge_budgets(const verdict_question& q, verdict& v) {
  for (const budget& b : q.asked.budgets) {
    const bool has_report = b.run.empty() || std::find(q.runs.begin(), q.runs.end(), b.run) != q.runs.end();
    if (has_report) judge_budget(q, b, v);
  }
}

}  // namespace bankwise::check
