// The time that a launch needs at least: for the bytes that it accesses, each counted once, and for its arithmetic. A
// kernel that does the same work with whole sectors, full warps and data that are read once comes close to it.
#pragma once

#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

struct needed_time {
  double cycles = 0;  // elapsed cycles; 0 if they are not known
  double read_bytes = 0, written_bytes = 0;
  bool is_estimated = false;   // whether the bytes are an estimate, because only some blocks were recorded
  bool is_arithmetic = false;  // whether the arithmetic takes longer than the bytes
};

// `dram_read`: bytes that the launch reads from DRAM by the prediction. It needs at most these.
needed_time needed_time_of(const launch_trace& t, const std::vector<instruction_cost>& costs, const gpu_parameters& gpu,
                           double dram_read);

}  // namespace bankwise::timing
