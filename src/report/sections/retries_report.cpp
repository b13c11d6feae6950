#include "report/sections/retries_report.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/remedies.hpp"
#include "report/table/cost_table.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

// Returns a text such as "24,776 wavefronts of the loop, 98.5% of the shared pipe".
std::string cost_of_loop(const launch_report& l, const site& swap) {
  std::uint64_t wavefronts = 0, cycles = 0;
  for (const site& s : l.sites) {
    if (s.function != swap.function) continue;
    const bool inside = s.pc >= swap.again.loop_begin && s.pc <= swap.again.loop_end;
    if (swap.again.loop_end == 0 ? s.pc != swap.pc : !inside) continue;
    wavefronts += s.wavefronts;
    cycles += s.cycles;
  }
  return formatted("{}{}, {} of the shared pipe", count_of(wavefronts, "wavefront"),
                   swap.again.loop_end == 0 ? "" : " of the loop", percent_text(cycles, l.sum.cycles));
}

std::string hint_of(const launch_report& l, const site& swap) {
  const std::string instead = remedies_sentence(l, swap);
  return instead.empty() ? "" : formatted("{}; instead: {}", cost_of_loop(l, swap), instead);
}

}  // namespace

launch_note retries_note(const launch_report& l) {
  launch_note n{"loops around a compare-and-swap", "", {}, ""};
  for (const site& one : l.sites) {
    if (!goes_round(one)) continue;
    const retries& r = one.again;
    n.items.push_back(
        {retries_sentence(r),
         "",
         {{"",
           {one.pc, one.function, one.sass, one.file, one.line, one.text},
           r.loop_end != 0 ? formatted("in the loop 0x{} to 0x{}", hex(r.loop_begin), hex(r.loop_end)) : ""}},
         {},
         hint_of(l, one)});
  }
  return n;
}

std::string retries_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  const launch_note n = retries_note(l);
  if (n.items.empty()) return {};
  std::string text = formatted("\n{}\n", s.strong(n.title));
  for (const launch_note::item& one : n.items) {
    const auto& [does, p, detail] = one.places.front();
    text += formatted("  {}{}\n", place_text(p), detail.empty() ? "" : formatted("  {}", detail));
    if (source_line && p.line != 0)
      if (const std::string source(trim(source_line(p.file, p.line))); !source.empty())
        text += formatted("    {}\n", s.dim(shortened(source, 77)));
    text += formatted("    {}\n", s.bad(one.what));
    for (const site& swap : l.sites) {
      const std::vector<remedy> list = remedies_of(l, swap);
      if (swap.pc != p.pc || swap.function != p.function || list.empty()) continue;
      text += formatted("    {}; instead:\n", cost_of_loop(l, swap));
      for (const remedy& r : list) text += formatted("      {}: {}\n", words_of(r.what), cost_of(r));
    }
  }
  return text;
}

}  // namespace bankwise
