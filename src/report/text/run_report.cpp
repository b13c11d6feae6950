#include "report/text/run_report.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "base/line_tables.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "findings/finding.hpp"
#include "model/fold.hpp"
#include "model/instances.hpp"
#include "model/shared_traffic.hpp"
#include "model/source_lines.hpp"
#include "model/time_bound.hpp"
#include "report/sections/block_races_report.hpp"
#include "report/sections/copies_report.hpp"
#include "report/sections/dependence_report.hpp"
#include "report/sections/failed_calls_report.hpp"
#include "report/sections/finding_report.hpp"
#include "report/sections/finding_words.hpp"
#include "report/sections/hazard_report.hpp"
#include "report/sections/launch_note.hpp"
#include "report/sections/launch_table.hpp"
#include "report/sections/other_results_report.hpp"
#include "report/sections/out_of_bounds_report.hpp"
#include "report/sections/program_faults_report.hpp"
#include "report/sections/retries_report.hpp"
#include "report/sections/small_launches_report.hpp"
#include "report/sections/time_report.hpp"
#include "report/sections/timeline_report.hpp"
#include "report/table/cost_table.hpp"
#include "report/table/estimate_report.hpp"
#include "report/table/global_table.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_findings = 10;  // limit of listed findings without --all
constexpr std::size_t most_in_summary = 5;

std::string lower_bound_text(const launch_report& l) {
  return is_lower_bound(l)
             ? "note: a + marks a number of executions that is a lower bound. Executions are not recorded if the guard "
               "is false in every lane. All other numbers are exact\n"
             : "";
}

std::string unknown_source_text(const launch_report& l) {
  std::uint64_t open = 0;
  for (const site& one : l.sites) open += one.open_accesses;
  if (open == 0) return {};
  return formatted(
      "note: bankwise does not know the global-memory addresses that {}. bankwise counted {} as if the addresses were "
      "contiguous\n",
      count_of(open, "cp.async access reads", "cp.async accesses read"), open == 1 ? "this access" : "these accesses");
}

std::string generic_text(const launch_report& l) {
  counts sum;
  for (const site& one : l.sites)
    if (one.generic) sum += one;
  if (sum.executed == sum.shared_executed && sum.lanes == sum.shared_lanes) return {};
  return formatted(
      "note: generic accesses were executed {}. In {}, lanes accessed shared memory ({} of {}). The wavefronts include "
      "only lanes that accessed shared memory\n",
      count_of(sum.executed, "time"), count_of(sum.shared_executed, "execution"), grouped(sum.shared_lanes),
      count_of(sum.lanes, "lane"));
}

// Returns a warning if the numbers of Nsight Compute's source page will differ from the hardware counters.
std::string page_text(const launch_report& l) {
  std::uint64_t ours = 0, page = 0;
  for (const site& one : l.sites) {
    ours += one.wavefronts;
    page += one.ncu_wavefronts;
  }
  if (ours == page) return {};
  return formatted("note: Nsight Compute's source page will show {}, not {}, because the page uses its own model\n",
                   count_of(page, "wavefront"), grouped(ours));
}

// Returns the sums of one operation by source line, or by pc if there is no line table.
std::vector<std::pair<std::string, shared_traffic>> traffic_by_place(const launch_report& l, const shared_traffic& of) {
  std::vector<std::pair<std::string, shared_traffic>> all;
  for (const site& one : l.sites) {
    if (is_access(one) || one.bytes == 0 || one.op.spelling != of.operation || one.async.to_shared != of.to_shared)
      continue;
    std::string place =
        one.line == 0 ? formatted("0x{}", hex(one.pc)) : formatted("{}:{}", base_name(one.file), one.line);
    auto at = std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.first == place; });
    if (at == all.end()) at = all.insert(all.end(), {std::move(place), {}});
    at->second = sum_of(at->second, traffic_of(one));
  }
  return all;
}

