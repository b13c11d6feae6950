#include "report/forms/report_formats.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/forms/annotations.hpp"
#include "report/forms/perfetto.hpp"
#include "report/forms/report_comment.hpp"
#include "report/forms/sarif.hpp"
#include "report/forms/site_table.hpp"
#include "report/forms/speedscope.hpp"
#include "report/json/brief.hpp"
#include "report/json/write_report.hpp"
#include "report/page/page.hpp"
#include "report/sections/other_instructions_report.hpp"
#include "report/table/estimate_report.hpp"
#include "report/text/check_report.hpp"

namespace bankwise {

namespace {

// Returns the source line of a replacement of instructions. A replacement has only the name of the file, so the path
// comes from its first site.
std::string line_of_move(const launch_report& l, const known_move& m,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  for (const site& s : l.sites)
    if (!m.sites.empty() && std::pair(s.function, s.pc) == m.sites.front())
      return std::string(trim(source_line(s.file, s.line)));
  return {};
}

std::string write_text(const report& r, const launch_fixes& fixes, const presentation& how) {
  // The report contains each line as it was when the report was made. The file may have changed since then, so the text
  // in the report is preferred.
  std::map<std::pair<std::string, std::uint32_t>, std::string> lines;
  for (const launch_report& l : r.launches) {
    for (const site& s : l.sites)
      if (!s.text.empty()) lines.try_emplace({s.file, s.line}, s.text);
    for (const global_site& s : l.global_sites)
      if (!s.text.empty()) lines.try_emplace({s.file, s.line}, s.text);
    for (const out_of_bounds_access& a : l.out_of_bounds)
      if (!a.place.text.empty()) lines.try_emplace({a.place.file, a.place.line}, a.place.text);
  }
  const auto source_line = [&](const std::string& file, std::uint32_t line) {
    const auto kept = lines.find({file, line});
    return kept != lines.end() ? kept->second : how.source_line ? how.source_line(file, line) : std::string();
  };
  std::string text =
      to_text(r, how.paint, {how.all, how.fixes, how.search_cut, source_line, how.watch, how.order, how.print_limit});
  // Launches of a kernel often have equal answers. Each answer is printed once, with the number of launches.
  std::vector<std::pair<std::string, std::size_t>> answers;
  for (const std::vector<advice_report>& of_launch : fixes) {
    if (of_launch.empty()) continue;
    std::string of = to_text(of_launch, how.paint, how.all);
    const auto same = std::find_if(answers.begin(), answers.end(), [&](const auto& one) { return one.first == of; });
    if (same == answers.end())
      answers.emplace_back(std::move(of), 1);
    else
      ++same->second;
  }
  for (const auto& [of, launches] : answers)
    text += formatted(
        "\n{}{}", of,
        launches == 1 ? ""
                      : formatted("{}\n", how.paint.dim(formatted("   the same in {} launches", grouped(launches)))));
  if (answers.empty() && !fixes.empty())
    text += formatted("\n{}", to_text(std::vector<advice_report>(), how.paint, how.all));
  if (fixes.empty() && how.fixes != fix_text::code) return text;
  std::vector<known_move> moves;
  for (const launch_report& l : r.launches)
    for (known_move m : l.moves) {
      if (m.text.empty()) m.text = line_of_move(l, m, source_line);
      moves.push_back(std::move(m));
    }
  const std::string others = to_text(moves, how.paint, how.all);
  return text + (others.empty() ? "" : formatted("\n{}", others));
}

std::vector<check::finding> findings_of(const report& r, const presentation& how) {
  std::vector<check::finding> findings = check::joined(check::findings_of(r));
  if (how.path_of)
    for (check::finding& i : findings) {
      i.path = how.path_of(i.file);
      for (check::finding& also : i.also) also.path = how.path_of(also.file);
    }
  return findings;
}

std::string write_junit(const report& r, const launch_fixes&, const presentation& how) {
  std::vector<check::finding> findings = findings_of(r, how);
  std::vector<check::passed_case> passed;
  for (const launch_report& l : r.launches)
    if (!l.partial && l.hazards.empty() &&
        std::none_of(findings.begin(), findings.end(), [&](const check::finding& i) { return i.kernel == l.kernel; }) &&
        std::none_of(passed.begin(), passed.end(), [&](const auto& p) { return p.group == l.kernel; }))
      passed.push_back({l.kernel, l.scaled ? "the sample has no findings" : "no findings"});
  for (check::finding& i : findings)
    i.fails =
        i.what->level == check::severity::error ||
        (i.what->level == check::severity::warning &&
         (how.fails == failing::any || (how.fails == failing::removable && i.what->id == check::removable_conflict)));
  return to_junit(findings, passed);
}

constexpr report_format table[] = {
    {"text", ".txt", false, write_text},
    {"json", ".json", false,
     [](const report& r, const launch_fixes& f, const presentation& how) {
       return how.brief ? to_brief(r) : to_json(r, f, how.watch);
     }},
    {"html", ".html .htm", false,
     [](const report& r, const launch_fixes& f, const presentation& how) { return to_html(r, f, how.watch); }},
    {"csv", ".csv", false, [](const report& r, const launch_fixes&, const presentation&) { return to_csv(r); }},
    {"sarif", ".sarif", true,
     [](const report& r, const launch_fixes&, const presentation& how) {
       return to_sarif(findings_of(r, how), how.input, early_end_of(r), exactness_sentence(r));
     }},
    {"junit", ".xml", true, write_junit},
    {"github", "", true,
     [](const report& r, const launch_fixes&, const presentation& how) { return to_annotations(findings_of(r, how)); }},
    {"markdown", ".md", false,
     [](const report& r, const launch_fixes&, const presentation& how) { return to_markdown(r, how.all); }},
    {"perfetto", "", false,
     [](const report& r, const launch_fixes&, const presentation&) { return to_perfetto(r.timeline); }},
    {"speedscope", "", true,
     [](const report& r, const launch_fixes&, const presentation& how) { return to_speedscope(r, how.path_of); }},
};

constexpr check_format check_table[] = {
    {"text", [](const check::verdict& v, const presentation& how) { return to_text(v, how.paint, how.all); }},
    {"json", [](const check::verdict& v, const presentation&) { return to_json(v); }},
    {"sarif",
     [](const check::verdict& v, const presentation& how) { return to_sarif(check::joined(v.findings), how.input); }},
    {"junit",
     [](const check::verdict& v, const presentation&) { return to_junit(check::joined(v.findings), v.passed); }},
    {"github", [](const check::verdict& v, const presentation&) { return to_annotations(check::joined(v.findings)); }},
};

}  // namespace

std::span<const report_format> report_formats() { return table; }

std::span<const check_format> check_formats() { return check_table; }

const report_format* find_report_format(std::string_view name) {
  const auto it =
      std::find_if(std::begin(table), std::end(table), [&](const report_format& f) { return f.name == name; });
  return it == std::end(table) ? nullptr : &*it;
}

}  // namespace bankwise
