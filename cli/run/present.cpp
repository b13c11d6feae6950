#include "cli/run/present.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/progress_line.hpp"
#include "base/text.hpp"
#include "check/ignore_list.hpp"
#include "cli/fix/edit_plan.hpp"
#include "cli/fix/fix.hpp"
#include "cli/line/next_commands.hpp"
#include "cli/line/output.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "findings/finding.hpp"
#include "model/fold.hpp"
#include "profile/profile_launch.hpp"
#include "report/sections/block_races_report.hpp"
#include "report/sections/finding_words.hpp"
#include "report/sections/hazard_report.hpp"
#include "report/sections/other_results_report.hpp"
#include "report/sections/out_of_bounds_report.hpp"
#include "report/sections/program_faults_report.hpp"
#include "report/sections/time_report.hpp"
#include "report/sections/trouble_counts.hpp"
#include "report/table/text_table.hpp"

namespace bankwise::cli {

namespace {

bool is_file(const std::string& output) { return !output.empty() && output != "-"; }

// Writes the report to the file of -o. Without -o, writes it to the stream for reports.
result<done> write(const report_request& how, const std::string& of_report) {
  const std::string text = in_form(how.format->name, of_report, how.paint);
  if (!how.beside_program || is_file(how.output)) return write_file(how.output, text);
  std::fflush(stdout);
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size() || std::fflush(stderr) != 0)
    return diagnostic{formatted("cannot write the report to standard error: {}", std::strerror(errno))};
  return done{};
}

// Time limits of the search for fixes for a page without --fix: for the launch of each kernel that has the most
// removable wavefronts, and for further launches of these kernels.
constexpr std::chrono::milliseconds page_search{5000}, further_page_search{1000};

// Returns the launches to search, in order.
std::vector<std::size_t> searched_launches(const report_request& how, const report& r) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < r.launches.size(); ++i)
    if (how.fix || r.launches[i].sum.removable != 0) order.push_back(i);
  const auto lost = [&](std::size_t i) { return r.launches[i].sum.removable * r.launches[i].count; };
  if (how.fix) return order;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return lost(a) > lost(b); });
  std::set<std::string> kernels;
  std::vector<std::size_t> first, further;
  for (const std::size_t i : order) (kernels.insert(r.launches[i].mangled).second ? first : further).push_back(i);
  first.insert(first.end(), further.begin(), further.end());
  return first;
}

result<launch_fixes> add_fixes(const report_request& how, report& r, const source_files& sources) {
  using clock = std::chrono::steady_clock;
  const clock::time_point begun = clock::now();
  std::set<std::string> kernels;
  launch_fixes fixes(r.launches.size());
  const std::vector<std::size_t> order = searched_launches(how, r);
  progress_line progress("fixes: launch");
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t i = order[n];
    launch_report& l = r.launches[i];
    const bool is_first = kernels.insert(l.mangled).second;
    const clock::time_point until =
        how.fix ? clock::time_point::max() : begun + (is_first ? page_search : further_page_search);
    if (clock::now() > until || stop_signal() != 0) break;
    progress.update(n, order.size());
    const search_limits limits{.effort = how.fix ? whole_effort : quick_effort, .until = until};
    auto advised = advise_launch(l, r.on, how.shapes, sources, how.tried, limits);
    // Without --fix, the user did not request the search. So the page is written even if the search fails.
    if (!advised && !how.fix) continue;
    if (!advised) return advised.error();
    keep_words(*advised, l);
    fixes[i] = std::move(advised->arrays);
  }
  // Accesses that only the search needed are removed.
  if (!how.accesses)
    for (launch_report& l : r.launches) forget_accesses(l);
  return fixes;
}

constexpr std::size_t most_findings_to_search = 10;
constexpr std::chrono::milliseconds longest_search{1000};

// What a search for fixes found, apart from the words in the report.
struct quick_search {
  bool cut = false;                             // whether the time limit ended the search
  std::vector<edit::array_question> questions;  // the arrays that `fix` may edit
};

