#include "report/page/launch_view.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "findings/finding.hpp"
#include "model/source_lines.hpp"
#include "model/time_bound.hpp"
#include "report/sections/dependence_report.hpp"
#include "report/sections/finding_words.hpp"
#include "report/sections/launch_table.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/cost_table.hpp"
#include "report/table/estimate_report.hpp"
#include "rule/clocks.hpp"

namespace bankwise {

namespace {

// Returns extents as text. Omits trailing extents of 1: "8, 8" for a grid of 8 x 8 x 1.
std::string extent(const std::array<std::uint32_t, 3>& t) {
  std::string text = std::to_string(t[0]);
  if (t[1] != 1 || t[2] != 1) text += formatted(", {}", t[1]);
  return t[2] == 1 ? text : formatted("{}, {}", text, t[2]);
}

std::string facts_of(const report& r, const launch_report& l) {
  std::string text;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : " · ") + fact; };
  add(formatted("grid {}", extent(l.grid)));
  add(formatted("block {}", extent(l.block)));
  add(formatted("{} bytes shared{}", grouped(l.static_shared_bytes + l.dynamic_shared_bytes),
                l.dynamic_shared_bytes != 0 ? formatted(" ({} dynamic)", grouped(l.dynamic_shared_bytes)) : ""));
  if (l.registers != 0) add(formatted("{} registers", l.registers));
  if (l.count > 1) add(formatted("one of {} equal launches", grouped(l.count)));
  if (r.origin == "recorded") {
    add(formatted("{}{} on shared memory", is_lower_bound(l) ? "at least " : "",
                  count_of(l.sum.executed, "warp instruction")));
    return text;
  }
  add(formatted("{}, {} on shared memory", count_of(l.sum.warp_instructions, "warp instruction"),
                grouped(l.sum.executed)));
  if (l.sum.active_lanes != 0)
    add(formatted("{} of 32 lanes active", mean_lanes_text(l.sum.active_lanes, l.sum.warp_instructions)));
  add(l.scaled ? formatted("estimated from {} of {}", grouped(l.ctas_executed), count_of(blocks_of(l.grid), "block"))
               : formatted("{} executed{}", count_of(l.ctas_executed, "block"),
                           l.partial || l.after_sample           ? ""
                           : l.ctas_executed < blocks_of(l.grid) ? ", and the other blocks behave alike"
                                                                 : ", exact"));
  if (const std::string meaning = meaning_sentence(l.meaning); !meaning.empty()) add(meaning);
  return text;
}

// Returns a sentence about the worst finding, which users can share.
std::string worst_of(const report& r, const launch_report& l, const findings::finding& f) {
  const std::string what = what_words(r, l, f), cost = cost_words(r, l, f), time = time_words(l, f);
  return formatted("{}: {}.{}", place_words(l, f),
                   f.is_of_sectors() ? formatted("{}: {}", cost, what)
                   : f.is_delay()    ? what
                                     : formatted("{}, {}", what, cost),
                   time.empty() ? "" : formatted(" Time: {}.", time));
}

std::string partial_of(const report& r, const launch_report& l) {
  if (l.partial)
    return formatted("Partial: {} of {}{}; {}.", grouped(l.ctas_executed), count_of(blocks_of(l.grid), "block"),
                     l.ctas_begun > l.ctas_executed
                         ? formatted(", and a part of {} more", grouped(l.ctas_begun - l.ctas_executed))
                         : "",
                     words_of(l.partial));
  if (r.partial)
    return formatted("This launch is complete, but the program was {}, so later launches are missing.",
                     words_of(r.partial));
  return {};
}

std::string estimate_of(const launch_report& l) {
  if (!l.scaled) return {};
  std::string within = interval_sentence(l.within);
  if (const std::string sectors = sector_interval_sentence(l); !sectors.empty())
    within += (within.empty() ? "" : "; ") + sectors;
  return formatted("Estimated from {} of {}, which are evenly spaced.{} For exact counts, run without {}.",
                   grouped(l.ctas_executed), count_of(blocks_of(l.grid), "block"),
                   within.empty() ? "" : formatted(" In nine of ten cases: {}.", within),
                   worded(l.timed ? setting::time : setting::ctas));
}

