// Whether the conflicts of a launch matter: the clocks of one multiprocessor, and sentences about them. For the text
// report and the page.
#pragma once

#include <string>
#include <vector>

#include "check/findings.hpp"
#include "model/time/time_bound.hpp"
#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

struct clock_row {
  std::string name;             // "shared pipe"
  std::uint64_t clocks = 0;     // of one multiprocessor
  std::uint64_t with_best = 0;  // clocks if every wavefront that a layout can remove were removed
  std::string says;             // the text after "clocks": "; 4,096 with the best layout"
};
std::vector<clock_row> clock_rows(const time_bound& b);

// "12.3 us", with three digits.
std::string duration_text(std::uint64_t nanoseconds);
// "an H100 SXM"
std::string with_article(const std::string& gpu);
// "memory latency"
std::string words_of_bound(const predicted_time& t);
// "about 12.3 us on an H100 SXM (10.9 to 13.8), bound by memory latency", or why the time is unknown; empty if it was
// not requested. `l` may be a sum of launches; `kinds` is the number of different launches in it.
std::string time_line(const report& r, const launch_report& l, std::uint64_t kinds = 1);
// "It takes about 12,300 cycles (10,100 to 14,000), 7.7 us, on an H100 SXM with cold caches, predicted from 4 blocks.
// Without DRAM it would take 40% less. It uses 12% of the multiprocessors (...) and 83% of memory (...)."
std::string predicted_sentence(const predicted_time& t);
// "saves 43% of this kernel's time: about 7.1 us instead of 12.3 us, 1.74 times as fast", or a sentence that there is
// no saving.
std::string saved_text(const predicted_time& t, std::uint64_t cycles_after);
// "removing it saves 43% of this kernel's time: ..."; empty if the time is not predicted.
std::string saving_of_finding(const check::finding& f);
// Its message, the saving and the fix, as one line.
std::string whole_message(const check::finding& f);
// "global memory 81%, a barrier 9%": percentages of the cycles that warps spend.
std::string waits_text(const stall_cycles& s);
// Lines of the source with their part of all warps' time, as a table; empty if unknown.
std::string waiting_text(const launch_report& l, const style& s, const run_text_options& options);
// "1.74 times as fast", "1.20 times as slow", or "as fast" if the two digits show no difference.
std::string factor_text(std::uint64_t before, std::uint64_t after);
// "about 7.12 us (6.40 to 8.90) instead of 12.3 us (11.0 to 15.2) on an H100 SXM, 1.74 times as fast"; empty if the
// times are not predicted, or for different GPUs or caches.
std::string change_text(const predicted_time& before, const predicted_time& after);
// "k: the edit saves 43% of this kernel's time: ...", for the code before and after, a line; empty without predictions.
std::string saving_of_edit(const std::string& name, const predicted_time& before, const predicted_time& after);
// "96.0 us (83.5 to 116)": with the interval that holds for nine of ten launches.
std::string range_text(const predicted_time& t);
// "10.8", for 108 and 10.
std::string ratio_text(std::uint64_t before, std::uint64_t after);
// As ratio_text(), with one more digit if rounding would hide the saving: "1.04".
std::string fine_ratio_text(std::uint64_t before, std::uint64_t after);

// Says in one sentence whether the launch's bank conflicts cost time: "Removing its bank conflicts saves 43% of this
// kernel's time: ..."
std::string time_sentence(const launch_report& l);
// The same for all launches of a report, one after another; empty if some launch has no predicted time.
std::string saved_by_all(const report& r);
// "Warps spend 40% of their time at this line: global memory 95%."; empty if it is under 3% or not predicted.
std::string waiting_sentence(const launch_report& l, const std::string& file, std::uint32_t line);
// The saving without the conflicts of some instructions. `saved_cycles`: the predicted saving of the launch. `what`:
// "this instruction", "the line".
std::string win_sentence(const counts& c, const launch_report& l, std::uint64_t saved_cycles, const std::string& what);

// Why fewer clocks of shared memory save no time: "issuing instructions takes longer than shared memory, 4,352 clocks
// against 2,048".
std::string longer_part(std::uint64_t shared, std::uint64_t issue, std::uint64_t tensor);

// The clocks of each resource, for the text report.
std::string time_text(const launch_report& l, const style& s);

}  // namespace bankwise