// Returns the bytes that asynchronous operations move through shared memory: as a sentence about copies, or as a table
// if the launch uses tcgen05.
std::string traffic_text(const launch_report& l, const style& s) {
  const std::vector<shared_traffic> all = traffic_of(l);
  shared_traffic in, out;
  bool has_table = false;
  for (const shared_traffic& t : all) {
    has_table |= t.operation.starts_with("tcgen05");
    if (!t.operation.starts_with("cp.async")) continue;
    (t.to_shared ? in : out).bytes += t.bytes;
    in.byte_passes += t.byte_passes;
  }
  if (!has_table)
    return in.byte_passes == 0
               ? ""
               : formatted(
                     "asynchronous copies: {} into shared memory and {} from shared memory, in {} of 128 bytes, "
                     "without wavefronts\n",
                     count_of(in.bytes, "byte"), count_of(out.bytes, "byte"),
                     count_of(in.byte_passes, "pass", "passes"));
  text_table rows;
  rows.left_first = 1;
  const auto add = [&](std::string name, const shared_traffic& t) {
    rows.rows.push_back(
        {std::move(name), grouped(t.executed), grouped(t.bytes), grouped(t.byte_passes), grouped(t.tensor_cycles)});
  };
  rows.rows.push_back({"asynchronous traffic", "executed", "bytes", "passes of 128", "tensor clocks"});
  for (const shared_traffic& t : all) {
    add(t.operation + (t.to_shared ? ", written" : ", read"), t);
    for (const auto& [place, part] : traffic_by_place(l, t)) add(formatted("  {}", place), part);
  }
  if (all.size() > 1) add("all", sum_of(all));
  return rows.text(s);
}

// Returns the operations that move data through shared memory or wait for data, but take no wavefronts.
std::string beside_the_pipe_text(const launch_report& l, const style& s, const run_text_options& options) {
  std::uint64_t mbarriers = 0, executed = 0;
  for (const site& one : l.sites)
    if (is_mbarrier(one)) ++mbarriers, executed += one.executed;
  std::string text = traffic_text(l, s);
  if (mbarriers != 0)
    text += formatted("mbarriers: {}, executed {}, without wavefronts{}\n", count_of(mbarriers, "instruction"),
                      count_of(executed, "time"),
                      options.all ? "" : formatted(" ({} lists these instructions)", worded(setting::all)));
  return text.empty() ? text : formatted("\n{}", text);
}

// Returns the source of the launch's least certain rule, or an empty string if all rules were measured.
std::string unmeasured_text(const launch_report& l) {
  evidence weakest = evidence::measured;
  for (const site& one : l.sites) weakest = std::min(weakest, one.rule.level);
  if (weakest == evidence::published) return "; the rule of this architecture agrees with counts that others published";
  return weakest == evidence::measured
             ? ""
             : formatted("; the rule of this architecture is {}, not measured", name_of(weakest));
}

// Returns a line about how well the meaning of the kernel's instructions is known.
std::string meaning_text(const launch_report& l) {
  const std::string sentence = meaning_sentence(l.meaning);
  return sentence.empty() ? "" : formatted("  meaning   {}\n", sentence);
}

std::string default_arch_text(const report& r) {
  const std::string note = default_arch_note(r);
  return note.empty() ? "" : formatted("  note      {}\n", note);
}

// Returns a sentence about how much was executed. If the launch was recorded, only the accesses are known.
std::string executed_text(const report& r, const launch_report& l) {
  if (r.origin != "recorded")
    return formatted("{}, {} of them on shared memory", count_of(l.sum.warp_instructions, "warp instruction"),
                     grouped(l.sum.executed));
  std::string text = formatted("{} warp instructions on shared memory", grouped(l.sum.executed));
  if (l.block_period > 1) text += formatted("; bankwise recorded one of every {} blocks", grouped(l.block_period));
  if (l.launches_seen > l.count)
    text += formatted("\n  recorded  {} of {} with this grid and block", grouped(l.count),
                      count_of(l.launches_seen, "launch", "launches"));
  if (l.lost_accesses != 0)
    text += formatted("\n  lost      {} were lost in the recording and are not in any line below",
                      count_of(l.lost_accesses, "access", "accesses"));
  return text;
}

