// The effect of edits on the costs of each kernel: the predicted effect, and the effect in a run of the edited program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edit/plan.hpp"
#include "model/report.hpp"
#include "report/text/style.hpp"

namespace bankwise::cli {

// The counts of a kernel, summed over its launches.
struct kernel_sum {
  std::string mangled, name, kernel;
  std::uint64_t wavefronts = 0;
  std::uint64_t sectors = 0;   // sectors of global memory
  bool counts_sectors = true;  // whether all launches have counts of sectors
};
// All kernels of a report, in the order of their first launch.
std::vector<kernel_sum> sums_of(const report& r);

struct edited_kernel {
  kernel_sum before, after;
  bool ran = false;                  // whether the kernel also ran after the edit; otherwise `after` is empty
  std::uint64_t won = 0, again = 0;  // wavefronts that the edits save, and wavefronts that they may add

  bool is_edited() const { return won != 0; }
  std::uint64_t predicted() const { return before.wavefronts - won; }
};
// All kernels of `before`, in the order of their first launch. `edits` answer some of `questions`.
std::vector<edited_kernel> edited_kernels(const std::vector<edit::array_question>& questions,
                                          const std::vector<edit::planned_edit>& edits, const report& before,
                                          const report& after);

// Names the first kernel that costs over one per cent more than predicted. Empty if there is none. A smaller difference
// is accepted, because the compiler also changes other accesses of the kernel.
std::string broken_prediction(const std::vector<edited_kernel>& kernels);

// Names the first kernel whose edits cost more clocks of global memory than they save in shared memory. Empty if there
// is none.
std::string costs_more_sectors(const std::vector<edited_kernel>& kernels);

// One line for each kernel whose sectors of global memory change by the edit.
std::string changed_sectors(const std::vector<edited_kernel>& kernels);

std::string table_of(const std::vector<edited_kernel>& kernels, const style& paint);

// One line for each kernel that takes fewer wavefronts, with what it saves. Without predicted times, names only kernels
// whose clocks do not change.
std::string time_of_edits(const std::vector<edited_kernel>& kernels, const report& before, const report& after);

}  // namespace bankwise::cli