// Searches for a one-line fix of each finding, in launches with recorded accesses.
quick_search look_for_fixes(report& r, const source_files& sources) {
  const search_limits limits{quick_effort, most_findings_to_search, std::chrono::steady_clock::now() + longest_search};
  struct words {
    std::vector<known_fix> fixes;
    std::vector<known_move> moves;
  };
  std::map<std::string, words> of_kernel;
  quick_search found;
  for (std::size_t n = 0; n < r.launches.size(); ++n) {
    launch_report& l = r.launches[n];
    if (l.has_accesses && l.sum.removable != 0 && !of_kernel.contains(l.mangled))
      // If a launch cannot be searched, it gets no fixes. The reason is only printed with --fix.
      if (const auto advised = advise_launch(l, r.on, {}, sources, {}, limits, &found.cut)) {
        for (const advice_report& a : advised->arrays) found.questions.push_back(question_of(l, n, a, sources));
        keep_words(*advised, l);
        of_kernel[l.mangled] = {l.fixes, l.moves};
      }
    if (l.has_accesses) forget_accesses(l);
  }
  for (launch_report& l : r.launches)
    if (const auto it = of_kernel.find(l.mangled); it != of_kernel.end() && l.sum.removable != 0 && l.fixes.empty()) {
      l.fixes = it->second.fixes;
      l.moves = it->second.moves;
      // The times in these fixes belong to the searched launch of the kernel, not to this launch.
      for (known_fix& f : l.fixes) f.cycles_before = f.cycles_after = 0;
    }
  // The array may also be an array of a kernel that was not searched, such as another instance of a template. It is then
  // unknown whether an edit of the declaration suits both kernels.
  std::erase_if(found.questions, [&](const edit::array_question& q) {
    return std::any_of(r.launches.begin(), r.launches.end(), [&](const launch_report& l) {
      return !of_kernel.contains(l.mangled) && std::any_of(l.sites.begin(), l.sites.end(), [&](const site& s) {
        return s.file == q.file && std::find(q.lines.begin(), q.lines.end(), s.line) != q.lines.end();
      });
    });
  });
  return found;
}

// Returns "about 1.74 times as fast without bank conflicts". Returns an empty string if a launch has no predicted time,
// or if nothing is saved.
std::string without_conflicts(const report& r) {
  const predicted_time all = time_of_launches(r);
  const std::uint64_t before = all.cycles, after = all.cycles_without_conflicts;
  if (!all || after == 0 || after >= before) return {};
  if (before - after < before / 100) return "bank conflicts cost under 1% of the time";
  return formatted("the kernels would be about {} without bank conflicts", factor_text(before, after));
}

// Whether the findings of a launch have one with this measure, apart from hints.
bool has_finding(const std::vector<findings::finding>& list, measure of) {
  return std::any_of(list.begin(), list.end(),
                     [&](const findings::finding& f) { return f.is_of(of) && !f.is_minor(); });
}

// Returns "wrote report.json: 2 findings, 1 note; about 1.74 times as fast without bank conflicts", for example.
std::string verdict_line(const report& r, const std::string& file) {
  const auto [races, out_of_bounds, refused] = count_troubles(r);
  std::size_t findings = 0, notes = 0;
  // These are the findings of the text report, which adds up launches that differ only in their data.
  const std::vector<added_launches> launches = add_up(r.launches);
  for (const findings::finding_in& f : findings::of_all(launches)) ++(f.what.is_minor() ? notes : findings);
  std::string text = formatted("wrote {}: ", file);
  if (r.partial) text += formatted("partial, {}; ", words_of(r.partial));
  if (refused != 0) text += formatted("{} failed, ", count_of(refused, "launch", "launches"));
  if (const std::string checked = checks_sentence(r); !checked.empty()) text += formatted("{}, ", checked);
  if (out_of_bounds != 0) text += formatted("{} out of bounds, ", count_of(out_of_bounds, "instruction"));
  if (races != 0) text += formatted("{} of shared memory", count_of(races, "race"));
  if (races == 0 || findings != 0) {
    if (races != 0) text += ", ";
    text += r.launches.empty() ? "no kernel was launched"
            : findings == 0    ? "no findings"
                               : count_of(findings, "finding");
  }
  if (notes != 0) text += formatted(", {}", count_of(notes, "note"));
  if (const std::string faster = without_conflicts(r); !faster.empty()) text += formatted("; {}", faster);
  return formatted("{}\n", text);
}

// Prints that accesses were out of bounds, for users who do not see the report.
void tell_out_of_bounds(const report& r) {
  std::vector<out_of_bounds_access> all;
  for (const launch_report& l : r.launches) all.insert(all.end(), l.out_of_bounds.begin(), l.out_of_bounds.end());
  if (!all.empty())
    tell(formatted("{} accessed {} out of bounds. The report lists these instructions",
                   count_of(all.size(), "instruction"), memory_out_of_bounds(all)));
}

// Reads the file of --suppressions.
result<check::config> read_accepted(const arguments& args) {
  const auto file = args.value("suppressions");
  if (!file) return check::config();
  const auto text = read_file(*file);
  if (!text) return text.error();
  auto c = check::read_config(*text, *file);
  if (c && c->ignores.empty())
    return diagnostic{formatted("--suppressions {}: the file has no [[ignore]]", *file),
                      {.file = *file},
                      "add [[ignore]], finding = \"race\" and reason = \"...\", each on its own line"};
  return c;
}

}  // namespace