std::string not_recorded_text(const report& r, const style& s) {
  std::uint64_t launches = 0, plain = 0;
  std::string list;
  for (const unrecorded_launches& u : r.not_recorded) {
    if (u.without_accesses) {
      plain += u.launches;
      continue;
    }
    launches += u.launches;
    list += formatted("  {}  grid {}, block {}: {}\n", shown_name(r, u.kernel), triple(u.grid), triple(u.block),
                      count_of(u.launches, "launch", "launches"));
  }
  std::string text;
  if (launches != 0)
    text += s.strong(formatted("{} not recorded", count_of(launches, "launch", "launches"))) +
            (r.origin == "recorded" ? ", because the options of bankwise record did not select these launches\n"
             : r.partial.why == early_end::reason::time ? ", because the time limit was reached\n"
                                                        : ", because the report is full\n") +
            list;
  if (plain != 0)
    text += formatted("{} of kernels that do not touch shared memory\n", count_of(plain, "launch", "launches"));
  return text;
}

// Returns the part of a sentence that explains what executed blocks represent. bankwise has proved that each skipped
// block behaves like an executed block.
std::string stands_for(const report& r, const launch_report& l) {
  const std::uint64_t all = blocks_of(l.grid);
  if (r.origin == "recorded" || l.scaled || l.partial || l.ctas_executed >= all) return {};
  return l.ctas_executed == 1 ? formatted(", and all {} blocks behave alike", grouped(all))
                              : formatted(", and each of the {} blocks behaves like an executed block", grouped(all));
}

std::string counts_only_text(const report& r) {
  const bool any =
      std::any_of(r.launches.begin(), r.launches.end(), [](const launch_report& l) { return l.counted_alone; });
  return any ? formatted(
                   "bankwise executed only the instructions on which shared-memory addresses depend. This is fast, "
                   "but bankwise did not check bounds. {} executes all instructions and checks bounds.\n",
                   worded(setting::faults, "report"))
             : "";
}

std::string failed_text(const report& r, const style& s) {
  if (r.failed.empty()) return {};
  std::string text = formatted(
      "{}: a sampled kernel ran before these launches and did not write all of its results, so these launches read "
      "wrong values\n",
      s.bad("failed after a sample"));
  for (const failed_launches& f : r.failed)
    text += formatted("  {}  grid {}, block {}: {}; {}\n", shown_name(r, f.kernel), triple(f.grid), triple(f.block),
                      count_of(f.launches, "launch", "launches"), f.why);
  return text;
}

}  // namespace

std::string library_calls_text(const report& r) {
  std::string text;
  for (const library_use& u : r.library_calls)
    text +=
        formatted("{}: {}, which {} computed on the host without NVIDIA's kernels, so bankwise did not count them\n",
                  u.function, count_of(u.calls, "call"), u.computed_by);
  return text;
}

std::string default_arch_note(const report& r) {
  constexpr const char* default_of_nvcc = "sm_75";
  if (r.origin == "recorded" || r.arch != default_of_nvcc) return {};
  return formatted(
      "nvcc compiles for {} by default. For another GPU, pass -arch=sm_90 to nvcc, or pass {} to bankwise run",
      default_of_nvcc, worded(setting::arch, "sm_90"));
}

