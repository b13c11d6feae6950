// Delays of a report's launches, with the edits of the sources that remove them, and the text that shows them to users.
#pragma once

#include <cstdint>
#include <functional>
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

  bool is_made() const { return edit.refused.empty() && !edit.changes.empty(); }
  bool has_kernel(const std::string& mangled) const;
  // Returns a text such as "late_loads of relax, line 12".
  std::string title() const;
};

// Plans the edits of the delays of the launches that `is_wanted` selects. Equal edits are planned once. `is_editable`
// tells whether a file is found and may be edited.
std::vector<planned_delay> plan_delays(const report& r, const source_files& sources,
                                       const std::function<bool(const launch_report& l)>& is_wanted,
                                       const std::function<bool(const std::string& file)>& is_editable);

// Returns each edit, or the reason why there is none and what the user can do.
std::string delays_text(const std::vector<planned_delay>& all, const source_files& sources);

}  // namespace bankwise::cli
