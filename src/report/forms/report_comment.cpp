#include "report/forms/report_comment.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "findings/finding.hpp"
#include "model/fold.hpp"
#include "model/instances.hpp"
#include "report/forms/markdown_text.hpp"
#include "report/page/launch_view.hpp"
#include "report/sections/finding_words.hpp"
#include "report/sections/hazard_report.hpp"
#include "report/sections/launch_table.hpp"
#include "report/sections/time_report.hpp"
#include "report/sections/timeline_report.hpp"
#include "report/table/estimate_report.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_entries = 30;  // largest number of rows in a table without --all
constexpr std::size_t longest_fix = 160;

std::string line_of(const std::string& file, std::uint32_t line, std::uint64_t pc) {
  return code_span(file.empty() ? formatted("pc 0x{}", hex(pc)) : formatted("{}:{}", base_name(file), line));
}

// Returns the fix of a finding as a cell.
std::string fix_cell(const launch_report& l, const findings::finding& found) {
  const fix_words fix = fix_of(l, found);
  const std::string cell = fix.code.empty() ? "" : code_span(fix.code, longest_fix);
  const char* const before_saving = fix.saving.empty() ? "" : fix.code.empty() ? ": " : " ";
  return cell + escaped_sentence(formatted("{}{}{}{}", fix.text, before_saving, fix.saving, fix.hint));
}

std::string saved_cell(const launch_report& l, const findings::finding& found) {
  if (!is_replayed(l, found)) return {};
  if (found.saved_cycles < l.time.cycles / 100) return "under 1%";
  return formatted("{} of {}", duration_text(nanoseconds_of(l.time, std::min(found.saved_cycles, l.time.cycles))),
                   duration_text(l.time.nanoseconds));
}

// Returns what a remedy removes, such as "63,488 of 67,584 wavefronts".
std::string amount_cell(const findings::finding& found) {
  if (found.is_delay()) return {};  // the next column has the time
  return formatted("{} of {}", grouped(found.amount),
                   count_of(found.whole, row_of(findings::measure_of(found.what)).one));
}

// Returns a table, and a sentence about the rows that are left out. Returns an empty string if there are no rows.
std::string table_of(const std::vector<std::string>& head, const std::string& alignment,
                     const std::vector<std::string>& rows, const char* noun, const char* nouns, bool all) {
  if (rows.empty()) return {};
  std::string text = formatted("\n{}{}\n", markdown_row(head), alignment);
  const std::size_t shown = all ? rows.size() : std::min(rows.size(), most_entries);
  for (std::size_t i = 0; i < shown; ++i) text += rows[i];
  if (shown < rows.size())
    text += formatted("\n... and {} ({})\n",
                      count_of(rows.size() - shown, formatted("more {}", noun), formatted("more {}", nouns)),
                      worded(setting::all));
  return text;
}

// Returns what is wrong, and the other places that the same change removes.
std::string what_and_also(const report& r, const launch_report& l, const findings::finding& found) {
  std::string text = what_words(r, l, found);
  for (const std::string& also : also_words(r, l, found)) text += formatted("; {}", also);
  return text;
}

std::string findings_table(const report& r, const std::vector<added_launches>& launches, bool all) {
  std::vector<std::string> rows;
  for (const auto& [launch, count, found] : findings::of_all(launches)) {
    if (found.is_minor()) continue;
    const launch_report& l = *launch;
    const instruction_place& at = findings::place_of(l, found);
    rows.push_back(markdown_row({found.is_delay() && findings::delay_of(l, found).is_of_launch()
                                     ? "the launch"
                                     : line_of(at.file, at.line, at.pc) + more_lines_words(l, found),
                                 code_span(shown_name(l)), escaped_sentence(what_and_also(r, l, found)),
                                 amount_cell(found), saved_cell(l, found), fix_cell(l, found)}));
  }
  return table_of({"line", "kernel", "finding", "avoidable", "saved time", "fix"}, "|---|---|---|--:|--:|---|", rows,
                  "finding", "findings", all);
}

// Returns the notes about launches, such as hazards and accesses out of bounds, as a list.
std::string notes_list(const std::vector<added_launches>& launches) {
  std::string text;
  for (const auto& [l, kinds] : launches)
    for (const launch_note& note : notes_of(l)) {
      text += formatted("\n- {}: {}\n", code_span(shown_name(l)), escaped_sentence(note.title));
      for (const launch_note::item& one : note.items) {
        text += formatted("  - {}, {}\n", escaped_sentence(one.what), escaped_sentence(one.where));
        for (const launch_note::at& a : one.places)
          text += formatted("    - {} {} {}\n", std::string(a.does), line_of(a.place.file, a.place.line, a.place.pc),
                            escaped_sentence(a.detail));
      }
    }
  return text;
}

std::string launches_table(const report& r, const std::vector<added_launches>& launches, bool all) {
  std::vector<std::string> rows;
  for (const std::size_t i : sorted_launches(launches, launch_order::time)) {
    const auto& [l, kinds] = launches[i];
    rows.push_back(
        markdown_row({code_span(shown_name(l)), grouped(l.count), triple(l.grid), triple(l.block),
                      grouped(l.sum.wavefronts), grouped(l.sum.removable), escaped_sentence(time_line(r, l, kinds))}));
  }
  return table_of({"kernel", "launches", "grid", "block", "wavefronts", "removable", "time"},
                  "|---|--:|---|---|--:|--:|---|", rows, "launch", "launches", all);
}

}  // namespace

std::string to_markdown(const report& r, bool all) {
  const std::vector<added_launches> launches = add_up(r.launches);
  std::string text = formatted(
      "**bankwise: {}**\n",
      launches.empty() ? "No kernel was launched."
                       : escaped_sentence(r.launches.size() == 1 ? time_sentence(r.launches[0]) : program_sentence(r)));
  if (const std::string together = together_text(findings::best_of(launches)); !together.empty())
    text += formatted("\nTogether, {}.\n", escaped_sentence(together));
  if (const std::string times = timeline_sentence(r); !times.empty())
    text += formatted("\nThe program: {}.\n", escaped_sentence(times));
  if (const std::string checked = checks_sentence(r); !checked.empty()) text += formatted("\nChecks: {}.\n", checked);
  if (r.partial) text += formatted("\nThe report is partial ({}).\n", escaped_sentence(words_of(r.partial)));
  for (const refused_launches& one : r.refused)
    text += formatted("\nCUDA refused {} of {}: {}\n", count_of(one.launches, "launch", "launches"),
                      code_span(shown_name(r, one.kernel)), escaped_sentence(formatted("{} {}", one.error, one.why)));
  for (const program_fault& f : r.program_faults)
    text += formatted(
        "\n- {}{}: {}{}\n", words_of(f.kind).is_warning ? "warning: " : "", std::string(words_of(f.kind).title),
        f.function.empty() ? "" : formatted("{}, ", code_span(f.function)),
        escaped_sentence(formatted("{}{}", f.memory, f.trail.empty() ? "" : formatted("; {}", f.trail[0]))));
  text += findings_table(r, launches, all) + notes_list(launches) + launches_table(r, launches, all);
  if (const std::string how = exactness_sentence(r); !how.empty()) text += formatted("\n{}\n", escaped_sentence(how));
  return text;
}

}  // namespace bankwise
