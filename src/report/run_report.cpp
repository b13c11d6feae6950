#include "report/run_report.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "report/access_report.hpp"
#include "report/hazard_report.hpp"
#include "report/out_of_bounds_report.hpp"
#include "report/text_table.hpp"
#include "report/time_report.hpp"

namespace bankwise {

namespace {

// Unless --all:
constexpr std::size_t most_findings = 3;      // explained at length
constexpr std::size_t most_instructions = 4;  // listed below their line

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + "%";
}
std::string place_of(const site& s) {
  return s.file.empty() ? "pc 0x" + hex(s.pc) : base_name(s.file) + ":" + std::to_string(s.line);
}

// Whether the number of executions is that of those that a recording heard of.
bool is_lower_bound(const launch_report& l) {
  return std::any_of(l.sites.begin(), l.sites.end(), [](const site& s) { return s.executed_at_least; });
}
std::string lower_bound_text(const launch_report& l) {
  return is_lower_bound(l)
             ? "note: executed with a + is a lower bound: executions whose guard is false in every lane of the warp "
               "are not recorded; every other number is exact\n"
             : "";
}

bool is_mbarrier(const site& s) {
  return s.async.kind == async_kind::barrier || s.async.kind == async_kind::barrier_init;
}
bool only_waits(const launch_report& l, const source_line& line) {
  return std::all_of(line.sites.begin(), line.sites.end(), [&](std::size_t i) { return is_mbarrier(l.sites[i]); });
}

std::string cost_table(const launch_report& l, const style& s, const run_text_options& options) {
  text_table t;
  t.left_last = 2;
  const bool queues = l.sum.queued != 0;
  t.rows.push_back({"line", "executed", "wavefronts", "ideal", "excess", "removable"});
  if (queues) t.rows[0].push_back("queued");
  for (const char* name : {"cycles", "pipe", "issue", "access", "source"}) t.rows[0].push_back(name);
  std::vector<std::size_t> strong;
  const auto add = [&](const std::string& name, const totals& sum, bool at_least, const std::string& access,
                       const std::string& source) {
    if (sum.removable + sum.queued != 0 && name != "total") strong.push_back(t.rows.size());
    const auto or_none = [](std::uint64_t n) { return n == 0 ? std::string("-") : grouped(n); };
    std::vector<std::string>& row = t.rows.emplace_back();
    row = {name,
           grouped(sum.executed) + (at_least ? "+" : ""),
           grouped(sum.wavefronts),
           grouped(sum.ideal),
           grouped(sum.wavefronts - sum.ideal),
           or_none(sum.removable)};
    if (queues) row.push_back(or_none(sum.queued));
    for (const std::string& cell : {grouped(sum.cycles), percent(sum.cycles, l.sum.cycles),
                                    percent(sum.executed, l.sum.warp_instructions), access, source})
      row.push_back(cell);
  };
  const auto at_least = [&](std::size_t i) { return l.sites[i].executed_at_least; };
  const std::vector<source_line> lines = by_line(l);
  const bool several = std::any_of(lines.begin(), lines.end(), [&](const source_line& line) {
    return line.line != 0 && line.file != lines.front().file;
  });
  for (const source_line& line : lines) {
    if (!options.all && only_waits(l, line)) continue;
    const std::string source = options.source_line && line.line != 0 ? options.source_line(line.file, line.line) : "";
    std::vector<std::string> kinds;
    // The compiler puts loads that no lane takes part in before an asynchronous copy: no access of this line.
    for (const std::size_t i : line.sites)
      if ((l.sites[i].wavefronts != 0 || line.sum.wavefronts == 0) &&
          std::find(kinds.begin(), kinds.end(), l.sites[i].op.spelling) == kinds.end())
        kinds.push_back(l.sites[i].op.spelling);
    std::string access;
    for (const std::string& k : kinds) access += (access.empty() ? "" : ", ") + k;
    add(line.line == 0 ? "?" : (several ? base_name(line.file) + ":" : "") + std::to_string(line.line), line.sum,
        std::any_of(line.sites.begin(), line.sites.end(), at_least), access,
        shortened(std::string(trim(source)), s.width > 130 ? s.width - 90 : 40));
    // Instructions stand below their line where there are several of them, or where there is something to find.
    std::size_t listed = 0, left_out = 0;
    for (const std::size_t i : line.sites) {
      const site& one = l.sites[i];
      if (!options.all && (removable(one) + queued(one) == 0 || line.sites.size() == 1)) continue;
      if (!options.all && listed == most_instructions) {
        ++left_out;
        continue;
      }
      ++listed;
      totals sum;
      sum += one;
      add("0x" + hex(one.pc), sum, one.executed_at_least, one.op.spelling, "  " + one.sass);
    }
    if (left_out != 0) {
      t.rows.emplace_back(t.rows[0].size()).front() = "...";
      t.rows.back().back() = "  and " + count_of(left_out, "more instruction") + " (--all)";
    }
  }
  add("total", l.sum, is_lower_bound(l), "", "");
  return t.text(s, strong);
}

// --- does it matter?

std::string time_text(const launch_report& l, const style& s) {
  const time_bound b = bound_of(l);
  const std::vector<clock_row> rows = clock_rows(b);
  std::size_t name_width = 12, width = 0;
  for (const clock_row& row : rows) {
    name_width = std::max(name_width, row.name.size() + 1);
    width = std::max(width, grouped(row.clocks).size());
  }
  std::string text = s.strong("does it matter?") + "\n";
  for (const clock_row& row : rows)
    text += "  " + pad_right(row.name, name_width) + " " + pad_left(grouped(row.clocks), width) + " clocks" +
            (&row == rows.data() ? " of one multiprocessor" : "") + row.says + "\n";
  if (b.shared_cycles == 0) return text;
  std::string sentence = time_sentence(b, ratio_text);
  if (const std::size_t end = sentence.find(" at most,"); end != std::string::npos) sentence.replace(end, 1, "\n  ");
  return text + "  " + sentence + "\n";
}

// --- findings

access_report explained(const site& s, const machine& on) {
  return report_access({s.sass, s.op, on, s.worst, is_copy(s.op.op.kind), s.worst_from, {}});
}

std::string finding_text(const report& r, const launch_report& l, std::size_t number, const finding& found,
                         const style& s, const run_text_options& options) {
  const site& f = l.sites[found.sites.front()];
  std::string text =
      s.strong(std::to_string(number) + ". " + place_of(f)) + "  " +
      s.bad(found.removable != 0 ? count_of(found.removable, "removable wavefront")
                                 : count_of(found.queued, "wavefront") + " of lanes that queue for one word") +
      ", " + percent(found.removable != 0 ? found.removable : found.queued, l.sum.cycles) + " of the shared pipe\n";
  if (options.source_line && f.line != 0)
    if (const std::string source(trim(options.source_line(f.file, f.line))); !source.empty())
      text += "   " + shortened(source, s.width > 20 ? s.width - 3 : 77) + "\n";
  if (f.outer_line != 0 && (f.outer_line != f.line || f.outer_file != f.file))
    text += "   inlined at " + base_name(f.outer_file) + ":" + std::to_string(f.outer_line) + "\n";
  text += "   pc 0x" + hex(f.pc) + "  " + f.sass + (f.function.empty() ? "" : "  in " + f.function);
  if (found.sites.size() > 1)
    text += s.dim("  and " + count_of(found.sites.size() - 1, "more instruction") + " of this line");
  if (found.removable != 0 && found.queued != 0)
    text += "\n   and " + count_of(found.queued, "wavefront") +
            " of lanes that queue for one word: combine them before the access";
  text += "\n   this instruction: executed " + count_of(f.executed, "time") + ", " +
          count_of(f.wavefronts, "wavefront") + "; the worst access:\n";
  const access_report worst = explained(f, r.on);
  text += "   " + paint_by_cost(worst, s, verdict(worst)) + "\n\n";
  return text + collision_text(worst, s, options.all ? 64 : 5);
}

// Loops around a compare-and-swap that lanes go round again.
launch_note retries_note(const launch_report& l) {
  launch_note n{"loops around a compare-and-swap", "", {}, ""};
  for (const site& one : l.sites) {
    if (!goes_round(one)) continue;
    const retries& r = one.again;
    n.items.push_back({retries_sentence(r),
                       "",
                       {{"",
                         {one.pc, one.function, one.sass, one.file, one.line, one.text},
                         r.loop_end != 0 ? "in the loop 0x" + hex(r.loop_begin) + " to 0x" + hex(r.loop_end) : ""}},
                       {},
                       ""});
  }
  return n;
}

std::string retries_text(const launch_report& l, const style& s, const run_text_options& options) {
  const launch_note n = retries_note(l);
  if (n.items.empty()) return {};
  std::string text = "\n" + s.strong(n.title) + "\n";
  for (const launch_note::item& one : n.items) {
    const auto& [does, p, detail] = one.places.front();
    text += "  " + place_text(p) + (detail.empty() ? "" : "  " + detail) + "\n";
    if (options.source_line && p.line != 0)
      if (const std::string source(trim(options.source_line(p.file, p.line))); !source.empty())
        text += "    " + s.dim(shortened(source, 77)) + "\n";
    text += "    " + s.bad(one.what) + "\n";
  }
  return text;
}

std::string unknown_source_text(const launch_report& l) {
  std::uint64_t open = 0;
  for (const site& one : l.sites) open += one.open_accesses;
  if (open == 0) return {};
  return "note: of " + count_of(open, "cp.async access", "cp.async accesses") +
         " the source is not known; they are counted as contiguous\n";
}

std::string generic_text(const launch_report& l) {
  counts sum;
  for (const site& one : l.sites)
    if (one.generic) sum += one;
  if (sum.executed == sum.shared_executed && sum.lanes == sum.shared_lanes) return {};
  return "note: of generic accesses " + grouped(sum.shared_executed) + " of " + count_of(sum.executed, "execution") +
         " had lanes in shared memory, " + grouped(sum.shared_lanes) + " of " + count_of(sum.lanes, "lane") +
         "; wavefronts are theirs\n";
}

// Where Nsight Compute's source page will not show what the hardware does.
std::string page_text(const launch_report& l) {
  std::uint64_t ours = 0, page = 0;
  for (const site& one : l.sites) {
    ours += one.wavefronts;
    page += one.ncu_wavefronts;
  }
  if (ours == page) return {};
  return "note: Nsight Compute's source page will show " + count_of(page, "wavefront") + ", not " + grouped(ours) +
         ": it counts by a model of its own\n";
}

// What moves through shared memory, or waits there, without a wavefront.
std::string beside_the_pipe_text(const launch_report& l, const run_text_options& options) {
  std::uint64_t in = 0, out = 0, mbarriers = 0, executed = 0;
  for (const site& one : l.sites) {
    const bool copies = one.async.kind == async_kind::bulk_copy || one.async.kind == async_kind::tensor_copy;
    if (copies) (one.async.to_shared ? in : out) += one.bytes;
    if (is_mbarrier(one)) ++mbarriers, executed += one.executed;
  }
  std::string text;
  if (in + out != 0)
    text += "asynchronous copies: " + count_of(in, "byte") + " into shared memory and " + count_of(out, "byte") +
            " out of it, without wavefronts\n";
  if (mbarriers != 0)
    text += "mbarriers: " + count_of(mbarriers, "instruction") + ", executed " + count_of(executed, "time") +
            ", without wavefronts" + (options.all ? "" : " (--all lists them)") + "\n";
  return text.empty() ? text : "\n" + text;
}

// What the weakest of the rules rests on that the launch was judged by, if that is no measurement.
std::string unmeasured_text(const launch_report& l) {
  evidence weakest = evidence::measured;
  for (const site& one : l.sites) weakest = std::min(weakest, one.rule.level);
  return weakest == evidence::measured ? "" : std::string("; its rule is ") + name_of(weakest) + ", not measured";
}

// A recording hears of the accesses alone.
std::string executed_text(const report& r, const launch_report& l) {
  if (r.source != "recorded")
    return count_of(l.sum.warp_instructions, "warp instruction") + ", " + grouped(l.sum.executed) +
           " of them on shared memory";
  std::string text = grouped(l.sum.executed) + " warp instructions on shared memory";
  if (l.block_period > 1) text += "; one block of " + grouped(l.block_period) + " was recorded";
  if (l.launches_seen > l.count)
    text += "\n  recorded  " + grouped(l.count) + " of " + count_of(l.launches_seen, "launch", "launches") +
            " with this grid and block";
  if (l.lost_accesses != 0)
    text += "\n  lost      " + count_of(l.lost_accesses, "access", "accesses") + " that are in no line below";
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
    list += "  " + u.kernel + "  grid " + triple(u.grid) + ", block " + triple(u.block) + ": " +
            count_of(u.launches, "launch", "launches") + "\n";
  }
  std::string text;
  if (launches != 0)
    text += s.strong(count_of(launches, "launch", "launches") + " not recorded") + ", as they were not chosen\n" + list;
  if (plain != 0) text += count_of(plain, "launch", "launches") + " of kernels that touch no shared memory\n";
  return text;
}

}  // namespace