void leave_out_accepted(const report_request& how, report& r) {
  if (how.accepted.ignores.empty()) return;
  const check::ignored_findings left = check::leave_out(r, how.accepted.ignores);
  if (left.findings != 0) tell(formatted("{} left out {}", how.accepted.name, count_of(left.findings, "finding")));
  for (const check::ignore_entry* const e : left.idle)
    tell(formatted("{}:{}: this [[ignore]] is for no finding of this run", how.accepted.name, e->config_line));
}

result<report_request> read_report_request(const arguments& args, report_goes where) {
  report_request how;
  std::vector<std::string> names;
  for (const report_format& f : report_formats()) names.emplace_back(f.name);
  const auto format = output_format(args, names.front(), names);
  if (!format) return format.error();
  how.format = find_report_format(*format);
  how.output = args.value("output").value_or("");
  how.beside_program = where == report_goes::beside_program;
  how.all = args.has("all");
  how.fix = args.has("fix");
  how.accesses = args.has("accesses");
  if (how.is_page() && where == report_goes::out)
    if (const auto refused = refuse_terminal(args, "report.html")) return *refused;
  if (how.accesses && *format != "json")
    return diagnostic{formatted("--accesses needs --format json, but the format is {}", *format),
                      {},
                      "bankwise run --accesses --format json -o report.json ..."};
  const auto order = choice(args, "sort", "time", {"time", "launched", "name"});
  if (!order) return order.error();
  how.order = *order == "name"       ? launch_order::name
              : *order == "launched" ? launch_order::launched
                                     : launch_order::time;
  how.brief = args.has("brief");
  if (how.brief && (*format != "json" || how.accesses || how.fix))
    return diagnostic{"--brief needs --format json, and cannot be combined with --accesses or --fix",
                      {},
                      "bankwise run --format json --brief -o brief.json ..."};
  auto shapes = read_shapes(args);
  if (!shapes) return shapes.error();
  how.shapes = std::move(*shapes);
  if (!how.shapes.empty() && !how.fix)
    return diagnostic{"--array declares the rows of an array for --fix: pass --fix as well"};
  if (args.has("try-warps") && (how.fix || how.accesses || !(how.is_text() || *format == "json")))
    return diagnostic{"--try-warps cannot be combined with --fix, --accesses or formats other than text and json"};
  if (args.has("try-input") && !how.fix)
    return diagnostic{"--try-input tries layouts on different input for --fix: pass --fix as well"};
  const auto fails = choice(args, "fail-on", "never", {"removable", "any", "never"});
  if (!fails) return fails.error();
  auto accepted = read_accepted(args);
  if (!accepted) return accepted.error();
  how.accepted = std::move(*accepted);
  const auto limit = number(args, "print-limit", most_findings_printed, 1, most_findings_printed);
  if (!limit) return limit.error();
  how.print_limit = *limit;
  how.words = args.words;
  // These flags decide how the code is compiled, and `fix` needs the same code.
  for (const char* flag : {"arch", "nvcc"})
    for (const std::string& value : args.all(flag)) how.build_flags.push_back(formatted("--{}={}", flag, value));
  how.edit_root = root_of(args);
  if (const auto root = args.value("root"); root && *root != ".")
    how.build_flags.push_back(formatted("--root={}", *root));
  how.fails = *fails == "removable" ? failing::removable : *fails == "any" ? failing::any : failing::never;
  const auto paint = output_style(args);
  if (!paint) return paint.error();
  how.paint = *paint;
  if (how.beside_program && !how.is_text() && !is_file(how.output))
    return diagnostic{
        formatted("--format {}: the report needs a file, because the program writes to standard output", *format),
        {},
        formatted("pass a file name, such as -o report.{}", *format)};
  if (how.format->names_paths || args.has("root"))
    if (const auto wrong = refuse_root(args)) return *wrong;
  return how;
}

result<done> present(const report_request& how, const report& r, const launch_fixes& fixes, source_files& sources,
                     const std::string& input, bool search_cut) {
  if (how.format->name == std::string_view("perfetto") && !r.timeline)
    return diagnostic{"the report has no timeline, because no program ran on the emulated GPU with predicted times",
                      {},
                      "bankwise run --format perfetto -o timeline.json ./program"};
  progress_line progress("writing the report: launch");
  stop_grace grace;
  const auto watch = [&](std::size_t n, std::size_t all) {
    progress.update(n, all);
    return how.ends_early && grace.is_over() ? stopped_now() : early_end();
  };
  const std::string text = how.format->write(
      r, fixes,
      {how.paint, how.all, how.brief, how.looks || how.fix ? fix_text::line : fix_text::code, search_cut,
       [&](const std::string& file, std::uint32_t line) { return sources.line(file, line); },
       [&](const std::string& file) { return sources.path_from_root(file); }, input, watch, how.order, how.print_limit,
       how.fails});
  progress.clear();
  auto written = write(how, text);
  std::error_code ec;
  if (written && is_file(how.output) && std::filesystem::is_regular_file(how.output, ec))
    std::fputs(printable_lines(verdict_line(r, how.output)).c_str(), stderr);
  return written;
}

