// The difference of two reports. Kernels and source lines are matched, and their numbers are subtracted.
//
//     transpose_plain   18   ld.b32   wavefronts -63,488   removable -63,488     out[...] = tile[threadIdx.x][...]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/amounts.hpp"
#include "model/report.hpp"

namespace bankwise::check {

// The sites of a kernel that are on the same line and have the same operation. If a report does not contain the line,
// its counts are 0.
struct diff_row {
  std::string file, text, operation;  // values in B; if B does not contain the line, values in A; `file` has no folder
  std::uint32_t line_a = 0, line_b = 0;
  bool in_a = false, in_b = false;
  amounts a, b;  // each site is counted once for each execution of its launch
};

struct kernel_diff {
  std::string kernel, name, instance;  // values in B; if B does not contain the kernel, values in A
  std::string instance_a;              // short name in A, if the kernels were matched although their names differ
  bool in_a = false, in_b = false;
  amounts a, b;
  std::vector<diff_row> rows;               // the largest change is first
  std::vector<diff_row> global_rows;        // rows about global and local memory; the largest change is first
  bool counts_global = false;               // whether every report that contains this kernel has counts of sectors
  predicted_time time_a = {}, time_b = {};  // total time of the kernel's launches; empty if a launch has no prediction
};

// A kernel that is not compared, because a report ended before all of its launches had run.
struct unfinished_kernel {
  std::string instance;
  std::uint64_t launches_a = 0, launches_b = 0;  // launches in the reports
  bool stopped_a = false, stopped_b = false;     // whether a launch was stopped
};

struct report_diff {
  std::vector<kernel_diff> kernels;  // kernels in the order of B, then kernels that only A contains
  std::vector<unfinished_kernel> unfinished;
  amounts a, b;
  bool estimated_a = false, estimated_b = false;  // whether a launch was estimated from a sample
  predicted_time time_a, time_b;
  // Why a report is partial. A line that is missing may not have been executed.
  early_end partial_a, partial_b;
  std::string failure_a, failure_b;    // how the programs failed; empty if they did not fail
  std::vector<std::string> uncounted;  // kernels whose sectors were counted in only one report
};

// Compares two reports. Kernels match by their full name. If they do not, they match by their name and template
// arguments, or by their name if each report has only one kernel with this name. If a report ended early, kernels with
// launches that it lacks are not compared. Lines match by text and operation, if possible in a file with the same name.
// The remaining lines match by file, number and operation. The last lines match by text only.
report_diff diff_of(const report& a, const report& b);

}  // namespace bankwise::check
