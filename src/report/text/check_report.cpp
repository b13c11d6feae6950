#include "report/text/check_report.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/sections/time_report.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;
using check::finding;
using check::novelty;

const char* word_of(novelty n) {
  switch (n) {
    case novelty::fresh: return "new";
    case novelty::known: return "known";
    case novelty::worse: return "worse";
    case novelty::not_compared: break;
  }
  return "";
}

// Returns the reason why no finding fails the check.
std::string why_not_counted(check::fail_on fails) {
  switch (fails) {
    case check::fail_on::budget: return " (fail-on = \"budget\": only budgets fail the check)";
    case check::fail_on::never: return " (fail-on = \"never\": nothing fails the check)";
    case check::fail_on::fresh:
    case check::fail_on::any: break;
  }
  return " (notes never fail the check)";
}

std::string where(const finding& i) {
  const std::string path = i.path.empty() ? i.file : i.path;
  return i.line == 0 ? place_of(i) : formatted("{}:{}", path, i.line);
}

}  // namespace

std::string to_text(const check::verdict& v, const style& s, bool all) {
  std::string text;
  std::size_t failing = 0, known = 0, suppressed = 0, other = 0;
  for (const finding& i : check::joined(v.findings)) {
    failing += i.fails;
    suppressed += i.suppressed.has_value();
    known += !i.suppressed && i.compared == novelty::known && !i.fails;
    const bool quiet = !i.fails && (i.suppressed || i.compared == novelty::known);
    other += !i.fails && !quiet;
    if (quiet && !all) continue;
    const std::string level = std::string(check::name_of(i.what->level));
    text += formatted("{}: {} {}: {}", where(i), i.fails ? s.bad(level) : s.warn(level),
                      s.strong(std::string(i.what->id)), i.message);
    if (i.compared == novelty::worse) text += formatted(". The number in the baseline is {}", grouped(i.amount_before));
    if (i.compared == novelty::known) text += " (known)";
    text += "\n";
    if (i.suppressed) text += formatted("    suppressed: {}\n", *i.suppressed);
    if (!i.text.empty()) text += formatted("    {}\n", s.dim(i.text));
    if (i.holds != validity::unknown && !i.suppressed)
      text += formatted("    {}\n", s.dim(formatted("holds for {}", words_of(i.holds))));
    if (const std::string saving = saving_of_finding(i); !saving.empty() && !i.suppressed)
      text += formatted("    {}\n", saving);
    if (!i.fix.empty() && !i.suppressed) text += formatted("    fix: {}\n", i.fix);
  }
  for (const std::string& n : v.notes) text += formatted("note: {}\n", n);
  if (!v.loose.empty()) {
    std::string lines;
    std::set<std::uint32_t> seen;
    for (const check::loose_limit& l : v.loose)
      if (seen.insert(l.config_line).second) lines += (lines.empty() ? "" : ", ") + std::to_string(l.config_line);
    const check::loose_limit& l = v.loose.front();
    text += formatted(
        "note: {} in bankwise.toml, line{}{}{} more than the current cost ({}: {} {}, {} allowed). bankwise check {} "
        "lowers {}\n",
        seen.size() == 1 ? "the budget" : formatted("{} budgets", seen.size()), seen.size() == 1 ? " " : "s ", lines,
        seen.size() == 1 ? ", allows" : ", allow", l.about, l.key, l.is, l.allowed, worded(setting::update_budgets),
        seen.size() == 1 ? "this budget" : "these budgets");
  }
  if (!v.gone.empty())
    text += formatted(
        "note: the baseline has {} that the reports no longer have. bankwise check {} removes them from the baseline\n",
        count_of(v.gone.size(), "finding"), worded(setting::update_baseline));
  if (!text.empty()) text += "\n";
  std::string rest;
  if (other != 0) rest += formatted(", {} not counted{}", other, why_not_counted(v.fails));
  if (known != 0) rest += formatted(", {} known", known);
  if (suppressed != 0) rest += formatted(", {} suppressed", suppressed);
  const std::string verdict = v.failed ? s.bad(formatted("failed: {}", count_of(failing, "finding")))
                              : v.undecided && v.fails != check::fail_on::never ? s.bad("undecided")
                                                                                : s.good("passed");
  text += formatted("{}{}\n", verdict, rest);
  for (const std::string& one : v.to_do) text += formatted("  {}\n", one);
  return text;
}

std::string to_json(const check::verdict& v) {
  json findings = json::array(), passed = json::array(), gone = json::array();
  for (const finding& i : check::joined(v.findings)) {
    json one = {{"rule", i.what->id},       {"level", check::name_of(i.what->level)},
                {"fails", i.fails},         {"fingerprint", i.fingerprint},
                {"message", i.message},     {"kernel", i.kernel},
                {"instance", i.instance},   {"path", i.path.empty() ? i.file : i.path},
                {"line", i.line},           {"text", i.text},
                {"operation", i.operation}, {"wavefronts", i.wavefronts},
                {"amount", i.amount}};
    for (const finding& also : i.also) {
      const std::string& path = also.path.empty() ? also.file : also.path;
      one["also"].push_back(
          {{"rule", also.what->id}, {"fingerprint", also.fingerprint}, {"path", path}, {"line", also.line}});
    }
    if (i.holds != validity::unknown) one["holds_for"] = name_of(i.holds);
    if (i.estimated) {
      one["estimated"] = {{"amount_low", i.amount_low}};
      if (i.amount_high != ~std::uint64_t{0}) one["estimated"]["amount_high"] = i.amount_high;
    }
    if (i.time) {
      one["cycles"] = i.time.cycles;
      one["saved_cycles"] = i.saved_cycles;
    }
    if (i.compared != novelty::not_compared) one["baseline"] = word_of(i.compared);
    if (i.suppressed) one["suppressed"] = *i.suppressed;
    if (!i.fix.empty()) {
      one["fix"] = i.fix;
      if (!i.fix_code.empty()) one["fix_code"] = i.fix_code;
    }
    findings.push_back(std::move(one));
  }
  for (const check::passed_case& p : v.passed) passed.push_back({{"group", p.group}, {"name", p.name}});
  for (const check::known_finding& k : v.gone)
    gone.push_back({{"fingerprint", k.fingerprint}, {"rule", k.kind}, {"kernel", k.kernel}, {"place", k.place}});
  return json_text({{"schema", "bankwise.check/1"},
                    {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
                    {"failed", v.failed},
                    {"issues", std::move(findings)},
                    {"passed", std::move(passed)},
                    {"gone", std::move(gone)},
                    {"notes", v.notes}});
}

}  // namespace bankwise
