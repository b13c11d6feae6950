#include "lsp/line_texts.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "model/instances.hpp"
#include "model/sectors/sector_reason.hpp"
#include "report/sections/dependence_report.hpp"
#include "report/sections/finding_words.hpp"
#include "report/sections/time_report.hpp"
#include "source/text.hpp"

namespace bankwise::lsp {

namespace {

// Returns the sums of a line's instructions on one kind of memory, as numbers of global memory.
check::amounts sectors_of(const line_note& n, memory_kind of) {
  check::amounts sum;
  for (const noted_global_site& s : n.global_sites)
    if (memory_of(s.what->kind) == of) sum.add(*s.launch, *s.what, measure_record::global, s.launch->count);
  return sum;
}
std::string sectors_text(const check::amounts& sum) {
  return formatted("{} for {}", count_of(sum[measure::sectors].is, "sector"),
                   count_of(sum[measure::requests].is, "request"));
}

}  // namespace

check::amounts sum_of(const line_note& n) {
  check::amounts sum;
  for (const noted_site& s : n.sites) sum.add(*s.launch, *s.what, s.launch->count);
  return sum;
}

access_report worst_of(const line_note& n) { return explained(*n.sites.front().what, n.sites.front().in->what.on); }

std::string cost_in_short(const access_report& r) {
  const cost& c = r.why.total;
  return count_of(c.wavefronts, "wavefront") +
         (c.wavefronts == c.reachable ? "" : formatted(", {} reachable", grouped(c.reachable)));
}

std::string sum_text(const line_note& n) {
  const check::amounts sum = sum_of(n);
  const auto of = [&](measure m) { return sum[m].is; };
  const bool is_estimated =
      std::any_of(n.sites.begin(), n.sites.end(), [](const noted_site& s) { return s.launch->scaled; });
  return formatted("{}{} for {}; {} reachable, {} removable{}", is_estimated ? "about " : "",
                   count_of(of(measure::wavefronts), "wavefront"), count_of(of(measure::executed), "execution"),
                   grouped(of(measure::reachable)), grouped(of(measure::removable)),
                   of(measure::queued) == 0
                       ? ""
                       : formatted(", {} from lanes that queue for one word", grouped(of(measure::queued))));
}

const known_fix* fix_of(const noted_site& s) {
  for (const known_fix& f : s.launch->fixes)
    if (!f.code.empty() &&
        std::find(f.sites.begin(), f.sites.end(), std::pair{s.what->function, s.what->pc}) != f.sites.end())
      return &f;
  return nullptr;
}

std::string finding_message(const check::finding& f) {
  std::string text = f.message;
  if (f.compared == check::novelty::known) text += " (known: the baseline has this finding)";
  if (f.compared == check::novelty::worse) text += " (worse than in the baseline)";
  if (const std::string saving = saving_of_finding(f); !saving.empty()) text += formatted("\n{}", saving);
  if (!f.fix.empty())
    text += formatted("\n{}", f.fix);
  else if (f.what->id == check::removable_conflict)
    text += formatted("\nbankwise run {} finds a layout that removes these conflicts", worded(setting::fix));
  return printable_lines(text);
}

bool overlaps(const line_note& n, std::size_t from, std::size_t to) { return n.line >= from && n.line <= to; }

std::string access_text(const line_note& n) {
  const site& s = *n.sites.front().what;
  const access_report worst = worst_of(n);
  std::string text = formatted("{}\n", sum_text(n));
  text += formatted("{} of {}{}\n", s.sass, shown_name(*n.sites.front().launch),
                    n.sites.size() > 1 ? formatted(", the worst of {} accesses on this line", n.sites.size()) : "");
  if (const std::string depends = dependences_text(s); !depends.empty()) text += formatted("depends on: {}\n", depends);
  return formatted("{}{}\n\n{}", text, verdict(worst), collision_text(worst, {}, most_drawn));
}

std::string sectors_in_short(const line_note& n) {
  const auto first = std::find_if(n.global_sites.begin(), n.global_sites.end(),
                                  [](const noted_global_site& s) { return s.what->worst.mask != 0; });
  if (first == n.global_sites.end() || excess_sectors(*first->what) == 0) return {};
  const global_site& worst = *first->what;
  return formatted("{}, {} ideal", count_of(worst.worst.sectors, "sector"), worst.worst.sectors_ideal);
}

std::string global_text(const line_note& n) {
  std::string text;
  if (const check::amounts sum = sectors_of(n, memory_kind::global); sum[measure::requests].is != 0)
    text += formatted("global memory: {}, but {} would be enough for these bytes\n", sectors_text(sum),
                      grouped(sum[measure::sectors_ideal].is));
  for (const auto& [of, name] :
       {std::pair(memory_kind::local, "local memory"), std::pair(memory_kind::texture, "textures"),
        std::pair(memory_kind::surface, "surfaces")})
    if (const check::amounts sum = sectors_of(n, of); sum[measure::requests].is != 0)
      text += formatted("{}: {}\n", name, sectors_text(sum));
  for (const noted_global_site& s : n.global_sites)
    if (const sector_reason why = reason_of(*s.launch, *s.what)) {
      text +=
          formatted("{} of {}: {}\n{}\n", s.what->sass, shown_name(*s.launch), why.why, remedy_sentence(*s.what, why));
      break;
    }
  return text;
}

std::string time_text(const line_note& n) {
  std::string text;
  std::set<const launch_report*> seen;
  for (const noted_site& one : n.sites) {
    if (!seen.insert(one.launch).second) continue;
    const std::string waits = waiting_sentence(*one.launch, one.what->file, n.line_before);
    if (!waits.empty()) text += formatted("{}\n", waits);
  }
  return text;
}

std::string stale_text(const source_notes& n) {
  std::string names;
  for (const std::string& s : n.stale) names += (names.empty() ? "" : ", ") + s;
  return formatted(
      "this source has changed since {}{} made. The numbers are for the older source. bankwise shows them on the lines "
      "whose text is still the same{}. Run `bankwise check` to update the reports",
      names, n.stale.size() == 1 ? " was" : " were",
      n.gone == 0 ? "" : formatted(" (since then, {} with accesses changed)", count_of(n.gone, "line")));
}

std::set<std::string_view> words_of(std::string_view code) {
  std::set<std::string_view> words;
  for (std::size_t from = 0, end = 0; from < code.size(); from = end + 1) {
    for (end = from; end < code.size() && source::is_word(code[end]);) ++end;
    if (end != from) words.insert(code.substr(from, end - from));
  }
  return words;
}

}  // namespace bankwise::lsp
