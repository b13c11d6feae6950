// Whether the conflicts of a launch matter: the clocks of one multiprocessor, and what they say. For the text report
// and the page.
#pragma once

#include <string>
#include <vector>

#include "model/parts/time_bound.hpp"
#include "model/report.hpp"
#include "report/text/style.hpp"

namespace bankwise {

struct clock_row {
  std::string name;             // "shared pipe"
  std::uint64_t clocks = 0;     // of one multiprocessor
  std::uint64_t with_best = 0;  // with every wavefront gone that a layout can remove
  std::string says;             // after "clocks": "; 4,096 with the best layout"
};
std::vector<clock_row> clock_rows(const time_bound& b);

// "It takes about 12,300 cycles (10,100 to 14,000), 7.7 us, on an H100 SXM with cold caches. Without DRAM it would take
// 40% less."
std::string predicted_sentence(const predicted_time& t);
// "10.8", of 108 and 10.
std::string ratio_text(std::uint64_t before, std::uint64_t after);
// The same with one more digit if one would hide the saving: "1.04".
std::string fine_ratio_text(std::uint64_t before, std::uint64_t after);

// One sentence: "Without its bank conflicts this kernel could run up to 10.8 times as fast, ..."
std::string time_sentence(const time_bound& b, std::string (*ratio)(std::uint64_t before, std::uint64_t after));
// The most that removing the conflicts of some instructions can save. `what`: "this instruction", "the line".
std::string win_sentence(const counts& c, const time_bound& b, const std::string& what);

// Why fewer clocks of shared memory save no time: "issuing instructions takes longer than shared memory, 4,352 clocks
// against 2,048".
std::string longer_part(std::uint64_t shared, std::uint64_t issue, std::uint64_t tensor);

// The clocks of each resource, of the text report.
std::string time_text(const launch_report& l, const style& s);

}  // namespace bankwise
