// The report of a process: writes it to its file, while the program runs and at the end.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/device/state.hpp"

namespace bankwise::cuda {

// Whether this process writes the report. A forked child has a copy of its parent's state, but writes no report.
bool writes_report(const state& s);
// Counts a kernel that is about to run. Returns the number of kernels counted so far, including this one.
std::uint64_t count_launch(state& s);
void write_report(state& s);
// Writes the report from time to time while the program runs, so that a report exists if the program is killed.
void write_report_now_and_then(state& s);
// Returns the signal with which bankwise ends the run, or 0 if the run continues.
int stop_asked(const state& s);
// Writes the last report, then waits until bankwise sends its signal to the program. The caller holds the lock.
void answer_stop(state& s);
// Writes the text to NAME.fault next to the report. From this file, bankwise knows that a launch failed.
void write_fault(const state& s, const std::string& what);

}  // namespace bankwise::cuda