void name_for_readers(const report_request& how, report& r, const source_files& sources) {
  if (how.is_page() || sources.has_root()) name_from_root(r, sources);
}

result<done> present_new(const report_request& how, report& r, bool may_advise, source_files& sources,
                         const std::string& input, const std::optional<std::string>& instead) {
  leave_out_accepted(how, r);
  auto fixes = (how.fix || how.is_page()) && may_advise ? add_fixes(how, r, sources) : launch_fixes();
  if (!fixes) return fixes.error();
  quick_search search = how.looks && may_advise ? look_for_fixes(r, sources) : quick_search();
  if (how.ends_early && stop_signal() != 0 && !r.partial) r.partial = stopped_now();
  for (std::size_t n = 0; how.is_text() && n < fixes->size(); ++n)
    for (const advice_report& a : (*fixes)[n]) search.questions.push_back(question_of(r.launches[n], n, a, sources));
  const bool is_fixable = how.is_seen() && std::any_of(r.launches.begin(), r.launches.end(), has_fix);
  const bool checks = !how.program.empty() && how.program[0].ends_with(".cu");
  const bool can_apply = is_fixable && stop_signal() == 0 && can_edit(search.questions, sources, how.edit_root, checks);
  const bool can_remove_delay =
      how.is_seen() && stop_signal() == 0 && can_edit_delay(r, sources, how.edit_root, checks);
  search.questions.clear();
  if (how.format->name == std::string_view("json")) add_edits(*fixes, r, sources);
  add_source_lines(r, sources);
  if (how.is_page()) add_source_texts(r, sources);
  name_for_readers(how, r, sources);
  if (sources.has_root())
    for (std::vector<advice_report>& of_launch : *fixes)
      for (advice_report& a : of_launch)
        if (a.edit) a.edit->file = sources.path_from_root(a.edit->file);
  auto written = how.is_text() && instead ? write(how, *instead) : present(how, r, *fixes, sources, input, search.cut);
  if (written && !how.is_seen()) tell_out_of_bounds(r);
  if (!written || !how.is_seen() || how.words.empty() || how.words[0] != "run") return written;
  next_facts facts;
  for (const launch_report& l : r.launches) {
    const std::vector<findings::finding> list = findings::of(l);
    facts.found |= has_finding(list, measure::wavefronts);
    facts.found_sectors |= has_finding(list, measure::sectors);
    facts.has_fix |= has_fix(l);
    facts.has_move |= !l.moves.empty();
    facts.failed |= !l.out_of_bounds.empty();
  }
  facts.can_apply = can_apply;
  facts.can_remove_delay = can_remove_delay;
  facts.failed |= how.failed;
  facts.looked = how.looks || how.fix;
  facts.file = how.program;
  facts.build_flags = how.build_flags;
  const std::string next = instead && !facts.failed ? "" : next_commands(how.words, how.paint, facts);
  std::string goes = how.beside_program
                         ? "\nbankwise printed this report to standard error, because the program writes to standard "
                           "output. -o FILE writes the report to a file.\n"
                         : "";
  if (how.paint.fits) goes = wrapped(goes, how.paint.width);
  return goes.empty() && next.empty() ? written : write(how, goes + next);
}

result<int> status_of(const report_request& how, const report& r) {
  bool removable = false, others = false, hazards = false, out_of_bounds = false;
  for (const launch_report& l : r.launches) {
    removable |= l.sum.removable != 0;
    others |= l.sum.queued != 0 || std::any_of(l.sites.begin(), l.sites.end(), goes_round) ||
              has_finding(findings::of(l), measure::sectors);
    const std::size_t mild = warnings_in(l);
    const std::size_t mild_races = race_warnings_in(l);
    others |= l.checked.any() && mild + mild_races != 0;
    hazards |= l.checked.any() && (mild != l.hazards.size() || (l.checked.memory && !l.out_of_bounds.empty()));
    hazards |= (l.checked.races && mild_races != l.block_races.size()) || depends_on_order(l);
    out_of_bounds |= !l.out_of_bounds.empty();
  }
  hazards |= has_program_error(r);
  if (hazards || (how.fails != failing::never && (removable || out_of_bounds)) || (how.fails == failing::any && others))
    return exit_findings;
  if (const early_end partial = early_end_of(r); partial && how.fails != failing::never)
    return diagnostic{
        formatted("--fail-on {}: the report has no findings, but it is partial ({}), so code that did not run may have "
                  "findings",
                  how.fails == failing::any ? "any" : "removable", words_of(partial)),
        {},
        "make the report again, and do not stop the run"};
  return exit_clean;
}

}  // namespace bankwise::cli