namespace {

// Returns the intervals that contain the counts in nine of ten samples: "in nine of ten cases wavefronts between 100
// and 120", followed by the interval of sectors.
std::string likely_text(const launch_report& l) {
  const std::string wavefronts = l.sites.empty() ? "" : interval_sentence(l.within),
                    sectors = sector_interval_sentence(l);
  std::string text;
  for (const std::string& one : {wavefronts, sectors})
    if (!one.empty()) text += formatted("            {}{}\n", text.empty() ? "in nine of ten cases " : "and ", one);
  return text;
}

// Returns the reason why the launch's numbers do not come from a complete, exact run.
std::string doubt_text(const launch_report& l, std::uint64_t kinds, const style& s) {
  std::string text;
  if (kinds > 1)
    text += formatted(
        "  bankwise added up {} launches with {} different results. All numbers are sums over these launches ({} "
        "shows each result separately)\n",
        grouped(l.count), grouped(kinds), worded(setting::all));
  if (l.scaled)
    text +=
        formatted("  {} from {} of {}, which are evenly spaced. Every number below is for the whole grid\n{}",
                  s.bad("estimated"), grouped(l.ctas_executed), count_of(blocks_of(l.grid), "block"), likely_text(l));
  if (l.partial)
    text += formatted(
        "  {}   {} of {}{}; {}\n", s.bad("partial"), grouped(l.ctas_executed), count_of(blocks_of(l.grid), "block"),
        l.ctas_begun > l.ctas_executed ? formatted(", and a part of {} more", grouped(l.ctas_begun - l.ctas_executed))
                                       : "",
        words_of(l.partial));
  if (l.assumed != 0)
    text += formatted(
        "  {} {} of {} were not executed, because the time limit was reached. bankwise assumes that these launches "
        "equal the executed launches\n",
        s.bad("estimated"), grouped(l.assumed), count_of(l.count, "launch", "launches"));
  if (l.after_sample)
    text += formatted("  {} this launch may have read memory that a sampled launch wrote only in part\n",
                      s.bad("estimated"));
  return text;
}

// Returns how many launches were not executed, because they repeat an earlier launch.
std::string repeats_text(const launch_report& l) {
  if (l.repeats == 0) return {};
  return formatted(
      "  repeats   {} of {} were not executed, because they would have read and written the same as an earlier launch\n",
      grouped(l.repeats), count_of(l.count, "launch", "launches"));
}

// Returns the mean number of active lanes in a warp instruction.
std::string lanes_text(const launch_report& l) {
  std::uint64_t lanes = 0;
  for (const site& one : l.sites) lanes += one.lanes;
  if (l.sum.active_lanes == 0) return {};
  return formatted("  lanes     {} of 32 active per warp instruction{}\n",
                   mean_lanes_text(l.sum.active_lanes, l.sum.warp_instructions),
                   lanes == 0 ? "" : formatted(", {} on shared memory", mean_lanes_text(lanes, l.sum.executed)));
}

// Returns the grid, block and other parameters of the launch, and how much of the launch was executed.
std::string facts_text(const report& r, const launch_report& l, std::uint64_t kinds, bool all) {
  return formatted(
      "{}  launch    grid {}, block {}; {} bytes of static and {} of dynamic shared memory{}\n  {}{}{}, "
      "{}\n{}  machine   {} ({}): {} banks of {} bytes; {}{}\n{}{}",
      all && shown_name(l) != l.kernel ? formatted("  kernel    {}\n", l.kernel) : "", triple(l.grid), triple(l.block),
      grouped(l.static_shared_bytes), grouped(l.dynamic_shared_bytes),
      l.count > 1 && kinds == 1 ? formatted("; {} times", grouped(l.count)) : "",
      l.scaled ? "in all    " : "executed  ", count_of(l.scaled ? blocks_of(l.grid) : l.ctas_executed, "block"),
      stands_for(r, l), executed_text(r, l), repeats_text(l) + (all ? lanes_text(l) : ""), r.on.name, r.on.family,
      r.on.model.banks, r.on.model.bank_bytes, r.origin, unmeasured_text(l), meaning_text(l), default_arch_text(r));
}

// Whether a finding is in the list. Hints are listed only if the user asked for everything, or if they cost time.
bool is_listed(const launch_report& l, const findings::finding& f, const run_text_options& options) {
  if (!f.is_minor() || options.all) return true;
  return is_replayed(l, f) && f.saved_cycles >= std::max<std::uint64_t>(1, l.time.cycles / 100);
}

// Returns a text such as "2 findings", "1 finding, 2 notes".
std::string count_words(std::size_t majors, std::size_t minors) {
  const std::string notes = minors == 0 ? "" : count_of(minors, "note");
  if (majors == 0) return notes;
  return formatted("{}{}{}", count_of(majors, "finding"), notes.empty() ? "" : ", ", notes);
}

// Returns the findings, and the code of the fixes.
std::string finding_list(const report& r, const launch_report& l, const style& s, const run_text_options& options) {
  std::vector<findings::finding> list = findings::of(l);
  std::erase_if(list, [&](const findings::finding& f) { return !is_listed(l, f, options); });
  if (list.empty()) return {};
  const auto minors = static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [](const findings::finding& f) { return f.is_minor(); }));
  std::string text = formatted("\n{}\n", s.strong(count_words(list.size() - minors, minors)));
  const std::size_t shown = options.all ? list.size() : std::min(list.size(), most_findings);
  for (std::size_t i = 0; i < shown; ++i) text += finding_line(r, l, i + 1, list[i], s, options);
  if (shown < list.size())
    text += formatted("{}\n", s.dim(formatted("  ... and {} ({})", count_of(list.size() - shown, "more finding"),
                                              worded(setting::all))));
  if (options.fixes == fix_text::code)
    for (const known_fix& f : l.fixes)
      text += formatted("\n{}: {}\n{}", s.strong(f.array), f.verdict, indented(f.code, "  "));
  return text;
}