std::string doubt_of(const launch_report& l) {
  const auto open = static_cast<std::uint64_t>(
      std::count_if(l.sites.begin(), l.sites.end(), [](const site& s) { return s.open_accesses != 0; }));
  return open == 0 ? ""
                   : formatted("The source addresses of {} are not known, so the count assumes contiguous addresses.",
                               count_of(open, "cp.async instruction"));
}

// Returns one sentence about all library functions. The page shows this sentence once for the whole program. The text
// report lists all library functions.
std::string of_libraries(const report& r) {
  constexpr std::size_t most_names = 3;
  if (r.library_calls.empty()) return {};
  std::string names;
  std::uint64_t calls = 0;
  for (std::size_t i = 0; i < r.library_calls.size(); ++i) {
    calls += r.library_calls[i].calls;
    if (i < most_names) names += (i == 0 ? "" : ", ") + r.library_calls[i].function;
  }
  if (r.library_calls.size() > most_names)
    names += formatted(" and {}", count_of(r.library_calls.size() - most_names, "other function"));
  return formatted(
      "The program also called {}, {}. These functions ran on the host without NVIDIA's kernels, and are not counted.",
      names, count_of(calls, "time"));
}

std::string evidence_of(const site& s) {
  if (s.open_accesses != 0)
    return "No rule is known for this case. The number is a lower bound, which comes from the most similar known case";
  switch (s.rule.level) {
    case evidence::measured: return "Measured";
    case evidence::published: return "Agrees with counts that others published";
    case evidence::documented: return "Documented";
    case evidence::assumed: return "Assumed";
    case evidence::none: break;
  }
  return "No rule is known for this operation on this architecture";
}

std::string beside_of(const site& s) {
  const std::string bytes = count_of(s.bytes, "byte");
  if (s.async.kind == async_kind::wgmma)
    return formatted(
        "A warp group reads the operands of this instruction: {} in total, 128 bytes in each wavefront. Layout type, "
        "strides and address cannot cause a conflict. The code that fills the tiles or stores the result may have "
        "conflicts.",
        bytes);
  if (s.async.kind == async_kind::bulk_copy || s.async.kind == async_kind::tensor_copy)
    return formatted(
        "The hardware copies {}{} shared memory without the shared pipe. The copy takes no wavefronts, and it "
        "cannot have a conflict.",
        bytes, s.async.to_shared ? " into" : " out of");
  return "This operation takes no wavefronts of the shared pipe at any address.";
}

site_view site_view_of(const launch_report& l, const site& s, const std::vector<std::size_t>& of_line) {
  site_view v;
  v.evidence = evidence_of(s);
  if (const std::string within = interval_sentence(s.within); !within.empty())
    v.estimate = formatted("The counts are estimated. In nine of ten cases: {}.", within);
  v.waits = waiting_sentence(l, s.file, s.line);
  if (const std::string depends = dependences_text(s); !depends.empty())
    v.depends = formatted("Depends on {}.", depends);
  if (!is_access(s)) {
    v.beside = beside_of(s);
    return v;
  }
  if (s.worst.mask == 0) {
    v.beside = "No lane was active in any execution of this instruction, so the instruction accesses no bank.";
    return v;
  }
  const bool above = removable(s) + queued(s) != 0;
  v.win = goes_round(s) && !above ? "Each round takes the fewest wavefronts that its words allow."
                                  : win_sentence(s, l, s.saved_cycles, "this instruction");
  if (!above || s.line == 0 || of_line.size() < 2) return v;
  counts sum;
  std::uint64_t saved = 0;
  for (const std::size_t i : of_line) sum += l.sites[i], saved += l.sites[i].saved_cycles;
  std::string win = win_sentence(sum, l, saved, "the line");
  win[0] = static_cast<char>(win[0] - 'A' + 'a');
  v.win_of_line = formatted("For all {} instructions of this line together: {}", grouped(of_line.size()), win);
  return v;
}

