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

std::vector<launch_note> notes_of(const launch_report& l) {
  std::vector<launch_note> list;
  for (launch_note& n :
       std::vector{out_of_bounds_note(l), block_races_note(l), hazards_note(l), other_results_note(l), retries_note(l)})
    if (!n.items.empty()) list.push_back(std::move(n));
  return list;
}

}  // namespace bankwise