// Returns the main result: whether conflicts matter, where the conflicts are, and how to fix them.
std::string answer_text(const report& r, const launch_report& l, const style& s, const run_text_options& options) {
  std::string text;
  if (l.sum.warp_instructions != 0 && !l.sites.empty()) text += formatted("  {}\n", time_sentence(l));
  const std::string list = finding_list(r, l, s, options);
  const std::vector<findings::finding> found = findings::of(l);
  if (std::any_of(found.begin(), found.end(), [](const findings::finding& f) { return !f.is_minor(); }))
    return text + list;
  if (notes_of(l).empty() && !l.sites.empty())
    text += formatted("{}\n",
                      exactness_of(l) != exactness::exact
                          ? std::string("  the executed part has no findings")
                          : formatted("  {}", s.good("no findings: no padding or swizzle would remove wavefronts")));
  return text + list;
}

// Returns the summary at the start of a report with several launches: their total cost, and the findings with the
// highest costs.
std::string summary_text(const report& r, const std::vector<added_launches>& shown,
                         const std::vector<std::size_t>& order, const style& s, const run_text_options& options) {
  std::vector<findings::finding_in> all = findings::of_all(shown);
  std::erase_if(all, [](const findings::finding_in& f) { return !is_listed(*f.launch, f.what, {}); });
  std::string text = r.origin == "recorded" ? "" : formatted("{}\n", program_sentence(r));
  if (const std::string together = together_text(findings::best_of(shown)); !together.empty())
    text += formatted("Together, {}.\n", together);
  if (const std::string checked = checks_sentence(r); !checked.empty()) text += formatted("Checks: {}.\n", checked);
  std::size_t races = 0, mild = 0, orders = 0;
  for (const launch_report& l : r.launches) {
    if (l.checked.races) races += l.block_races.size(), mild += race_warnings_in(l);
    orders += depends_on_order(l) ? 1 : 0;
  }
  if (races != 0) text += formatted("Checks: {} of blocks on global memory.\n", races_in_words(races - mild, mild));
  if (orders != 0) text += formatted("Other orders: {} with other results.\n", count_of(orders, "launch", "launches"));
  // The place of the finding about the whole program depends on the saved time.
  std::string of_program = small_launches_text(r, s);
  for (std::size_t i = 0; i < all.size() && i < most_in_summary; ++i) {
    const launch_report& l = *all[i].launch;
    if (nanoseconds_of(l.time, all[i].what.order_cycles) * all[i].launches < r.small.saved())
      text += std::exchange(of_program, {});
    text += short_finding_line(r, l, all[i].what, s);
  }
  text += of_program;
  if (all.size() > most_in_summary)
    text += formatted("{}\n", s.dim(formatted("  ... and {}, which are listed with their launches below",
                                              count_of(all.size() - most_in_summary, "more finding"))));
  if (const std::string rows = launch_table(shown, order, s, options); !rows.empty()) text += formatted("\n{}", rows);
  return text;
}

