// The effect of edits on each kernel's cost, as predicted and as counted in a run of the edited program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/fix/edit_plan.hpp"
#include "model/report.hpp"
#include "report/table/style.hpp"

namespace bankwise::cli {

// The counts of a kernel, added up over its launches.
struct kernel_sum {
  std::string mangled, name;  // mangled and short name
  std::uint64_t wavefronts = 0;
  std::uint64_t sectors = 0;   // sectors of global memory
  bool counts_sectors = true;  // whether every launch has a count of sectors
};
// Returns all kernels of a report, in the order of their first launches.
std::vector<kernel_sum> sums_of(const report& r);

struct edited_kernel {
  kernel_sum before, after;
  bool ran = false;  // whether the kernel also ran after the edit; otherwise `after` is empty
  // Number of wavefronts that the edits save, and number of wavefronts that they may add.
  std::uint64_t won = 0, again = 0;
  bool loses_delay = false;  // whether an edit removes a delay of the kernel

  bool is_edited() const { return won != 0; }
  std::uint64_t predicted() const { return before.wavefronts - won; }
};
// Returns all kernels of `before`, in the order of their first launches. `edits` are the edits between the two reports.
std::vector<edited_kernel> edited_kernels(const edit_plan& p, const std::vector<std::size_t>& edits,
                                          const report& before, const report& after);

// Returns why an edit is not worth keeping: its kernels do not take fewer wavefronts, or their predicted time is
// clearly longer.
// Returns an empty string if neither holds.
std::string saves_nothing(const edit_plan& p, std::size_t edit, const report& before, const report& after);

// Returns why the edit of a delay is not worth keeping: the predicted time of its kernels is not at least 1 % shorter.
// Returns an empty string if it is.
std::string saves_no_time(const planned_delay& d, const report& before, const report& after);

// Returns a text about the first kernel that takes over 1 % more wavefronts than predicted. Returns an empty string if
// there is none. A smaller difference is accepted, because the compiler may change other accesses of the kernel.
std::string broken_prediction(const std::vector<edited_kernel>& kernels);

// Returns a text about the first kernel whose edits cost more than they save: more clocks of global memory than of
// shared memory. Returns an empty string if there is no such kernel.
std::string costs_more_sectors(const std::vector<edited_kernel>& kernels);

// Returns a line for each kernel whose number of global sectors the edit changes.
std::string changed_sectors(const std::vector<edited_kernel>& kernels);

// Returns an empty string if no kernel has a row.
std::string table_of(const std::vector<edited_kernel>& kernels, const style& paint);

// Returns a line for each kernel that takes fewer wavefronts or loses a delay, with the time that it saves. Without predicted times,
// only kernels whose clocks do not change have a line.
std::string time_of_edits(const std::vector<edited_kernel>& kernels, const report& before, const report& after);

}  // namespace bankwise::cli
