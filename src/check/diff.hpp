// Two reports side by side: kernels and source lines matched, numbers subtracted.
//
//     transpose_plain   18   ld.b32   wavefronts -63,488   removable -63,488     out[...] = tile[threadIdx.x][...]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report.hpp"

namespace bankwise::check {

// Sums over some sites, with each launch weighted by its count.
struct sum : totals {
  std::uint64_t wavefronts_apart = 0, removable_apart = 0;  // for estimates: how far the numbers may be off
  global_counts global;                                     // for a kernel or a report: without local memory
  std::uint64_t local_sectors = 0;
  std::uint64_t excess_sectors_apart = 0;  // of estimates, as above

  std::uint64_t excess() const { return wavefronts - ideal; }
  friend bool operator==(const sum& a, const sum& b) {
    return static_cast<const totals&>(a) == static_cast<const totals&>(b) && a.global == b.global &&
           a.local_sectors == b.local_sectors;
  }
};

// The sites of a kernel on one line with one operation. A line that only one side has counts as 0 on the other.
struct diff_row {
  std::string file, text, operation;  // from B if it has the line, otherwise from A; without folder
  std::uint32_t line_a = 0, line_b = 0;
  bool in_a = false, in_b = false;
  sum a, b;
};

struct kernel_diff {
  std::string kernel, name;  // from B, or from A if B has none
  bool in_a = false, in_b = false;
  sum a, b;
  std::vector<diff_row> rows;               // the largest change first
  std::vector<diff_row> global_rows;        // of global and local memory, the same
  bool counts_global = false;               // each side that has the kernel counted its sectors
  predicted_time time_a = {}, time_b = {};  // of all its launches; empty if one has none
};

struct report_diff {
  std::vector<kernel_diff> kernels;  // in the order of B, then lines that only A has
  sum a, b;
  bool estimated_a = false, estimated_b = false;  // some launch was estimated from a sample
  predicted_time time_a, time_b;
  early_end partial_a, partial_b;      // a report is partial: missing lines may not have been executed
  std::vector<std::string> uncounted;  // kernels whose sectors only one side has, because the other did not count them
};

// Kernels are matched by their full name, otherwise by the bare name if it is unique on both sides. Lines are matched
// by text and operation, preferably in a file of the same name; then by file, number and operation; then by text only.
report_diff diff_of(const report& a, const report& b);

}  // namespace bankwise::check
