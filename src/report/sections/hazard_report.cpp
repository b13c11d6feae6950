#include "report/sections/hazard_report.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

struct hazard_words {
  hazard_kind kind;
  const char* name;
  const char* title;
  const char *first, *second;  // the effects of the two accesses of the hazard, in the order of the accesses
  const char* hint;
};
constexpr hazard_words words_table[] = {
    {hazard_kind::uninitialised, "uninitialised", "a read of shared memory that was never written", "", "read",
     "on a GPU, this memory contains old values, but bankwise fills shared memory with zeros"},
    {hazard_kind::read_after_write, "read_after_write", "a read may happen before the write", "write", "read",
     "no barrier orders the two accesses. Add __syncthreads() between the accesses, or __syncwarp() within a warp"},
    {hazard_kind::write_after_read, "write_after_read", "a write may happen before the read", "read", "write",
     "no barrier orders the two accesses. Add __syncthreads() between the accesses, or __syncwarp() within a warp"},
    {hazard_kind::write_after_write, "write_after_write", "two writes may happen in either order", "write", "write",
     "no barrier orders the two accesses. Add __syncthreads() between the accesses, or __syncwarp() within a warp"},
};

const hazard_words& words_of(hazard_kind k) {
  for (const hazard_words& w : words_table)
    if (w.kind == k) return w;
  return words_table[0];
}

// What is special about a cause. Null texts stand for those of the kind.
struct cause_words {
  hazard_cause cause;
  const char *name, *title, *hint;
};
constexpr cause_words cause_table[] = {
    {hazard_cause::no_order, "no_order", nullptr, nullptr},
    {hazard_cause::in_step, "in_step", "warning: two lanes of a warp are ordered only because lanes run together",
     "ordered only because lanes run together; add __syncwarp() between the accesses. Since Volta, CUDA does not promise "
     "that the lanes of a warp run in step"},
    {hazard_cause::no_async_fence, "no_async_fence", "a bulk copy may not see the write",
     "a barrier does not order writes of threads before bulk copies. Before the barrier, each writing thread needs "
     "fence.proxy.async (cuda::ptx::fence_proxy_async)"},
};

const cause_words& words_of(hazard_cause c) { return cause_table[static_cast<std::size_t>(c)]; }

}  // namespace

std::string_view name_of(hazard_cause c) { return words_of(c).name; }

bool parse_hazard_cause(std::string_view name, hazard_cause& c) {
  for (const cause_words& w : cause_table)
    if (name == w.name) {
      c = w.cause;
      return true;
    }
  return false;
}

std::string_view name_of(hazard_kind k) { return words_of(k).name; }

bool parse_hazard_kind(std::string_view name, hazard_kind& k) {
  for (const hazard_words& w : words_table)
    if (name == w.name) {
      k = w.kind;
      return true;
    }
  return false;
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
      return g.example->kind == h.kind && g.example->cause == h.cause && is_same_place(g.example->first, h.first) &&
             is_same_place(g.example->second, h.second);
    });
    hazard_group& g = at == groups.end() ? groups.emplace_back(hazard_group{&h}) : *at;
    ++g.hazards;
    g.count += h.count;
  }
  return groups;
}

std::size_t warnings_in(const launch_report& l) {
  return static_cast<std::size_t>(
      std::count_if(l.hazards.begin(), l.hazards.end(), [](const hazard& h) { return h.is_warning(); }));
}

std::string counts_in_words(std::size_t hazards, std::size_t warnings, const char* what) {
  if (warnings == 0) return count_of(hazards, what);
  return hazards == 0 ? count_of(warnings, "warning")
                      : formatted("{} and {}", count_of(hazards, what), count_of(warnings, "warning"));
}

// The result of checks that found nothing.
std::string clean_result(const checks& c) {
  return c.uninitialised && c.races ? "no races, no uninitialised reads"
         : c.races                  ? "no races"
                                    : "no uninitialised reads";
}

}  // namespace

std::string checks_sentence(const report& r) {
  checks all{true, true};
  bool any = false;
  std::size_t hazards = 0, warnings = 0;
  for (const launch_report& l : r.launches) {
    if (!l.checked.any()) continue;
    any = true;
    all.races &= l.checked.races;
    all.uninitialised &= l.checked.uninitialised;
    const std::size_t mild = warnings_in(l);
    hazards += l.hazards.size() - mild;
    warnings += mild;
  }
  if (hazards != 0 || warnings != 0) return counts_in_words(hazards, warnings, "hazard");
  return any && all.any() ? clean_result(all) : "";
}

launch_note hazards_note(const launch_report& l) {
  launch_note n;
  if (l.hazards.empty()) return n;
  const std::vector<hazard_group> groups = group(l.hazards);
  const std::size_t mild = warnings_in(l);
  n.title = formatted("{} of shared memory{}",
                      counts_in_words(l.hazards.size() - mild, mild, l.checked.any() ? "hazard" : "race"),
                      l.checked.any() ? "" : ", seen in the first blocks");
  if (groups.size() != l.hazards.size())
    n.title += formatted(", in {} (one example each)", count_of(groups.size(), "pair of lines", "pairs of lines"));
  for (const hazard_group& g : groups) {
    const hazard& h = *g.example;
    const hazard_words& w = words_of(h.kind);
    const cause_words& c = words_of(h.cause);
    launch_note::item& one = n.items.emplace_back();
    one.what = c.title != nullptr ? c.title : w.title;
    one.where = formatted("{}{}{} in block ({}), at byte {} of shared memory{}",
                          g.count == 1 ? "once" : formatted("{} times in total", grouped(g.count)),
                          g.hazards > 1 ? formatted(", in {} pairs of instructions", g.hazards) : "",
                          g.count == 1 ? "," : ". The first time was", triple(h.block), grouped(h.offset),
                          h.array.empty() ? "" : formatted(", in {}", h.array));
    if (*w.first != '\0') one.places.push_back({w.first, h.first, formatted("thread ({})", triple(h.first.thread))});
    one.places.push_back({w.second, h.second, formatted("thread ({})", triple(h.second.thread))});
    one.hint = c.hint != nullptr ? c.hint : w.hint;
  }
  if (!l.checked.any())
    n.hint = formatted(
        "bankwise looked only at a few blocks, and lets warps take turns as on a GPU, where the result can change from "
        "run to run. {} looks at all blocks",
        worded(setting::check, "race"));
  return n;
}

std::string hazards_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  if (!l.checked.any() && l.hazards.empty()) return {};
  if (l.hazards.empty())
    return formatted("{}\n", s.good(formatted("{} of shared memory in this launch", clean_result(l.checked))));
  const launch_note n = hazards_note(l);
  std::string text = formatted("{}\n", s.strong(n.title));
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    const launch_note::item& one = n.items[i];
    text += formatted("\n{} {}, {}\n", s.strong(formatted("{}.", i + 1)), s.bad(one.what), one.where);
    for (const launch_note::at& a : one.places) {
      const code_place& p = a.place;
      text += formatted("   {}  {}  {}\n", pad_right(a.does, 5), place_text(p), a.detail);
      if (const std::string line = source_line && p.line != 0 ? source_line(p.file, p.line) : ""; !line.empty())
        text += formatted("          {}\n", s.dim(std::string(trim(line))));
    }
    text += formatted("   {}\n", one.hint);
  }
  if (!n.hint.empty()) text += formatted("\n{}\n", n.hint);
  return text;
}

}  // namespace bankwise
