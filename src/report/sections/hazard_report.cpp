#include "report/sections/hazard_report.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/sections/block_races_report.hpp"
#include "report/sections/program_faults_report.hpp"

namespace bankwise {

std::size_t warnings_in(const launch_report& l) {
  return static_cast<std::size_t>(
      std::count_if(l.hazards.begin(), l.hazards.end(), [](const hazard& h) { return h.is_warning(); }));
}

namespace {

// Hazards that are shown together. They have the same kind and the same two source lines, or the same two instructions
// if the lines are unknown.
struct hazard_group {
  const hazard* example = nullptr;
  std::size_t hazards = 0;
  std::uint64_t count = 0;
};

std::vector<hazard_group> group(const std::vector<hazard>& hazards) {
  const auto is_same_place = [](const code_place& a, const code_place& b) {
    return a.line != 0 ? a.file == b.file && a.line == b.line : b.line == 0 && a.function == b.function && a.pc == b.pc;
  };
  std::vector<hazard_group> groups;
  for (const hazard& h : hazards) {
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const hazard_group& g) {
      return g.example->kind == h.kind && g.example->cause == h.cause && g.example->memory == h.memory &&
             is_same_place(g.example->first, h.first) && is_same_place(g.example->second, h.second);
    });
    hazard_group& g = at == groups.end() ? groups.emplace_back(hazard_group{&h}) : *at;
    ++g.hazards;
    g.count += h.count;
  }
  return groups;
}

// The result of checks that found nothing.
std::string clean_result(const checks& c) {
  std::string text;
  const auto add = [&](bool checked, const char* part) {
    if (checked) text += formatted("{}{}", text.empty() ? "" : ", ", part);
  };
  add(c.races, "no races");
  add(c.uninitialised, "no uninitialised reads");
  add(c.memory, "no memory errors");
  add(c.synchronisation, "no synchronisation errors");
  return text;
}

std::string counts_in_words(std::size_t hazards, std::size_t warnings, const char* what) {
  if (warnings == 0) return count_of(hazards, what);
  return hazards == 0 ? count_of(warnings, "warning")
                      : formatted("{} and {}", count_of(hazards, what), count_of(warnings, "warning"));
}

bool is_all_shared(const launch_report& l) {
  return std::all_of(l.hazards.begin(), l.hazards.end(),
                     [](const hazard& h) { return h.memory == hazard_memory::shared; });
}

// The checks of a launch that found nothing. The report lists accesses out of bounds and races of blocks in other places.
checks checks_to_tell(const launch_report& l) {
  checks c = l.checked;
  c.races &= l.block_races.size() == race_warnings_in(l);
  c.memory &= l.out_of_bounds.empty();
  return c;
}

}  // namespace

std::string checks_sentence(const report& r) {
  checks all{true, true, true, true};
  bool any = false;
  std::size_t hazards = 0, warnings = 0;
  for (const launch_report& l : r.launches) {
    if (!l.checked.any()) continue;
    any = true;
    const checks clean = checks_to_tell(l);
    all.races &= clean.races;
    all.uninitialised &= clean.uninitialised;
    all.memory &= clean.memory;
    all.synchronisation &= clean.synchronisation;
    const std::size_t mild = warnings_in(l);
    hazards += l.hazards.size() - mild;
    warnings += mild;
  }
  all.memory &= !has_program_error(r) && r.partial.why != early_end::reason::fault;
  const std::string clean = any && hazards == 0 && all.any() ? clean_result(all) : "";
  std::string text;
  for (const std::string& part :
       {clean, hazards + warnings == 0 ? "" : counts_in_words(hazards, warnings, "hazard"), program_faults_sentence(r)})
    if (!part.empty()) text += formatted("{}{}", text.empty() ? "" : ", ", part);
  return text;
}

launch_note hazards_note(const launch_report& l) {
  launch_note n;
  if (l.hazards.empty()) return n;
  const std::vector<hazard_group> groups = group(l.hazards);
  const std::size_t mild = warnings_in(l);
  n.title = formatted("{}{}{}", counts_in_words(l.hazards.size() - mild, mild, l.checked.any() ? "hazard" : "race"),
                      is_all_shared(l) ? " of shared memory" : "", l.checked.any() ? "" : ", seen in the first blocks");
  if (groups.size() != l.hazards.size())
    n.title += formatted(", in {} (one example each)", count_of(groups.size(), "pair of lines", "pairs of lines"));
  for (const hazard_group& g : groups) {
    const hazard& h = *g.example;
    const hazard_words& w = words_of(h.kind);
    launch_note::item& one = n.items.emplace_back();
    one.what = formatted("{}{}", h.is_warning() ? "warning: " : "", title_of(h));
    one.where = formatted(
        "{}{}{} in block ({}){}{}", g.count == 1 ? "once" : formatted("{} times in total", grouped(g.count)),
        g.hazards > 1 ? formatted(", in {} pairs of instructions", g.hazards) : "",
        g.count == 1 ? "," : ". The first time was", triple(h.block),
        h.memory == hazard_memory::shared ? formatted(", at byte {} of shared memory", grouped(h.offset)) : "",
        !h.detail.empty() ? formatted(": {}", h.detail)
        : h.array.empty() ? ""
                          : formatted(", in {}", h.array));
    one.trail = h.trail;
    if (*w.first != '\0') one.places.push_back({w.first, h.first, formatted("thread ({})", triple(h.first.thread))});
    one.places.push_back({w.second, h.second, formatted("thread ({})", triple(h.second.thread))});
    one.hint = hint_of(h);
  }
  if (!l.checked.any())
    n.hint = formatted(
        "bankwise looked only at a few blocks, and lets warps take turns as on a GPU, where the result can change from "
        "run to run. {} looks at all blocks",
        worded(setting::check, "race"));
  return n;
}

std::string hazards_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line,
                         std::size_t& left) {
  if (!l.checked.any() && l.hazards.empty()) return {};
  if (l.hazards.empty()) {
    const checks clean = checks_to_tell(l);
    return clean.any() ? formatted("{}\n", s.good(formatted("{} in this launch", clean_result(clean)))) : "";
  }
  const launch_note n = hazards_note(l);
  std::string text = formatted("{}\n", s.strong(n.title));
  text += items_text(n, s, source_line, left);
  if (!n.hint.empty()) text += formatted("\n{}\n", n.hint);
  return text;
}

}  // namespace bankwise
