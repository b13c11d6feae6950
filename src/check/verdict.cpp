#include "check/verdict.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/line_tables.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "check/budget_verdict.hpp"
#include "check/ignore_list.hpp"
#include "check/suppressions.hpp"
#include "model/instances.hpp"

namespace bankwise::check {

namespace {

// Returns the findings of all reports. If several reports have the same finding, keeps the finding with the largest
// amount.
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
  for (const report& r : q.reports)
    for (const launch_report& l : r.launches)
      for (const hazard& h : l.hazards)
        if (l.checked.any() && h.second.line != 0) files[h.second.file].push_back({h.second.line, h.second.text});
  for (const report& r : q.reports)
    for (const launch_report& l : r.launches)
      for (const block_race& b : l.block_races)
        if (l.checked.races && b.second.line != 0) files[b.second.file].push_back({b.second.line, b.second.text});
  for (const auto& [file, lines] : files) {
    const auto text = q.source ? q.source(file) : std::nullopt;
    if (!text) {
      v.notes.push_back(formatted("the source {} was not found, so its comments that suppress findings were not read",
                                  base_name(file)));
      continue;
    }
    const std::vector<std::string_view> now = split(*text, '\n');
    // Comments are not read if the source was changed after the report was made, because a comment may now be on
    // another line.
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
        report_it(bad_suppression, formatted("this comment suppresses nothing: {}", s.wrong));
        continue;
      }
      bool used = false;
      for (finding& i : v.findings)
        if (i.file == file && i.line == s.line &&
            std::find(s.kinds.begin(), s.kinds.end(), i.what->id) != s.kinds.end()) {
          i.suppressed = s.reason;
          used = true;
        }
      // An unused comment is reported only if its line was checked.
      const bool seen = std::any_of(lines.begin(), lines.end(), [&](const seen_line& l) { return l.number == s.line; });
      if (!used && seen)
        report_it(idle_suppression,
                  formatted("this comment suppresses nothing: line {} has none of the findings that the comment names",
                            s.line));
    }
  }
}

// Suppresses the findings that [[ignore]] entries name.
void ignore(const verdict_question& q, verdict& v) {
  std::set<const ignore_entry*> used;
  for (finding& i : v.findings)
    if (const ignore_entry* const e = ignored_by(q.asked.ignores, i); e != nullptr) {
      used.insert(e);
      if (i.suppressed) continue;
      i.suppressed = e->reason;
      i.is_suppressed_by_config = true;
    }
  for (const ignore_entry& e : q.asked.ignores)
    if (!used.contains(&e) && q.has_all)
      v.notes.push_back(formatted("{}:{}: this [[ignore]] is for no finding", base_name(q.asked.name), e.config_line));
}

void note_missing_lines(const verdict_question& q, verdict& v) {
  for (const report& r : q.reports)
    for (const launch_report& l : r.launches) {
      if (l.sites.empty() || std::any_of(l.sites.begin(), l.sites.end(), [](const site& s) { return s.line != 0; }))
        continue;
      v.notes.push_back(
          formatted("{} has no line table. To see source lines, compile with {}", shown_name(l), line_table_flag));
      return;
    }
}

// Returns the arguments of `bankwise run` that make a report with this kernel. If they are unknown, returns the source.
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
    if (id == lost_budget || id == bad_suppression || id.starts_with("BW4") || v.to_do.size() == most_commands)
      continue;
    const std::string command = run_of(q, i), flag = formatted("{}{}", "--", name_of(setting::fix));
    if (i.of_sectors) {
      add(formatted("to list the source lines with excess sectors of global memory: bankwise run {}", command));
      continue;
    }
    add(formatted("to print the layouts that remove the conflicts: bankwise run {}{}",
                  command.find(flag) != std::string::npos ? "" : formatted("{} ", flag), command));
  }
  const std::string name = base_name(q.asked.name);
  if (over) add(formatted("or raise the budget in {}, if the cost is intended", name));
  if (!lost.empty())
    add(formatted("correct the kernel or the line of the budget, or remove the budget ({}:{})", name, lost));
  if (is_new)
    add(
        formatted("or accept the finding: write a comment \"// bankwise: ignore RULE -- REASON\" on the line of the "
                  "finding, or run bankwise check {} {}",
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
  ignore(q, v);

  for (finding& i : v.findings) {
    if (q.fails == fail_on::never || i.suppressed || i.what->level == severity::note) continue;
    // Errors that are not compared with a baseline always fail the check. Findings about budgets and comments are such
    // errors.
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
      if (l.hazards.empty() &&
          std::none_of(v.findings.begin(), v.findings.end(), [&](const finding& i) { return i.kernel == l.kernel; }) &&
          named.insert(l.kernel).second)
        v.passed.push_back({l.kernel, l.scaled ? "the sample has no findings" : "no findings"});
  return v;
}

}  // namespace bankwise::check
