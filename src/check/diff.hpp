// Two reports side by side: kernels and source lines matched, numbers subtracted.
//
//     transpose_plain   18   ld.b32   wavefronts -63,488   removable -63,488     out[...] = tile[threadIdx.x][...]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report.hpp"

namespace bankwise::check {

// For some sites, with each launch weighted by its count.
struct sum : totals {
  std::uint64_t wavefronts_apart = 0, removable_apart = 0;  // of estimates: how far these may well be off
  global_counts global;                                     // of a kernel or a report: without local memory
  std::uint64_t local_sectors = 0;
  std::uint64_t excess_sectors_apart = 0;  // of estimates, as above

  std::uint64_t excess() const { return wavefronts - ideal; }
  friend bool operator==(const sum& a, const sum& b) {
    return static_cast<const totals&>(a) == static_cast<const totals&>(b) && a.global == b.global &&
           a.local_sectors == b.local_sectors;
  }
};

// The sum of the predicted times of a kernel's or a report's launches.
struct summed_time {
  std::uint64_t cycles = 0, nanoseconds = 0;
  bool known = false;  // for every launch
  std::string gpu;
};

// The sites of a kernel on one line with one operation. A line that is on one side only is 0 on the other.
struct diff_row {
  std::string file, text, operation;  // of the side that has it, B first; without folder
  std::uint32_t line_a = 0, line_b = 0;
  bool in_a = false, in_b = false;
  sum a, b;
};

struct kernel_diff {
  std::string kernel, name;  // of B, or of A if B has none
  bool in_a = false, in_b = false;
  sum a, b;
  std::vector<diff_row> rows;         // what changed most first
  std::vector<diff_row> global_rows;  // of global and local memory, the same
  bool counts_global = false;         // each side that has the kernel counted its sectors
  summed_time time_a = {}, time_b = {};
};

struct report_diff {
  std::vector<kernel_diff> kernels;  // in the order of B, then lines that only A has
  sum a, b;
  bool estimated_a = false, estimated_b = false;  // some launch is, from a sample
  summed_time time_a, time_b;
  early_end partial_a, partial_b;      // a report is partial: missing lines may not have been executed
  std::vector<std::string> uncounted;  // kernels with sectors on one side only, because the other did not count them
};

// Kernels are matched by their full name, then by the bare name if it is unique on both sides. Lines are matched by
// text and operation, in a file of the same name before others; then by file, number and operation; then only by text.
report_diff diff_of(const report& a, const report& b);

}  // namespace bankwise::check