// Returns the reason why the launch has no finding.
std::string nothing_of(const launch_report& l) {
  return l.sites.empty()                       ? "This launch did not access shared memory."
         : exactness_of(l) != exactness::exact ? "The executed part has no finding."
                                               : "No padding or swizzle would remove wavefronts.";
}

std::uint64_t percent_of_sum(std::uint64_t part, std::uint64_t all) { return all == 0 ? 0 : scaled(part, 100, all); }

}  // namespace

launch_view view_of(const report& r, const launch_report& l) {
  const time_bound b = bound_of(l);
  launch_view v;
  // Hints are in the tables, and loops around a compare-and-swap are notes.
  std::vector<findings::finding> found = findings::of(l);
  std::erase_if(found, [](const findings::finding& f) { return f.is_minor() || f.is_of(measure::rounds); });
  if (!found.empty()) {
    v.worst = worst_of(r, l, found.front());
    v.fix = fix_of(l, found.front()).sentence();
  }
  v.facts = facts_of(r, l);
  v.partial = partial_of(r, l);
  v.estimate = estimate_of(l);
  v.clocks = clock_rows(b);
  v.verdict = time_sentence(l);
  v.time = time_line(r, l);
  v.bound = l.time ? predicted_sentence(l.time) : "";
  v.nanoseconds = l.time.nanoseconds;
  v.bound_by = l.time ? words_of_bound(l.time) : "";
  v.occupancy = occupancy_text(l);
  v.waves = waves_text(l);
  v.products = products_line(l.time);
  v.together = together_text(findings::best_of(l));
  for (const waiting_line& w : l.time.lines)
    v.lines.push_back({w.file, w.line, percent_of_sum(w.waits.sum(), l.time.waits.sum()), waits_text(w.waits)});
  v.doubt = doubt_of(l);
  if (const std::string beside = of_libraries(r); !beside.empty()) v.doubt += (v.doubt.empty() ? "" : " ") + beside;
  v.nothing = nothing_of(l);
  for (const findings::finding& f : found) {
    const instruction_place& at = findings::place_of(l, f);
    const bool is_global = f.is_of_sectors();
    finding_view one;
    one.path = at.file;
    one.line = at.line;
    one.function = at.function;
    one.place = place_words(l, f);
    one.sass = at.sass;
    one.pc = at.pc;
    if (!f.is_delay()) (is_global ? one.global_sites : one.sites) = f.sites;
    one.removable = f.what == findings::problem::conflict ? f.amount : 0;
    one.queued = f.what == findings::problem::word_queue ? f.amount : 0;
    one.amount = f.amount;
    const std::string cost = cost_words(r, l, f);
    one.share = f.is_delay() ? percent_text(f.amount, f.whole)
                : is_global
                    ? percent_text(f.whole, sum_of(l.global_sites, memory_of(l.global_sites[f.sites[0]].kind)).sectors)
                    : percent_text(clocks_of(f.amount, r.on.model), l.sum.cycles);
    for (const std::string& also : also_words(r, l, f)) one.also += (one.also.empty() ? "" : "; ") + also;
    for (const findings::finding& also : f.also)
      if (const instruction_place& there = findings::place_of(l, also); there.line != 0 && there.file == at.file)
        one.lines.push_back(there.line);
    one.says = f.is_delay() ? what_words(r, l, f) : formatted("{}, {}", what_words(r, l, f), cost);
    one.time = time_words(l, f);
    v.findings.push_back(std::move(one));
  }
  v.sites.resize(l.sites.size());
  for (const source_line& line : by_line(l))
    for (const std::size_t i : line.sites) v.sites[i] = site_view_of(l, l.sites[i], line.sites);
  v.notes = notes_of(l);
  return v;
}