std::string global_text(const launch_report& l, const style& s, const run_text_options& options) {
  const std::string found = global_table(l, s, options);
  return found.empty() ? "" : formatted("\n{}", found);
}

std::string waits_of_lines(const launch_report& l, const style& s, const run_text_options& options) {
  std::string text;
  for (const std::string& one : {waiting_text(l, s, options), barrier_waits_text(l, s, options)})
    if (!one.empty()) text += formatted("\n{}", one);
  return text;
}

// Returns the costs of a launch as a table of lines.
std::string table_text(const report& r, const launch_report& l, const style& s, const run_text_options& options) {
  std::string files, last;
  bool has_lines = false;
  for (const source_line& line : by_line(l)) {
    has_lines |= line.line != 0;
    if (!line.file.empty() && line.file != last) files += (files.empty() ? "" : ", ") + base_name(line.file);
    last = line.file;
  }
  if (!has_lines) files = "(there are no source lines, because the code has no line table)";
  return formatted(
      "{}{}\n{}{}{}{}{}{}{}{}{}{}{}{}{}", s.strong("shared memory by source line"),
      files.empty() ? "" : formatted("  {}", files), cost_table(l, s, options), beside_the_pipe_text(l, s, options),
      global_text(l, s, options), l.time && options.all ? formatted("\n{}\n", predicted_sentence(l.time)) : "",
      waits_of_lines(l, s, options), l.sum.warp_instructions != 0 ? formatted("\n{}", time_text(l, s)) : "",
      has_lines ? std::string() : formatted("\nTo see source lines, compile with {}\n", line_table_flag),
      lower_bound_text(l), unknown_source_text(l), generic_text(l), page_text(l),
      retries_text(l, s, options.source_line), copies_text(r, l, s, options));
}

// Returns what applies to the whole program: launches that CUDA refused, and an early end.
std::string head_text(const report& r, const style& s) {
  std::string text = refused_text(r, s);
  if (r.partial && !text.empty()) text += "\n";
  if (r.partial && (r.launches.size() != 1 || !r.launches[0].partial))
    text += formatted("{}. The report covers the instructions that were executed before the run stopped\n",
                      s.bad(formatted("partial: {}", words_of(r.partial))));
  if (const std::string times = timeline_sentence(r); !times.empty())
    text += formatted("{}{}  {}\n", text.empty() ? "" : "\n", s.strong("the program"), times);
  return text;
}

std::string launch_text(const report& r, const launch_report& l, std::uint64_t kinds, const style& s,
                        const run_text_options& options, std::size_t& left) {
  std::string text = formatted("{}\n{}", s.strong(s.fits ? cut_in_the_middle(shown_name(l), s.width) : shown_name(l)),
                               doubt_text(l, kinds, s));
  // Errors are shown before costs.
  std::string errors;
  for (const std::string& part : {l.out_of_bounds.empty() ? "" : out_of_bounds_text(l, s, options.source_line, left),
                                  block_races_text(l, s, options.source_line, left),
                                  hazards_text(l, s, options.source_line, left), other_results_text(l, s, left)})
    if (!part.empty()) errors += formatted("\n{}", part);
  if (!errors.empty()) text += formatted("{}\n", errors);
  if (const std::string time = time_line(r, l, kinds); !time.empty()) text += formatted("  time      {}\n", time);
  if (const std::string floor = floor_line(l.time); !floor.empty()) text += formatted("  floor     {}\n", floor);
  if (const std::string parts = products_line(l.time); !parts.empty()) text += formatted("  products  {}\n", parts);
  if (const std::string together = together_text(findings::best_of(l)); !together.empty())
    text += formatted("  together  {}\n", together);
  const std::string answer = answer_text(r, l, s, options);
  text += formatted("{}{}{}\n", answer, answer.empty() ? "" : "\n", facts_text(r, l, kinds, options.all));
  if (l.sites.empty()) {
    if (l.global_counted) text += formatted("{}\n", global_table(l, s, options));
    return text + (l.partial ? "No executed instruction touched shared memory.\n"
                             : "No instruction of this launch touched shared memory.\n");
  }
  text += table_text(r, l, s, options);
  if (!options.all) return text;
  std::string worst;
  const std::vector<findings::finding> list = findings::of(l);
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].is_of(measure::wavefronts) && !list[i].is_minor())
      worst += formatted("\n{}", worst_access_text(r, l, i + 1, list[i], s, options));
  if (!worst.empty()) text += formatted("\n{}\n{}", s.strong("the worst access of each finding"), worst);
  return text;
}

