#include "report/sections/finding_words.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "model/remedies.hpp"
#include "model/sectors/sector_reason.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/cost_table.hpp"
#include "report/table/text_table.hpp"
#include "rule/clocks.hpp"

namespace bankwise {

namespace {

// Returns the time with the fix and without it, such as ", about 7.12 us instead of 12.3 us". Returns an empty string
// if the time is not predicted or does not change.
std::string time_with(const known_fix& f, const launch_report& l) {
  if (!l.time || f.cycles_before == 0) return {};
  const std::string before = duration_text(l.time.nanoseconds),
                    after = duration_text(nanoseconds_of(l.time, f.cycles_after));
  return before == after ? "" : formatted(", about {} instead of {}", after, before);
}

// Returns advice about lanes that queue for one word.
std::string instead_of(const launch_report& l, const site& s) {
  const std::string found = remedies_sentence(l, s);
  return found.empty() ? "combine the values of the lanes before the access" : found;
}

// Returns the code of a fix as one line, if the code is short: a declaration and the new index.
std::string one_line_of(const std::string& code) {
  std::string line;
  std::size_t lines = 0;
  for (std::string_view part : split(code, '\n')) {
    part = trim(part);
    if (part.empty()) continue;
    if (++lines > 2 || (lines == 2 && !part.starts_with("// "))) return {};
    if (part.starts_with("// ")) part.remove_prefix(3);
    if (const std::size_t note = part.find("  // "); note != std::string_view::npos) part = trim(part.substr(0, note));
    line += (line.empty() ? "" : " ") + std::string(part);
  }
  return line.size() > 120 ? std::string() : line;
}

// Returns a text such as "4,096 wavefronts instead of 67,584".
std::string saving_of(std::uint64_t before, std::uint64_t after) {
  return formatted("{} instead of {}", count_of(after, "wavefront"), grouped(before));
}

fix_words words_of_layout(const launch_report& l, const findings::finding& found,
                          const findings::known_changes& changes) {
  const known_fix* const fix = changes.layout;
  const known_move* const m = changes.instructions;
  if (changes.are_instructions_better())
    return {.is_fix = true,
            .text = m->swaps,
            .saving = saving_of(m->wavefronts_before, m->wavefronts_after),
            .hint = formatted(" ({} prints the conditions)", worded(setting::fix))};
  if (fix == nullptr) return {.text = l.fixes.empty() ? "" : "no fix found: the array of this access is not known"};
  // If only some accesses were kept, the search counted only these accesses. The numbers of the search then differ from
  // those of the report.
  const bool sampled = l.accesses_kept < l.accesses_seen;
  const std::string fewer = saving_of(fix->wavefronts_before, fix->wavefronts_after);
  if (!fix->is_layout() && !fix->change.empty())
    return {.is_fix = true,
            .text = formatted("{}{} (no layout helps, because the addresses depend on the data)", fix->change,
                              sampled ? "" : formatted(": {} on this input", fewer))};
  if (depends_on_data(l.sites[found.sites.front()]))
    return {.text = "no layout helps, because the addresses depend on the data",
            .hint = formatted(" ({} lists other remedies)", worded(setting::fix))};
  if (!fix->is_layout()) return {.text = fix->verdict};
  if (!fix->simple) return {.text = formatted("no simple fix: {} would take {}", fix->change, fewer)};
  if (fix->is_slower())
    return {.text = formatted("no layout saves time: {} would take {}{}", fix->change, fewer, time_with(*fix, l))};
  const std::string saving = sampled ? "" : formatted("{}{}", fewer, time_with(*fix, l));
  const std::string code = one_line_of(fix->code);
  if (code.empty())
    return {.is_fix = true,
            .text = formatted("{}{}{}", fix->change, saving.empty() ? "" : ", ", saving),
            .hint = formatted(" ({} prints the code)", worded(setting::fix))};
  const std::string other = m != nullptr && m->saved() == fix->saved() ? formatted("; or {}", m->swaps) : "";
  return {.is_fix = true,
          .code = code,
          .text = saving.empty() ? other : "",
          .saving = saving.empty() ? "" : saving + other};
}

memory_kind memory_of(const launch_report& l, const findings::finding& f) {
  return bankwise::memory_of(l.global_sites[f.sites.front()].kind);
}

}  // namespace

access_report explained(const site& s, const machine& on) {
  return report_access({s.sass, s.op, on, s.worst, is_copy(s.op.op.kind), s.worst_from, {}});
}

std::string place_words(const launch_report& l, const findings::finding& f) {
  const instruction_place& at = findings::place_of(l, f);
  if (f.is_delay() && findings::delay_of(l, f).is_of_launch()) return "the launch";
  return at.file.empty() ? formatted("pc 0x{}", hex(at.pc)) : formatted("{}:{}", base_name(at.file), at.line);
}

std::string more_lines_words(const launch_report& l, const findings::finding& f) {
  std::set<std::string> places;
  for (const findings::finding& one : f.also) places.insert(place_words(l, one));
  places.erase(place_words(l, f));
  return places.empty() ? "" : formatted(" and {}", count_of(places.size(), "more line"));
}

std::vector<std::string> also_words(const report& r, const launch_report& l, const findings::finding& f) {
  // The lines with the same problem, and the other problems with their lines.
  std::map<std::string, std::set<std::pair<std::string, std::uint32_t>>> places;
  const auto id = [](findings::problem p) { return findings::is_distance(p) ? findings::problem::uncoalesced : p; };
  for (const findings::finding& one : f.also) {
    const instruction_place& at = findings::place_of(l, one);
    places[id(one.what) == id(f.what) ? "" : what_words(r, l, one)].insert({at.file, at.line});
  }
  const instruction_place& own = findings::place_of(l, f);
  std::vector<std::string> list;
  for (auto& [what, lines] : places) {
    if (what.empty()) lines.erase({own.file, own.line});
    std::string text;
    bool is_own = false;
    for (const auto& [file, line] : lines) {
      is_own |= file == own.file && line == own.line;
      if (line == 0 || (file == own.file && line == own.line)) continue;
      text += formatted("{}{}{}", text.empty() ? "" : ", ", file == own.file ? "" : formatted("{}:", base_name(file)),
                        line);
    }
    if (!text.empty())
      text = formatted("{} {}{}", lines.size() - is_own > 1 ? " lines" : " line", text, is_own ? " and here" : "");
    if (text.empty() && what.empty()) continue;
    list.push_back(formatted("also{}{}{}", text, what.empty() ? "" : ": ", what));
  }
  return list;
}

std::string what_words(const report& r, const launch_report& l, const findings::finding& f) {
  if (f.is_delay()) return why_of(findings::delay_of(l, f));
  if (f.is_of_sectors()) return reason_of(l, l.global_sites[f.sites.front()]).why;
  const site& s = l.sites[f.sites.front()];
  return f.what == findings::problem::lane_retries ? "lanes repeat a compare-and-swap"
         : f.what == findings::problem::warp_retries
             ? "warps repeat a compare-and-swap, because other warps changed the word"
         : f.what == findings::problem::word_queue   ? "lanes queue for one word"
         : f.what == findings::problem::copy_past_l1 ? "cp.async past L1 takes more wavefronts than its bytes need"
                                                     : verdict_words_of(explained(s, r.on)).cause;
}

std::string cost_words(const report& r, const launch_report& l, const findings::finding& f) {
  const measure_row& of = row_of(findings::measure_of(f.what));
  if (f.is_delay()) return {};  // time_words() has the cost
  if (of.is_of_sectors())
    return formatted("touches {} of {} memory ({} of those in this launch)", count_of(f.whole, of.one),
                     name_of(memory_of(l, f)),
                     percent_text(f.whole, of.of_global->value(sum_of(l.global_sites, memory_of(l, f)))));
  if (of.record == measure_record::retried)
    return formatted("costs {} of {}", grouped(f.amount), count_of(f.whole, of.one));
  return formatted("costs {} ({} of the shared-memory pipe)",
                   count_of(f.amount, f.what == findings::problem::conflict ? "removable wavefront" : "wavefront"),
                   percent_text(clocks_of(f.amount, r.on.model), l.sum.cycles));
}

bool is_replayed(const launch_report& l, const findings::finding& f) {
  return l.time && l.time.cycles != 0 && findings::is_timed(f.what) && (!f.is_delay() || f.saved_cycles != 0);
}

std::string time_words(const launch_report& l, const findings::finding& f) {
  if (!is_replayed(l, f)) return {};
  const std::uint64_t saved = std::min(f.saved_cycles, l.time.cycles);
  if (saved < l.time.cycles / 100) return "removing it saves under 1% of the time";
  const double percent = 100 * static_cast<double>(saved) / static_cast<double>(l.time.cycles);
  return formatted("removing it saves {}%: about {} of {}", fixed(std::max(1.0, percent), 0),
                   duration_text(nanoseconds_of(l.time, saved)), duration_text(l.time.nanoseconds));
}

std::string fix_words::in_short() const { return formatted("{}{}{}", is_fix ? "fix: " : "", code, text); }

std::string fix_words::line() const {
  return formatted("{}{}{}{}", in_short(), saving.empty() ? "" : "  // ", saving, hint);
}

std::string fix_words::sentence() const {
  std::string words = in_short();
  if (!words.empty() && words.front() >= 'a' && words.front() <= 'z')
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
  return words;
}

fix_words fix_of(const launch_report& l, const findings::finding& f) {
  if (f.is_delay()) return {.is_fix = true, .text = remedy_of(findings::delay_of(l, f))};
  if (f.is_of_sectors())
    return {.is_fix = true,
            .text = formatted("{}: {} instead of {}", reason_of(l, l.global_sites[f.sites.front()]).remedy,
                              count_of(f.left(), "sector"), grouped(f.whole))};
  if (f.what == findings::problem::conflict) return words_of_layout(l, f, findings::changes_for(l, f));
  if (f.what == findings::problem::copy_past_l1) return {};
  const site& s = l.sites[f.sites.front()];
  if (f.what == findings::problem::word_queue) return {.is_fix = true, .text = instead_of(l, s)};
  // The section about loops lists all remedies.
  const std::vector<remedy> remedies = remedies_of(l, s);
  if (remedies.empty()) return {};
  const remedy& best = *std::min_element(remedies.begin(), remedies.end(),
                                         [](const remedy& a, const remedy& b) { return a.most < b.most; });
  return {.is_fix = true, .text = formatted("{}: {}", words_of(best.what), cost_of(best))};
}

bool has_fix(const launch_report& l) {
  return std::any_of(l.fixes.begin(), l.fixes.end(),
                     [](const known_fix& f) { return f.is_layout() && f.simple && !f.is_slower(); });
}

}  // namespace bankwise
