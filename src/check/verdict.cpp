#include "check/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "base/format.hpp"
#include "base/line_tables.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "check/suppressions.hpp"

namespace bankwise::check {

namespace {

// Merges equal findings of several reports.
std::vector<finding> all_findings(const std::vector<report>& reports) {
  std::vector<finding> all;
  std::map<std::string, std::size_t> at;
  for (const report& r : reports)
    for (finding& i : findings_of(r)) {
      const auto [it, is_new] = at.try_emplace(i.fingerprint, all.size());
      if (is_new)
        all.push_back(std::move(i));
      else if (finding& before = all[it->second]; i.amount > before.amount)
        before = std::move(i);
    }
  return all;
}

// --- suppressions

struct seen_line {
  std::uint32_t number;
  std::string text;
};

void suppress(const verdict_question& q, verdict& v) {
  std::map<std::string, std::vector<seen_line>> files;
  for (const report& r : q.reports)
    for (const launch_report& l : r.launches)
      for (const site& s : l.sites)
        if (s.line != 0) files[s.file].push_back({s.line, s.text});
  for (const report& r : q.reports)
    for (const launch_report& l : r.launches)
      for (const global_site& s : l.global_sites)
        if (s.line != 0) files[s.file].push_back({s.line, s.text});
  for (const report& r : q.reports)
    for (const launch_report& l : r.launches)
      for (const out_of_bounds_access& a : l.out_of_bounds)
        if (a.place.line != 0) files[a.place.file].push_back({a.place.line, a.place.text});
  for (const auto& [file, lines] : files) {
    const auto text = q.source ? q.source(file) : std::nullopt;
    if (!text) {
      v.notes.push_back(base_name(file) + " was not found, so comments that suppress findings were not read");
      continue;
    }
    const std::vector<std::string_view> now = split(*text, '\n');
    // In another version of the file, a comment may be about another line.
    const auto changed = std::find_if(lines.begin(), lines.end(), [&](const seen_line& l) {
      return l.number > now.size() || (!l.text.empty() && !code_of(now[l.number - 1]).starts_with(code_of(l.text)));
    });
    if (changed != lines.end()) {
      v.notes.push_back(
          formatted("{}:{} has changed since the report was made, so comments that suppress findings were not read",
                    base_name(file), changed->number));
      continue;
    }
    for (const suppression& s : read_suppressions(*text)) {
      const auto report_it = [&](std::string_view id, std::string message) {
        finding i;
        i.what = find_kind(id);
        i.file = file;
        i.line = s.comment_line;
        i.text = std::string(trim(now[s.comment_line - 1]).substr(0, 240));
        for (char& c : i.text)
          if ((c >= 0 && c < ' ') || c == '\x7f') c = ' ';
        i.message = std::move(message);
        i.fingerprint = fingerprint_of({std::string(id), base_name(file), squeezed(i.text)});
        v.findings.push_back(std::move(i));
      };
      if (!s.wrong.empty()) {
        report_it(bad_suppression, "this comment suppresses nothing: " + s.wrong);
        continue;
      }
      bool used = false;
      for (finding& i : v.findings)
        if (i.file == file && i.line == s.line &&
            std::find(s.kinds.begin(), s.kinds.end(), i.what->id) != s.kinds.end()) {
          i.suppressed = s.reason;
          used = true;
        }
      // Reports an unused comment only if its line was checked.
      const bool seen = std::any_of(lines.begin(), lines.end(), [&](const seen_line& l) { return l.number == s.line; });
      if (!used && seen) report_it(idle_suppression, "line " + std::to_string(s.line) + " has no such finding");
    }
  }
}

// --- budgets

struct cost_sum {
  std::uint64_t wavefronts = 0, ideal = 0, excess = 0, removable = 0;
  // The range of these numbers. It is the numbers themselves if every block ran.
  interval within_wavefronts, within_ideal, within_removable;
  bool any = false;
  const site* worst = nullptr;
  // For global and local memory.
  global_counts global;
  std::uint64_t local_sectors = 0;
  interval within_sectors, within_ideal_sectors, within_excess_sectors, within_local_sectors;
  const global_site* worst_global = nullptr;
};

bool is_file(const std::string& path, const std::string& wanted) {
  return path == wanted || path.ends_with("/" + wanted);
}

// A total of some sites, or of all sites, whose intervals are in `within`.
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
  if (scaled) i = {0, ~std::uint64_t{0}};  // of a report without intervals
  if (const interval* known = global_interval_of(within, count); known != nullptr) i = *known;
  to.low = plus(to.low, i.low);
  to.high = plus(to.high, i.high);
}

// The ranges of what add_sectors() adds: `within` of an instruction, or of all of them.
void add_sector_ranges(cost_sum& c, bool scaled, const std::vector<interval>& within, const global_counts& is) {
  add_global(c.within_sectors, scaled, within, "sectors", is);
  add_global(c.within_ideal_sectors, scaled, within, "sectors_ideal", is);
  add_global(c.within_excess_sectors, scaled, within, "excess_sectors", is);
}

void add_sectors(cost_sum& c, const launch_report& l, const budget& b) {
  // Shows the lines with the highest value of what is limited.
  const auto weight = [&](const global_site& s) {
    const bool has_limit =
        is_local(s.kind) ? b.local_sectors.has_value() : b.sectors || b.excess_sectors || b.sector_ratio;
    return std::tuple(has_limit, b.excess_sectors || b.sector_ratio ? excess_sectors(s) : 0, s.sectors);
  };
  for (const global_site& s : l.global_sites) {
    if (b.line != 0 && (s.line != b.line || !is_file(s.file, b.file))) continue;
    if (!is_global(s.kind) && !is_local(s.kind)) continue;  // no budget is for textures and surfaces
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
  if (b.line == 0) add_sector_ranges(c, l.scaled, l.global_within, c.global);  // narrower than the sum over the sites
}

cost_sum cost_of(const launch_report& l, const budget& b) {
  cost_sum c;
  // The lines to show: those with removable wavefronts, if these are limited.
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
  if (b.line == 0) {  // the launch's range, narrower than the sum over its sites
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

// A ratio as in bankwise.toml; rounded up, so that it still passes.
std::string ratio_text(double ratio) { return fixed(std::ceil(ratio * 100 - 1e-9) / 100, 2); }

double ratio_of(std::uint64_t is, std::uint64_t ideal) {
  return ideal == 0 ? 1 : static_cast<double>(is) / static_cast<double>(ideal);
}

// The highest cost among the launches of a budget.
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

// Adds the limits that all launches of a budget keep and that can be lowered.
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

// The memory whose numbers a budget limits.
std::string memory_of(const budget& b) {
  return !limits_sectors(b) ? "shared memory" : !limits_shared(b) ? "global memory" : "shared or global memory";
}

// Reports a budget that applies to nothing, at its place in the file.
void add_lost(const verdict_question& q, const budget& b, const std::string& about, bool launched, verdict& v) {
  const std::string of_what = b.run.empty() ? "these reports" : "the run " + b.run;
  finding i;
  i.what = find_kind(lost_budget);
  i.file = q.asked.name;
  i.line = b.config_line;
  i.message = launched ? formatted("no access to {} at {}:{} in {}: its budget checks nothing", memory_of(b), b.file,
                                   b.line, b.kernel)
                       : formatted("no launch of {} runs a kernel {}: its budget checks nothing", of_what, b.kernel);
  i.fingerprint = fingerprint_of({std::string(lost_budget), about});
  v.findings.push_back(std::move(i));
}

// Reports a budget for time, for a launch whose time is not predicted.
void add_untimed(const verdict_question& q, const budget& b, const std::string& about, const std::string& launch,
                 verdict& v) {
  finding i;
  i.what = find_kind(lost_budget);
  i.file = q.asked.name;
  i.line = b.config_line;
  i.message = formatted("the report has no predicted time of {}: its budget checks nothing; make the report with {}",
                        launch, worded(setting::time_model, "on"));
  i.fingerprint = fingerprint_of({std::string(lost_budget), "time", about});
  v.findings.push_back(std::move(i));
}

void judge_budgets(const verdict_question& q, verdict& v) {
  for (const budget& b : q.asked.budgets) {
    // The run of the budget has no report.
    if (!b.run.empty() && std::find(q.runs.begin(), q.runs.end(), b.run) == q.runs.end()) continue;
    const std::string place = formatted("{}:{}", base_name(q.asked.name), b.config_line);
    const std::string about =
        (b.run.empty() ? "" : b.run + ": ") + b.kernel + (b.line != 0 ? formatted(" {}:{}", b.file, b.line) : "");
    std::string untimed;  // a launch without the time that the budget limits
    bool launched = false, touched = false, undecided = false, estimated = false;
    highest_cost most_of;
    // For each kernel, the launch that exceeds the limit most.
    std::map<std::string, std::pair<std::uint64_t, finding>> above;
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
          undecided = v.undecided = true;
          v.notes.push_back(
              formatted("{}: {}: the report has no sectors of global memory: not decided; make it with {}", place,
                        l.name, worded(setting::global, "on")));
          continue;
        }
        const auto less = [](std::uint64_t x, std::uint64_t y) { return x - std::min(x, y); };
        const interval excess_within = l.scaled ? interval{less(c.within_wavefronts.low, c.within_ideal.high),
                                                           less(c.within_wavefronts.high, c.within_ideal.low)}
                                                : interval{c.excess, c.excess};
        std::vector<limit> limits;
        if (b.wavefronts) limits.push_back({"wavefronts", c.wavefronts, c.within_wavefronts, *b.wavefronts});
        if (b.excess) limits.push_back({"excess wavefronts", c.excess, excess_within, *b.excess});
        if (b.removable) limits.push_back({"removable wavefronts", c.removable, c.within_removable, *b.removable});
        add_sector_limits(limits, b, c);
        if (b.elapsed_cycles || b.nanoseconds) {
          if (!l.time && untimed.empty()) untimed = l.name;
          const auto add_time = [&](const char* name, const std::optional<std::uint64_t>& allowed, std::uint64_t is) {
            if (l.time && allowed) limits.push_back({name, is, {is, is}, *allowed});
          };
          add_time("elapsed cycles (predicted)", b.elapsed_cycles, l.time.cycles);
          add_time("ns (predicted)", b.nanoseconds, l.time.nanoseconds);
        }
        std::string wrong;
        std::uint64_t most = 0;
        bool is_of_sectors = true;  // all violations are about sectors
        std::string open;           // cases that an estimate cannot decide
        const auto leave_open = [&](const std::string& what) { open += (open.empty() ? "" : "; ") + what; };
        for (const limit& n : limits)
          if (n.within.low > n.allowed) {
            wrong +=
                formatted("{}{}{} {}{}, {} allowed", wrong.empty() ? "" : "; ", l.scaled ? "about " : "", grouped(n.is),
                          n.name, l.scaled ? ", at least " + grouped(n.within.low) : "", grouped(n.allowed));
            most = std::max(most, n.within.low - n.allowed);
            is_of_sectors &= n.is_of_sectors;
          } else if (n.within.high > n.allowed) {
            leave_open(formatted("{} {} allowed, and an estimate of {}, at least {}{}", grouped(n.allowed), n.name,
                                 grouped(n.is), grouped(n.within.low),
                                 n.within.high == ~std::uint64_t{0} ? "" : " and at most " + grouped(n.within.high)));
          }
        const double ratio = ratio_of(c.wavefronts, c.ideal);
        const double least_ratio = l.scaled ? ratio_of(c.within_wavefronts.low, c.within_ideal.high) : ratio;
        const double most_ratio = l.scaled ? ratio_of(c.within_wavefronts.high, c.within_ideal.low) : ratio;
        if (b.ratio && least_ratio <= *b.ratio && most_ratio > *b.ratio)
          leave_open(formatted("{} wavefronts for each ideal one allowed, and an estimate of {}", fixed(*b.ratio, 2),
                               fixed(ratio, 2)));
        if (b.ratio && least_ratio > *b.ratio) {
          wrong += formatted("{}{} wavefronts for each ideal one, {} allowed", wrong.empty() ? "" : "; ",
                             fixed(ratio, 2), fixed(*b.ratio, 2));
          most = std::max(most, c.excess);
          is_of_sectors = false;
        }
        const double sector_ratio = ratio_of(c.global.sectors, c.global.sectors_ideal);
        // Sectors are at least the ideal ones.
        const auto end_ratio = [](std::uint64_t is, std::uint64_t ideal) { return std::max(1.0, ratio_of(is, ideal)); };
        const double least_sectors =
            l.scaled ? end_ratio(c.within_sectors.low, c.within_ideal_sectors.high) : sector_ratio;
        const double most_sectors =
            l.scaled ? end_ratio(c.within_sectors.high, c.within_ideal_sectors.low) : sector_ratio;
        if (b.sector_ratio && least_sectors <= *b.sector_ratio && most_sectors > *b.sector_ratio)
          leave_open(formatted("{} sectors for each ideal one allowed, and an estimate of {}",
                               fixed(*b.sector_ratio, 2), fixed(sector_ratio, 2)));
        if (b.sector_ratio && least_sectors > *b.sector_ratio) {
          wrong += formatted("{}{} sectors for each ideal one, {} allowed", wrong.empty() ? "" : "; ",
                             fixed(sector_ratio, 2), fixed(*b.sector_ratio, 2));
          most = std::max(most, excess_sectors(c.global));
        }
        if (wrong.empty() && !open.empty()) {
          undecided = v.undecided = true;
          v.notes.push_back(formatted("{}: {}: {}: undecided; make the report again without {}", place, l.name, open,
                                      worded(l.timed ? setting::time : setting::ctas)));
        }
        if (wrong.empty()) continue;
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
        if (is_of_sectors && c.worst_global != nullptr)
          point_at(*c.worst_global, spelling_of(*c.worst_global));
        else if (c.worst != nullptr)
          point_at(*c.worst, c.worst->op.spelling);
        i.of_sectors = is_of_sectors;
        i.wavefronts = c.wavefronts;
        i.amount = most;
        i.message = formatted("{}: {} ({})", l.name, wrong, place);
        i.fingerprint = fingerprint_of({std::string(over_budget), l.kernel, about});
        const auto it = above.find(l.kernel);
        if (it == above.end() || it->second.first < most) above[l.kernel] = {most, std::move(i)};
      }
    for (auto& [kernel, worst] : above) v.findings.push_back(std::move(worst.second));
    if (!launched && !q.has_all && b.run.empty())
      v.notes.push_back(
          formatted("{}: no launch of these reports runs a kernel {}; the other runs were not read", place, b.kernel));
    else if (!launched || (!touched && b.line != 0))
      add_lost(q, b, about, launched, v);
    else if (!untimed.empty())
      add_untimed(q, b, about, untimed, v);
    else if (above.empty() && !undecided)
      v.passed.push_back({"budgets", formatted("{} ({})", about, place)});
    if (launched && above.empty() && !undecided && !estimated && (touched || b.line == 0))
      add_loose(b, b.kernel + (b.line != 0 ? formatted(" {}:{}", b.file, b.line) : ""), most_of, v);
  }
}

void note_missing_lines(const verdict_question& q, verdict& v) {
  for (const report& r : q.reports)
    for (const launch_report& l : r.launches) {
      if (l.sites.empty() || std::any_of(l.sites.begin(), l.sites.end(), [](const site& s) { return s.line != 0; }))
        continue;
      v.notes.push_back(
          formatted("{} has no line table; to see source lines, compile with {}", l.name, line_table_flag));
      return;
    }
}

// The command that makes a report with this kernel, in the form of `bankwise run`; otherwise the source.
std::string run_of(const verdict_question& q, const finding& i) {
  for (std::size_t at = 0; at < q.reports.size() && at < q.runs.size(); ++at)
    for (const launch_report& l : q.reports[at].launches)
      if (l.kernel == i.kernel)
        for (const run_entry& r : q.asked.runs)
          if (r.name == q.runs[at]) return r.command;
  const std::string& path = i.path.empty() ? i.file : i.path;
  return path.ends_with(".cu") ? shell_word(base_name(path)) : "PROGRAM";
}

void say_what_to_do(const verdict_question& q, verdict& v) {
  const auto add = [&](const std::string& text) {
    if (std::find(v.to_do.begin(), v.to_do.end(), text) == v.to_do.end()) v.to_do.push_back(text);
  };
  constexpr std::size_t most_commands = 3;
  std::string budgets, lost;
  bool is_new = false, over = false;
  for (const finding& i : v.findings) {
    if (!i.fails) continue;
    const std::string_view id = i.what->id;
    if (id == lost_budget) lost += (lost.empty() ? "" : ", ") + std::to_string(i.line);
    over |= id == over_budget;
    is_new |= i.compared != novelty::not_compared || i.what->level != severity::error;
    if (id == lost_budget || id == bad_suppression || id == out_of_bounds || v.to_do.size() == most_commands) continue;
    const std::string command = run_of(q, i), flag = "--" + std::string(name_of(setting::fix));
    if (i.of_sectors) {
      add(formatted("to see which lines touch more sectors than their bytes fill: bankwise run {}", command));
      continue;
    }
    add(formatted("to see what removes the conflicts: bankwise run {}{}",
                  command.find(flag) != std::string::npos ? "" : flag + " ", command));
  }
  const std::string name = base_name(q.asked.name);
  if (over) add("or raise the budget in " + name + ", if the cost is intended");
  if (!lost.empty()) add(formatted("correct the kernel or the line of the budget, or remove it ({}:{})", name, lost));
  if (is_new)
    add(
        formatted("or accept the finding: a comment \"// bankwise: ignore RULE -- REASON\" on its line, or "
                  "bankwise check {} {}",
                  worded(setting::baseline, "FILE"), worded(setting::update_baseline)));
}

}  // namespace

verdict judge(const verdict_question& q) {
  verdict v;
  v.fails = q.fails;
  v.findings = all_findings(q.reports);

  if (q.baseline) {
    std::map<std::string, const known_finding*> known;
    for (const known_finding& k : *q.baseline) known[k.fingerprint] = &k;
    std::set<std::string> found;
    for (finding& i : v.findings) {
      if (i.what->level == severity::note) continue;
      const auto k = known.find(i.fingerprint);
      i.compared = k == known.end()                   ? novelty::fresh
                   : i.amount_low > k->second->amount ? novelty::worse
                                                      : novelty::known;
      if (k != known.end()) i.amount_before = k->second->amount;
      found.insert(i.fingerprint);
    }
    for (const known_finding& k : *q.baseline)
      if (!found.contains(k.fingerprint)) v.gone.push_back(k);
  }
  judge_budgets(q, v);
  note_missing_lines(q, v);
  suppress(q, v);

  for (finding& i : v.findings) {
    if (q.fails == fail_on::never || i.suppressed || i.what->level == severity::note) continue;
    // Findings that are new in every report (budgets, comments) or were not compared.
    if (i.what->level == severity::error && i.compared == novelty::not_compared)
      i.fails = true;
    else
      i.fails = q.fails == fail_on::any || (q.fails == fail_on::fresh && i.compared != novelty::known);
    v.failed |= i.fails;
  }
  if (v.failed) say_what_to_do(q, v);
  std::set<std::string> named;
  for (const report& r : q.reports)
    for (const launch_report& l : r.launches)
      if (std::none_of(v.findings.begin(), v.findings.end(), [&](const finding& i) { return i.kernel == l.kernel; }) &&
          named.insert(l.kernel).second)
        v.passed.push_back({l.kernel, l.scaled ? "no findings in a sample" : "no findings"});
  return v;
}

}  // namespace bankwise::check
