// The difference of two reports: kernels and source lines are matched, and numbers are subtracted.
//
//     transpose_plain   18   ld.b32   wavefronts -63,488   removable -63,488     out[...] = tile[threadIdx.x][...]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report.hpp"

namespace bankwise::check {

// Sums over some sites. Each launch is weighted by its count.
struct sum : totals {
  std::uint64_t wavefronts_apart = 0, removable_apart = 0;  // for estimates: the possible errors of these numbers
  global_counts global;                                     // for a kernel or a report: without local memory
  std::uint64_t local_sectors = 0;
  std::uint64_t excess_sectors_apart = 0;  // for estimates: the possible error

  std::uint64_t excess() const { return wavefronts - ideal; }
  friend bool operator==(const sum& a, const sum& b) {
    return static_cast<const totals&>(a) == static_cast<const totals&>(b) && a.global == b.global &&
           a.local_sectors == b.local_sectors;
  }
};

// The sites of a kernel on one line with one operation. If one report does not contain the line, its counts are 0.
struct diff_row {
  std::string file, text, operation;  // from B if B contains the line, otherwise from A; without folder
  std::uint32_t line_a = 0, line_b = 0;
  bool in_a = false, in_b = false;
  sum a, b;
};

struct kernel_diff {
  std::string kernel, name;  // from B, or from A if B does not contain the kernel
  bool in_a = false, in_b = false;
  sum a, b;
  std::vector<diff_row> rows;               // largest change first
  std::vector<diff_row> global_rows;        // rows about global and local memory, largest change first
  bool counts_global = false;               // whether each report with this kernel contains sector counts
  predicted_time time_a = {}, time_b = {};  // for all launches of the kernel; empty if a launch has no prediction
};

struct report_diff {
  std::vector<kernel_diff> kernels;  // in the order of B, then kernels that only A contains
  sum a, b;
  bool estimated_a = false, estimated_b = false;  // whether a launch was estimated from a sample
  predicted_time time_a, time_b;
  early_end partial_a, partial_b;      // why a report is partial; missing lines may not have been executed
  std::vector<std::string> uncounted;  // kernels whose sectors only one report counted
};

// Kernels match by their full name, or by the bare name if it is unique in both reports. Lines match by text and
// operation, preferably in a file of the same name. Otherwise they match by file, number and operation, and finally by
// text only.
report_diff diff_of(const report& a, const report& b);

}  // namespace bankwise::check
