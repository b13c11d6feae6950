// Delays of a report's launches, with the edits of the sources that remove them, and the text that shows them to users.
// Threads whose axes should be exchanged are also a delay here: their lanes access distant elements.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/source_files.hpp"
#include "edit/delay_edit.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

struct planned_delay {
  delay what;                                  // of the launch to which the delay costs the most time
  std::vector<const launch_report*> launches;  // all launches with this delay; the first is the one of `what`
  std::string file;                            // as in the line table; empty if it is unknown
  std::uint32_t line = 0;
  edit::delay_edit edit;
  // Which edit this is; nothing if the delay has none. A delay can have several edits, which are tried one by one.
  std::optional<edit::delay_edit_kind> by;

  bool is_made() const { return edit.refused.empty() && !edit.changes.empty(); }
  bool has_kernel(const std::string& mangled) const;
  // Whether both edits change a kernel, so that each of them must show its own saving.
  bool shares_kernel_with(const planned_delay& other) const;
  // Returns a text such as "late_loads of relax, line 12".
  std::string title() const;
};

// Plans the edits of the delays of the launches that `is_wanted` selects. Equal edits are planned once. `is_editable`
// tells whether a file is found and may be edited. `may_risk` tells whether edits are allowed that need a check.
std::vector<planned_delay> plan_delays(const report& r, const source_files& sources,
                                       const std::function<bool(const launch_report& l)>& is_wanted,
                                       const std::function<bool(const std::string& file)>& is_editable, bool may_risk);

// Returns each edit, or the reason why there is none and what the user can do.
std::string delays_text(const std::vector<planned_delay>& all, const source_files& sources);

}  // namespace bankwise::cli