const fields<launch_view>& launch_view_fields() {
  using view = launch_view;
  static const fields<view> all = {
      plain<view, &view::worst>("worst", "the first finding in a sentence; empty if there is no finding"),
      plain<view, &view::fix>("fix", "the remedy for the first finding, in one line; empty if no remedy is known"),
      plain<view, &view::facts>("facts", "how the kernel was launched, and which part of the launch was executed"),
      plain<view, &view::partial>("partial",
                                  "the part that is missing in the report of this launch; empty if the "
                                  "report is complete"),
      plain<view, &view::estimate>(
          "estimate", "the likely error of the counts of a sample; empty if the counts are not from a sample"),
      list_of<view, &view::clocks, clock_row_fields>("clocks", "clock_row",
                                                     "clocks of one multiprocessor, by resource"),
      plain<view, &view::time>("time", "the predicted time of the launch; empty if the time is not predicted"),
      plain<view, &view::bound>("bound",
                                "the predicted time in cycles, and the resource that bounds it; empty if "
                                "the time is not predicted"),
      plain<view, &view::nanoseconds>("nanoseconds", "the predicted time; 0 if it is not predicted"),
      plain<view, &view::bound_by>("bound_by", "the resource that bounds the time; may be empty"),
      plain<view, &view::occupancy>("occupancy", "the resident warps in percent, and what limits them; may be empty"),
      plain<view, &view::waves>("waves", "how often the GPU is filled with blocks; may be empty"),
      plain<view, &view::products>("products",
                                   "the parts of the time in which tensor cores multiply, wait for copies, or end with "
                                   "their results; may be empty"),
      plain<view, &view::together>("together", "what the first changes save together; may be empty"),
      list_of<view, &view::lines, line_time_fields>("lines", "line_time", "where warps spend their time"),
      plain<view, &view::verdict>("verdict", "whether bank conflicts slow the launch down"),
      plain<view, &view::doubt>("doubt", "facts that are not known or not counted; empty if nothing is missing"),
      plain<view, &view::nothing>("nothing", "the reason why there are no findings; empty if there are findings"),
      list_of<view, &view::findings, finding_view_fields>("findings", "finding_view",
                                                          "the findings, in the order of the text report. The "
                                                          "finding that saves the most time is first"),
      list_of<view, &view::sites, site_view_fields>("sites", "site_view",
                                                    "sentences for each site of the launch, in the same order"),
      list_of<view, &view::notes, note_fields>("notes", "note", "notes about the launch, in addition to its costs")};
  return all;
}

const fields<site_view>& site_view_fields() {
  using view = site_view;
  static const fields<view> all = {
      plain<view, &view::win>(
          "win", "the saving if the conflicts of this instruction are removed; empty if no lane accesses memory"),
      plain<view, &view::win_of_line>(
          "win_of_line",
          "the saving if the conflicts of all instructions of the line are removed; empty if the line has only one "
          "instruction, or if nothing can be saved"),
      plain<view, &view::beside>("beside", "for an operation without lanes: how it uses shared memory"),
      plain<view, &view::estimate>(
          "estimate",
          "for a sample: the likely error of the counts; empty if the counts are exact, or if the error is not known"),
      plain<view, &view::waits>(
          "waits",
          "the share of the warps' time that is spent at the line of this instruction; empty if the share is small, or "
          "not predicted"),
      plain<view, &view::depends>("depends",
                                  "what the counts of this instruction depend on; empty if the dependences are not "
                                  "known"),
      plain<view, &view::evidence>("evidence", "the evidence for the rule of this instruction")};
  return all;
}

const fields<line_time>& line_time_fields() {
  static const fields<line_time> all = {
      plain<line_time, &line_time::path>("path", "path of the file at compile time"),
      plain<line_time, &line_time::line>("line", "the line"),
      plain<line_time, &line_time::percent>("percent", "the share of the time of all warps"),
      plain<line_time, &line_time::waits>("waits", "what the warps wait for; may be empty")};
  return all;
}

