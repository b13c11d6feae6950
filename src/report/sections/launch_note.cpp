#include "report/sections/launch_note.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/sections/block_races_report.hpp"
#include "report/sections/hazard_report.hpp"
#include "report/sections/other_results_report.hpp"
#include "report/sections/out_of_bounds_report.hpp"
#include "report/sections/retries_report.hpp"

namespace bankwise {

std::string place_text(const code_place& p) {
  return formatted("{}  pc 0x{}  {}{}",
                   p.file.empty() ? std::string("?") : formatted("{}:{}", base_name(p.file), p.line), hex(p.pc), p.sass,
                   p.function.empty() ? "" : formatted("  in {}", p.function));
}

std::string items_text(const launch_note& n, const style& s,
                       const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line,
                       std::size_t& left) {
  std::string text;
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    if (const std::string cut = cut_text(n, i, left); !cut.empty()) return text + cut;
    const launch_note::item& one = n.items[i];
    text += formatted("\n{} {}, {}\n", s.strong(formatted("{}.", i + 1)), s.bad(one.what), one.where);
    for (const launch_note::at& a : one.places) {
      const code_place& p = a.place;
      text += formatted("   {}  {}{}\n", pad_right(a.does, 5), place_text(p),
                        a.detail.empty() ? "" : formatted("  {}", a.detail));
      if (const std::string line = source_line && p.line != 0 ? source_line(p.file, p.line) : ""; !line.empty())
        text += formatted("          {}\n", s.dim(std::string(trim(line))));
    }
    for (const std::string& line : one.trail) text += formatted("   {}\n", line);
    if (!one.hint.empty()) text += formatted("   {}\n", one.hint);
  }
  return text;
}

std::string cut_text(const launch_note& n, std::size_t i, std::size_t& left) {
  if (left == 0) return formatted("\n... and {} more\n", n.items.size() - i);
  --left;
  return {};
}

std::vector<launch_note> notes_of(const launch_report& l) {
  std::vector<launch_note> list;
  for (launch_note& n :
       std::vector{out_of_bounds_note(l), block_races_note(l), hazards_note(l), other_results_note(l), retries_note(l)})
    if (!n.items.empty()) list.push_back(std::move(n));
  return list;
}

}  // namespace bankwise