// Whether a launch has neither findings nor notes, so that its name says all.
bool has_nothing_to_say(const launch_report& l) {
  if (!l.time || l.partial || l.scaled || l.after_sample || l.assumed != 0 || !l.hazards.empty() ||
      !l.out_of_bounds.empty() || !l.block_races.empty() || !notes_of(l).empty())
    return false;
  const std::vector<findings::finding> found = findings::of(l);
  return std::none_of(found.begin(), found.end(), [&](const findings::finding& f) { return is_listed(l, f, {}); });
}

std::string quiet_text(std::vector<std::string> names) {
  constexpr std::size_t most_named = 8;
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most_named; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most_named) text += formatted(" and {}", count_of(names.size() - most_named, "more kernel"));
  return formatted("no findings: {} ({} shows their lines)\n", text, worded(setting::all));
}

}  // namespace

std::string to_text(const report& r, const style& s, const run_text_options& options) {
  // Without --all, equal launches of a kernel are added up.
  std::vector<added_launches> shown;
  if (options.all)
    for (const launch_report& l : r.launches) shown.push_back({l});
  else
    shown = add_up(r.launches);
  std::string launches;
  early_end cut;
  std::size_t done = 0;
  const std::vector<std::size_t> order = sorted_launches(shown, options.order);
  std::vector<std::string> quiet;
  std::size_t left = options.print_limit;
  for (const std::size_t i : order) {
    const auto& [l, kinds] = shown[i];
    if (options.watch) cut = options.watch(done, shown.size());
    if (cut) break;
    if (shown.size() > 1 && !options.all && has_nothing_to_say(l))
      quiet.push_back(shown_name(l));
    else
      launches += formatted("\n{}", launch_text(r, l, kinds, s, options, left));
    ++done;
  }
  if (!quiet.empty()) launches += formatted("\n{}", quiet_text(std::move(quiet)));
  std::string text = head_text(r, s);
  if (cut)
    text += formatted("{}. The report shows {} of {} launches\n", s.bad(formatted("partial: {}", words_of(cut))),
                      grouped(done), grouped(shown.size()));
  if (shown.size() > 1 && !cut)
    text += (text.empty() ? "" : "\n") + summary_text(r, shown, order, s, options);
  else
    text += small_launches_text(r, s);
  if (text.empty() && !launches.empty()) launches.erase(0, 1);
  text += launches;
  if (options.search_cut)
    text += formatted("\nThe quick search for fixes was incomplete. {} searches everything.\n", worded(setting::fix));
  for (const std::string& rest :
       {program_faults_text(r, s, left), ignored_errors_text(r, s, left), not_recorded_text(r, s), failed_text(r, s),
        library_calls_text(r), counts_only_text(r)})
    if (!rest.empty()) text += (text.empty() ? "" : "\n") + rest;
  if (const std::string path = options.all ? critical_path_table(r, s) : ""; !path.empty())
    text += formatted("\n{}", path);
  if (const std::string how = exactness_sentence(r); !how.empty()) text += formatted("\n{}\n", how);
  return s.fits ? wrapped(text, s.width) : text;
}

}  // namespace bankwise
