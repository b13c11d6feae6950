#include "report/sections/finding_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "model/parts/remedies.hpp"
#include "model/parts/source_lines.hpp"
#include "report/sections/dependence_report.hpp"
#include "report/sections/time_report.hpp"
#include "report/text/cost_table.hpp"
#include "report/text/source_excerpt.hpp"
#include "report/text/text_table.hpp"
#include "rule/clocks.hpp"

namespace bankwise {

namespace {

std::string line_or_pc(const site& s) {
  return s.file.empty() ? formatted("pc 0x{}", hex(s.pc)) : formatted("{}:{}", base_name(s.file), s.line);
}

// Returns a text such as "removing it saves 43% of this kernel's time: ...", or an empty string if the time is not
// predicted.
std::string time_of(const launch_report& l, const costly_line& found) {
  if (!l.time) return {};
  return formatted("removing it {}", saved_text(l.time, l.time.cycles - std::min(found.saved_cycles, l.time.cycles)));
}

// Returns the time with the fix and without it, such as ", about 7.12 us instead of 12.3 us". Returns an empty string
// if the time is not predicted or does not change.
std::string time_with(const known_fix& f, const launch_report& l) {
  if (!l.time || f.cycles_before == 0) return {};
  const std::string before = duration_text(l.time.nanoseconds),
                    after = duration_text(nanoseconds_of(l.time, f.cycles_after));
  return before == after ? "" : formatted(", about {} instead of {}", after, before);
}

// Returns a text such as "costs 63,488 removable wavefronts (93.9% of the shared-memory pipe)".
std::string how_much(const report& r, const launch_report& l, const costly_line& found, const style& s) {
  const std::uint64_t lost = found.removable != 0 ? found.removable : found.queued;
  return formatted("{} ({} of the shared-memory pipe)",
                   s.bad(formatted("costs {}", found.removable != 0 ? count_of(lost, "removable wavefront")
                                                                    : count_of(lost, "wavefront"))),
                   percent_text(clocks_of(lost, r.on.model), l.sum.cycles));
}

// Returns advice about lanes that queue for one word.
std::string instead_of(const launch_report& l, const site& s) {
  const std::string found = remedies_sentence(l, s);
  return found.empty() ? "combine the values of the lanes before the access" : found;
}

// Returns the conflict in a verdict such as "32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable".
std::string why_of(const std::string& verdict) {
  const std::size_t begin = verdict.find(": "), end = verdict.find(';');
  return begin == std::string::npos ? verdict
                                    : verdict.substr(begin + 2, end == std::string::npos ? end : end - begin - 2);
}

// Returns the conflict without its article, such as "32-way bank conflict on bank 0".
std::string what_of(const report& r, const launch_report& l, const costly_line& found) {
  if (found.removable == 0) return "lanes queue for one word";
  const site& f = l.sites[found.sites.front()];
  const std::string why = why_of(verdict(explained(f, r.on)));
  for (const std::string_view article : {"a ", "an "})
    if (why.starts_with(article)) return why.substr(article.size());
  return why;
}

const known_fix* fix_for(const launch_report& l, const costly_line& found) {
  for (const std::size_t i : found.sites)
    for (const known_fix& fix : l.fixes)
      for (const auto& [function, pc] : fix.sites)
        if (function == l.sites[i].function && pc == l.sites[i].pc) return &fix;
  return nullptr;
}

// Returns the replacement of instructions that saves the most wavefronts on the line, or null if no replacement saves
// any.
const known_move* move_for(const launch_report& l, const costly_line& found) {
  const known_move* best = nullptr;
  for (const known_move& m : l.moves)
    for (const std::size_t i : found.sites)
      if (std::find(m.sites.begin(), m.sites.end(), std::pair(l.sites[i].function, l.sites[i].pc)) != m.sites.end() &&
          m.saved() > (best != nullptr ? best->saved() : 0))
        best = &m;
  return best;
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
std::string saving_of(const known_fix& f) {
  return formatted("{} instead of {}", count_of(f.wavefronts_after, "wavefront"), grouped(f.wavefronts_before));
}

}  // namespace

access_report explained(const site& s, const machine& on) {
  return report_access({s.sass, s.op, on, s.worst, is_copy(s.op.op.kind), s.worst_from, {}});
}

std::string cause_of(const report& r, const launch_report& l, const costly_line& found) { return what_of(r, l, found); }

std::string fix_words::in_short() const { return formatted("{}{}{}", is_fix ? "fix: " : "", code, text); }

std::string fix_words::line() const {
  return formatted("{}{}{}{}", in_short(), saving.empty() ? "" : "  // ", saving, hint);
}

fix_words fix_of(const launch_report& l, const costly_line& found) {
  const site& f = l.sites[found.sites.front()];
  if (found.removable == 0) return {.is_fix = true, .text = instead_of(l, f)};
  const known_fix* const fix = fix_for(l, found);
  const known_move* const m = move_for(l, found);
  const std::uint64_t by_layout = fix != nullptr ? fix->saved() : 0;
  if (m != nullptr && m->saved() > by_layout)
    return {
        .is_fix = true,
        .text = m->swaps,
        .saving = formatted("{} wavefronts instead of {}", grouped(m->wavefronts_after), grouped(m->wavefronts_before)),
        .hint = formatted(" ({} prints the conditions)", worded(setting::fix))};
  if (fix == nullptr) return {.text = l.fixes.empty() ? "" : "no fix found: the array of this access is not known"};
  // If only some accesses were kept, the search counted only these accesses. The numbers of the search then differ from
  // those of the report.
  const bool sampled = l.accesses_kept < l.accesses_seen;
  if (!fix->is_layout() && !fix->change.empty())
    return {.is_fix = true,
            .text = formatted("{}{} (no layout helps, because the addresses depend on the data)", fix->change,
                              sampled ? "" : formatted(": {} on this input", saving_of(*fix)))};
  if (depends_on_data(f))
    return {.text = "no layout helps, because the addresses depend on the data",
            .hint = formatted(" ({} lists other remedies)", worded(setting::fix))};
  if (!fix->is_layout()) return {.text = fix->verdict};
  if (!fix->simple) return {.text = formatted("no simple fix: {} would take {}", fix->change, saving_of(*fix))};
  const std::string saving = sampled ? "" : formatted("{}{}", saving_of(*fix), time_with(*fix, l));
  const std::string code = one_line_of(fix->code);
  if (code.empty())
    return {.is_fix = true,
            .text = formatted("{}{}{}", fix->change, saving.empty() ? "" : ", ", saving),
            .hint = formatted(" ({} prints the code)", worded(setting::fix))};
  const std::string other = m != nullptr && m->saved() == by_layout ? formatted("; or {}", m->swaps) : "";
  return {.is_fix = true,
          .code = code,
          .text = saving.empty() ? other : "",
          .saving = saving.empty() ? "" : saving + other};
}

bool has_fix(const launch_report& l) {
  return std::any_of(l.fixes.begin(), l.fixes.end(), [](const known_fix& f) { return f.is_layout() && f.simple; });
}

std::string finding_line(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s, const run_text_options& options) {
  const site& f = l.sites[found.sites.front()];
  std::string text = formatted("  {}  {}, {}\n", s.strong(formatted("{}. {}", number, line_or_pc(f))),
                               what_of(r, l, found), how_much(r, l, found, s));
  const std::string source(options.source_line && f.line != 0 ? trim(options.source_line(f.file, f.line)) : "");
  if (!source.empty())
    text += formatted("     {}\n",
                      s.dim(source_excerpt(source, f, array_of(l, f), s.fits && s.width > 45 ? s.width - 5 : 95)));
  if (const std::string time = time_of(l, found); !time.empty() && found.removable + found.queued != l.sum.removable)
    text += formatted("     {}\n", time);
  if (const fix_words fix = fix_of(l, found); !fix.is_empty())
    text += formatted("     {}\n", fix.is_fix ? s.good(fix.line()) : fix.line());
  return text;
}

std::string short_finding_line(const report& r, const launch_report& l, const costly_line& found, const style& s) {
  const site& f = l.sites[found.sites.front()];
  std::string text = formatted("  {}  {}: {}; ", s.strong(line_or_pc(f)), l.name, what_of(r, l, found));
  const fix_words fix = fix_of(l, found);
  if (fix.is_empty()) return formatted("{}{}\n", text, how_much(r, l, found, s));
  const std::string words = formatted("{}{}", fix.in_short(), fix.saving.empty() ? fix.hint : "");
  return formatted("{}{}\n", text, fix.is_fix ? s.good(words) : words);
}

std::string finding_text(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s, const run_text_options& options) {
  const site& f = l.sites[found.sites.front()];
  std::string text = formatted("{}  {}, {}\n", s.strong(formatted("{}. {}", number, line_or_pc(f))),
                               what_of(r, l, found), how_much(r, l, found, s));
  if (options.source_line && f.line != 0)
    if (const std::string source(trim(options.source_line(f.file, f.line))); !source.empty())
      text += formatted("   {}\n", source_excerpt(source, f, array_of(l, f), s.width > 20 ? s.width - 3 : 77));
  if (f.outer_line != 0 && (f.outer_line != f.line || f.outer_file != f.file))
    text += formatted("   inlined at {}:{}\n", base_name(f.outer_file), f.outer_line);
  text += formatted("   pc 0x{}  {}{}", hex(f.pc), f.sass, f.function.empty() ? "" : formatted("  in {}", f.function));
  if (found.sites.size() > 1)
    text += s.dim(formatted("  and {} on this line", count_of(found.sites.size() - 1, "more instruction")));
  if (found.removable != 0 && found.queued != 0)
    text += formatted("\n and {} from lanes that queue for one word; {}", count_of(found.queued, "wavefront"),
                      instead_of(l, f));
  if (const std::string depends = dependences_text(f); !depends.empty())
    text += formatted("\n   depends on: {}", depends);
  text += formatted("\n   this instruction: executed {}, {}; the worst access:\n", count_of(f.executed, "time"),
                    count_of(f.wavefronts, "wavefront"));
  const access_report worst = explained(f, r.on);
  text += formatted("   {}\n\n", paint_by_cost(worst, s, verdict(worst)));
  return text + collision_text(worst, s, options.all ? 64 : 5);
}

}  // namespace bankwise
