// Whether the conflicts of a launch matter: the clocks of one multiprocessor, and sentences about them. The text report
// and the page use both.
#pragma once

#include <string>
#include <vector>

#include "check/findings.hpp"
#include "model/report.hpp"
#include "model/time_bound.hpp"
#include "report/table/run_text_options.hpp"
#include "report/table/style.hpp"

namespace bankwise {

struct clock_row {
  std::string name;             // name of the resource, such as "shared pipe"
  std::uint64_t clocks = 0;     // clocks of one multiprocessor
  std::uint64_t with_best = 0;  // clocks if no wavefronts are removable
  std::string says;             // text after the clocks, such as "; 4,096 with the best layout"
};
std::vector<clock_row> clock_rows(const time_bound& b);

// Returns a time with three digits, such as "12.3 us".
std::string duration_text(std::uint64_t nanoseconds);
// Returns the GPU's name with its article, such as "an H100 SXM".
std::string with_article(const std::string& gpu);
// Returns the name of a resource for a sentence about a predicted time.
std::string words_of_resource(const std::string& name);
// Returns the resource that bounds the time, such as "memory latency".
std::string words_of_bound(const predicted_time& t);
// Returns a text such as "about 12.3 us on an H100 SXM (10.9 to 13.8), bound by memory latency". If the time is
// unknown, returns the reason. Returns an empty string if no time was requested. If `l` is a sum of launches, `kinds`
// is the number of different launches in the sum.
std::string time_line(const report& r, const launch_report& l, std::uint64_t kinds = 1);
// Returns the distance to the floor in words: "about 12.6 us, if DRAM was always busy; 4.10 us for 6.29 MB of needed
// data", for the unit that is used most and for the bytes and arithmetic that the launch needs. Leaves out a part that
// is not known, and a unit that is busy for at least 90 % of the time. Returns an empty string if the launch is within
// 10 % of its floor, or if the launch itself takes much of the time.
std::string floor_line(const predicted_time& t);
// Returns "tensor cores busy 43%, waiting for copies 40%, epilogue 9%", or an empty string if the launch does not
// multiply what it copies.
std::string products_line(const predicted_time& t);
// Returns a text such as "The launch takes about 12,300 cycles (10,100 to 14,000), which is 7.70 us. This is the time
// on an H100 SXM with cold caches, predicted from 4 blocks. Without DRAM, the launch would take 40% less time. The
// launch uses 12% of the multiprocessors (...) and 83% of memory (...)."
std::string predicted_sentence(const predicted_time& t);
// Returns a text such as "saves 43% of this kernel's time: about 7.07 us instead of 12.3 us, 1.74 times as fast".
// For a saving under 1 %, returns "saves under 1% of this kernel's time, which is bound by memory latency".
std::string saved_text(const predicted_time& t, std::uint64_t cycles_after);
// Returns a text such as "removing it saves 43% of this kernel's time: ...", or an empty string if the time is not
// predicted.
std::string saving_of_finding(const check::finding& f);
// Returns the message of a finding, its saving and its fix, as one line.
std::string whole_message(const check::finding& f);
// Returns the percentages of the reasons why warps wait: "global memory 81%, a barrier 9%".
std::string waits_text(const stall_cycles& s);
// Returns a table of source lines, each with its share of the time of all warps. Returns an empty string if the shares
// are unknown.
std::string waiting_text(const launch_report& l, const style& s, const run_text_options& options);
// Returns a table of barriers: how long a warp waits there, and for which warp of its block. Returns an empty string if
// the waits are short or not predicted.
std::string barrier_waits_text(const launch_report& l, const style& s, const run_text_options& options);
// Returns "1.74 times as fast" or "1.20 times as slow". Returns "as fast" if the factor is 1.00.
std::string factor_text(std::uint64_t before, std::uint64_t after);
// Returns a text such as "about 7.12 us (6.40 to 8.90) instead of 12.3 us (11.0 to 15.2) on an H100 SXM, 1.73 times as
// fast". Returns an empty string if a time is not predicted, or if the times are for different GPUs or states of
// caches.
std::string change_text(const predicted_time& before, const predicted_time& after);
// The prediction of a change is within this part for 12 of the 13 measured edits that change the time by under 10 %
// (scripts/compare errors edits).
constexpr double error_of_change = 0.05;
// Whether the predicted time after an edit is longer, by at least 1 %. Such an edit is not kept.
bool is_clearly_slower(const predicted_time& before, const predicted_time& after);
// Returns a text such as "k: the edit saves 43% of this kernel's time: ...", as one line. `before` and `after` are
// times before and after an edit. Returns an empty string if a time is not predicted.
std::string saving_of_edit(const std::string& name, const predicted_time& before, const predicted_time& after);
// Returns a text such as "96.0 us (83.5 to 116)". The interval contains the time of nine of ten launches.
std::string range_text(const predicted_time& t);
// Returns the ratio of two numbers with one decimal: "10.8" for 108 and 10.
std::string ratio_text(std::uint64_t before, std::uint64_t after);
// Returns the ratio of two numbers with one decimal, or with two decimals if one would hide the saving, as in "1.04".
std::string fine_ratio_text(std::uint64_t before, std::uint64_t after);

// Returns a sentence about the time that bank conflicts cost the launch, such as "Removing the bank conflicts saves 43%
// of this kernel's time: ...".
std::string time_sentence(const launch_report& l);
// Returns a sentence about the time that bank conflicts cost all launches, if the launches run one after another.
// Returns an empty string if the time of a launch is not predicted.
std::string saved_by_all(const report& r);
// Returns a text such as "Warps spend 40% of their time at this line. They wait for global memory 95%." Returns an
// empty string if the share is under 3 % or not predicted.
std::string waiting_sentence(const launch_report& l, const std::string& file, std::uint32_t line);
// Returns the saving without the conflicts of some instructions. `saved_cycles` is the predicted saving of the launch.
// `what` describes the instructions: "this instruction" or "the line".
std::string win_sentence(const counts& c, const launch_report& l, std::uint64_t saved_cycles, const std::string& what);

// Returns the reason why fewer clocks of shared memory save no time: "issuing instructions takes 4,352 clocks, and
// shared memory takes only 2,048 clocks".
std::string longer_part(std::uint64_t shared, std::uint64_t issue, std::uint64_t tensor);

// Returns a table of the clocks that each resource needs, for the text report.
std::string time_text(const launch_report& l, const style& s);
// Returns what better layouts of all launches together would save.
std::string program_sentence(const report& r);

}  // namespace bankwise