std::vector<launch_note> notes_of(const launch_report& l) {
  std::vector<launch_note> list;
  for (launch_note& n : std::vector{out_of_bounds_note(l), hazards_note(l), retries_note(l)})
    if (!n.items.empty()) list.push_back(std::move(n));
  return list;
}

std::string to_text(const report& r, const style& s, const run_text_options& options) {
  std::string text;
  if (r.partial && (r.launches.size() != 1 || !r.launches[0].partial))
    text += s.bad("partial: " + words_of(r.partial)) + "; what was executed until then is below\n";
  for (const launch_report& l : r.launches) {
    if (!text.empty()) text += "\n";
    text += s.strong(l.kernel) + "\n";
    text += "  launch    grid " + triple(l.grid) + ", block " + triple(l.block) + "; " +
            grouped(l.static_shared_bytes) + " bytes of static and " + grouped(l.dynamic_shared_bytes) +
            " of dynamic shared memory" + (l.count > 1 ? "; " + grouped(l.count) + " times" : "") + "\n";
    if (l.scaled)
      text += "  sampled   " + count_of(l.ctas_executed, "block") + " of " + grouped(blocks_of(l.grid)) +
              ", chosen evenly; every number below is scaled to the grid\n";
    if (l.partial)
      text +=
          "  " + s.bad("partial") + "   " + grouped(l.ctas_executed) + " of " + count_of(blocks_of(l.grid), "block") +
          (l.ctas_begun > l.ctas_executed ? ", and " + grouped(l.ctas_begun - l.ctas_executed) + " more in part" : "") +
          "; " + words_of(l.partial) + "\n";
    text += "  executed  " + count_of(l.scaled ? blocks_of(l.grid) : l.ctas_executed, "block") + ", " +
            executed_text(r, l) + "\n";
    text += "  machine   " + r.on.name + " (" + r.on.family + "): " + std::to_string(r.on.model.banks) + " banks of " +
            std::to_string(r.on.model.bank_bytes) + " bytes; " + r.source + unmeasured_text(l) + "\n\n";
    if (!l.out_of_bounds.empty()) text += out_of_bounds_text(l, s, options.source_line) + "\n";
    if (l.checked.any()) text += hazards_text(l, s, options.source_line) + "\n";
    if (l.sites.empty()) {
      text += l.partial ? "Nothing that was executed touched shared memory.\n"
                        : "No instruction of this launch touched shared memory.\n";
      continue;
    }
    std::string files, last;
    bool has_lines = false;
    for (const source_line& line : by_line(l)) {
      has_lines |= line.line != 0;
      if (!line.file.empty() && line.file != last) files += (files.empty() ? "" : ", ") + base_name(line.file);
      last = line.file;
    }
    if (!has_lines) files = "(the cubin has no line table: compile it with -lineinfo)";
    text += s.strong("shared memory by source line") + (files.empty() ? "" : "  " + files) + "\n" +
            cost_table(l, s, options) + beside_the_pipe_text(l, options) +
            (l.sum.warp_instructions != 0 ? "\n" + time_text(l, s) : "");
    text += lower_bound_text(l) + unknown_source_text(l) + generic_text(l) + page_text(l);
    text += retries_text(l, s, options);
    const std::vector<finding> list = findings(l);
    if (list.empty()) {
      if (!notes_of(l).empty()) continue;
      text += "\n" +
              (l.partial ? std::string("no findings in what was executed")
                         : s.good("no findings: nothing that a padding or a swizzle could remove")) +
              "\n";
      continue;
    }
    text += "\n" + s.strong(count_of(list.size(), "finding")) + "\n";
    for (std::size_t i = 0; i < list.size() && (options.all || i < most_findings); ++i)
      text += "\n" + finding_text(r, l, i + 1, list[i], s, options);
    if (!options.all && list.size() > most_findings)
      text += "\n" +
              s.dim("... and " + count_of(list.size() - most_findings, "more finding") + " (--all explains each)") +
              "\n";
    if (options.suggest_fix)
      for (const known_fix& f : l.fixes)
        text += "\n" + s.strong(f.array) + ": " + f.verdict + "\n" + indented(f.code, "  ");
    if (options.suggest_fix && l.fixes.empty() &&
        std::any_of(l.sites.begin(), l.sites.end(), [](const site& f) { return removable(f) != 0; }))
      text += "\n" + s.dim("--fix looks for the padding or swizzle that removes them") + "\n";
  }
  if (const std::string rest = not_recorded_text(r, s); !rest.empty()) text += (text.empty() ? "" : "\n") + rest;
  return text;
}

}  // namespace bankwise
