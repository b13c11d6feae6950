// How edits change the costs of each kernel: predicted, and in a run of the edited program.
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
  std::uint64_t sectors = 0;   // of global memory
  bool counts_sectors = true;  // in all launches
};
// In the order of the first launch.
std::vector<kernel_sum> sums_of(const report& r);

struct edited_kernel {
  kernel_sum before, after;
  bool ran = false;                  // it also ran after the edit; otherwise `after` is empty
  std::uint64_t won = 0, again = 0;  // wavefronts that the edits save, and those that they may add

  bool is_edited() const { return won != 0; }
  std::uint64_t predicted() const { return before.wavefronts - won; }
};
// All kernels of `before`, in the order of their first launch. `questions`: the questions that `edits` answer.
std::vector<edited_kernel> edited_kernels(const std::vector<edit::array_question>& questions,
                                          const std::vector<edit::planned_edit>& edits, const report& before,
                                          const report& after);

// Names the first kernel that costs more than its edits predicted; empty if there is none. One per cent more is
// accepted, because other accesses of the kernel are also compiled again.
std::string broken_prediction(const std::vector<edited_kernel>& kernels);

// Names the first kernel whose edits cost more clocks of global memory than they save of shared memory; empty if there
// is none.
std::string costs_more_sectors(const std::vector<edited_kernel>& kernels);

// A line for each kernel whose edit changes its sectors of global memory.
std::string changed_sectors(const std::vector<edited_kernel>& kernels);

std::string table_of(const std::vector<edited_kernel>& kernels, const style& paint);

// One line for each kernel that takes fewer wavefronts, with the saving. Without predicted times, only kernels whose
// clocks do not change.
std::string time_of_edits(const std::vector<edited_kernel>& kernels, const report& before, const report& after);

}  // namespace bankwise::cli
