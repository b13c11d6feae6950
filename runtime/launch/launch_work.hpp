// What a launch does, as far as it decides the launch's time on the GPU: how often each instruction is executed, and
// how many wavefronts and sectors its accesses need.
//
//     spin<<<1, 32>>>(o, 100);     154 instructions
//     spin<<<1, 32>>>(o, 10000);   11,907 instructions: other work, so it has another time
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/report.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::cuda {

// A number for each pc. It is valid from this pc to the pc of the next step.
struct work_step {
  std::uint64_t pc = 0, number = 0;
};

struct launch_work {
  std::uint64_t instructions = 0, lanes = 0;
  std::uint64_t waited = 0;  // clocks, if the launch waits for a time
  // Numbers of the sites of the launch, which have the same order in all launches of a kernel: wavefronts of shared
  // memory, sectors of global memory. The pcs are those of the report.
  std::vector<work_step> wavefronts, sectors;
  // Executions of all instructions in the recorded blocks. Empty if no block was recorded.
  std::vector<work_step> executed;
  std::uint64_t slept = 0;  // nanoseconds that the warps of these blocks sleep
  // A digest of the parameters if the kernel computes how long it sleeps. Equal work then does not mean an equal time.
  std::size_t sleep_key = 0;
};

launch_work work_of(const launch_report& r);
// Adds the executions of the recorded blocks.
void add_executions(launch_work& to, const timing::launch_trace& t);

// Whether two launches of a kernel with the same shape do so similar work that they have the same time. If the blocks of
// one of the launches were not recorded, executions of single instructions are not compared.
bool is_like(const launch_work& a, const launch_work& b);
// The sum over all instructions of the kernel.
std::uint64_t instructions_of(const std::vector<work_step>& executed);
// The difference of the numbers of instructions.
std::uint64_t apart(const launch_work& a, const launch_work& b);

}  // namespace bankwise::cuda
