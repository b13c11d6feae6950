// The table of a program's launches: for each kernel and shape its time, what bounds it, and how it fills the GPU.
//
//     launches by time       time     share  bound by         waves  occupancy  registers
//     add_distant    20    112 us     95.2%  launch overhead   15.5       100%         16
#pragma once

#include <string>
#include <vector>

#include "findings/best_changes.hpp"
#include "model/fold.hpp"
#include "report/table/run_text_options.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns the launches in the order that the user wants, as indices.
std::vector<std::size_t> sorted_launches(const std::vector<added_launches>& launches, launch_order by);
// Returns the table. `order`: the indices of the launches.
std::string launch_table(const std::vector<added_launches>& launches, const std::vector<std::size_t>& order,
                         const style& s, const run_text_options& options);

// The facts of a launch in this table and on the page. Empty if they are not known.
std::string waves_text(const launch_report& l);
std::string occupancy_text(const launch_report& l);  // "50% (registers)"

// Returns a text such as "the first 3 changes save 61% of the time: about 72.0 us instead of 184 us". Returns an empty
// string if fewer than two changes have a predicted saving.
std::string together_text(const findings::best_changes& best);

}  // namespace bankwise