const fields<clock_row>& clock_row_fields() {
  using row = clock_row;
  static const fields<row> all = {
      plain<row, &row::name>("name", "name of the resource"),
      plain<row, &row::clocks>("clocks", "clocks in which the resource is busy"),
      plain<row, &row::with_best>("with_best", "clocks in which the resource would be busy with the best layout"),
      plain<row, &row::says>("says", "text that follows the number of clocks")};
  return all;
}

const fields<finding_view>& finding_view_fields() {
  using view = finding_view;
  static const fields<view> all = {
      derived<view>("sites", R"({"type": "array", "items": {"$ref": "#/definitions/count"}})",
                    "indices of sites of the launch, with the worst site first", [](const view& v) { return v.sites; }),
      plain<view, &view::path>("path", "path of the file at compile time"),
      plain<view, &view::line>("line", "0: not known"),
      derived<view>("global_sites", R"({"type": "array", "items": {"$ref": "#/definitions/count"}})",
                    "for a finding about sectors: indices of global_sites of the launch, with the worst site first. "
                    "`sites` is then empty",
                    [](const view& v) { return v.global_sites; }),
      derived<view>("function", text_type, "the device function of the worst site; empty if it is in the kernel itself",
                    [](const view& v) { return v.function; }),
      derived<view>("pc", pc_type, "byte offset of the worst site in the code", [](const view& v) { return v.pc; }),
      plain<view, &view::place>("place", "the place in words; \"the launch\" if the finding is about all of it"),
      plain<view, &view::sass>("sass", "the worst instruction; empty if the finding is about the whole launch"),
      plain<view, &view::amount>("amount", "wavefronts, sectors or cycles that a remedy removes"),
      plain<view, &view::share>("share", "the share of the shared pipe, of the sectors or of the time of the launch"),
      plain<view, &view::says>("says", "what is wrong, and its cost"),
      plain<view, &view::also>("also",
                               "other lines and problems that the same change removes; empty if there are none"),
      derived<view>("lines", R"({"type": "array", "items": {"type": "integer"}})", "their lines in the same file",
                    [](const view& v) { return v.lines; }),
      plain<view, &view::time>("time", "the predicted saving; empty if it is not predicted"),
      plain<view, &view::removable>("removable", "wavefronts that a layout can remove"),
      plain<view, &view::queued>("queued", "wavefronts from lanes that queue for one word")};
  return all;
}

const fields<launch_note>& note_fields() {
  using note = launch_note;
  static const fields<note> all = {
      plain<note, &note::title>("title", "what was found"), plain<note, &note::says>("says", "what this finding means"),
      list_of<note, &note::items, note_item_fields>("items", "note_item", "one item for each place that was found"),
      plain<note, &note::hint>("hint", "what to do about all items")};
  return all;
}

const fields<launch_note::item>& note_item_fields() {
  using item = launch_note::item;
  static const fields<item> all = {
      plain<item, &item::what>("what", "what is wrong"),
      plain<item, &item::where>("where", "how often the problem occurred, and where it was first seen"),
      list_of<item, &item::places, note_place_fields>("places", "note_place", "the instructions"),
      derived<item>("trail", texts_type, "the call path", [](const item& i) { return i.trail; }),
      plain<item, &item::hint>("hint", "what to do about the problem")};
  return all;
}

const fields<launch_note::at>& note_place_fields() {
  using at = launch_note::at;
  static const fields<at> all = {
      derived<at>("does", text_type, "the access at this place of a hazard: read or write",
                  [](const at& a) { return a.does; }),
      derived<at>("function", text_type, "the device function; empty if the place is in the kernel itself",
                  [](const at& a) { return a.place.function; }),
      derived<at>("pc", pc_type, "byte offset in the code", [](const at& a) { return a.place.pc; }),
      derived<at>("sass", text_type, "the instruction", [](const at& a) { return a.place.sass; }),
      derived<at>("path", text_type, "path of the file at compile time", [](const at& a) { return a.place.file; }),
      derived<at>("line", integer_type, "0: not known", [](const at& a) { return a.place.line; }),
      plain<at, &at::detail>("detail", "further facts about the place")};
  return all;
}

}  // namespace bankwise
