// The units of a multiprocessor that execute memory instructions, for tests of single units.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "timing/multiprocessor/data_stage.hpp"
#include "timing/multiprocessor/mbarriers.hpp"
#include "timing/multiprocessor/memory_system.hpp"
#include "timing/multiprocessor/quarter.hpp"
#include "timing/multiprocessor/stall_counter.hpp"
#include "timing/small_launch.hpp"

namespace bankwise::timing {

// The units, and a warp that executes the instruction `code` with the accesses `made`.
struct memory_units : unit_setup {
  line_sharing sharing;
  memory_system memory;
  data_stage stage{setup.free.data_stage};
  quarters of{setup.gpu};
  stall_counter stalls{0};
  mbarriers barriers_of_copies{setup, of, stalls};
  memory_queue queue{.leaves = {0, 0, 0, 0}};
  resident_block block;
  running_warp warp;

  memory_units(const instruction_cost& code, std::vector<traced_access> made, std::uint32_t lines = 0,
               free_resources without = {})
      : unit_setup({code}),
        sharing(traced(std::move(made), lines, without)),
        memory(setup.gpu, sharing, 65536, 132, setup.free) {
    warp.trace = &trace.blocks[0].warps[0];
    warp.block = &block;
  }

 private:
  const launch_trace& traced(std::vector<traced_access> accesses, std::uint32_t lines, free_resources without) {
    setup.free = without;
    trace.accesses = std::move(accesses);
    for (std::uint32_t i = 0; i <= lines; ++i) trace.lines.push_back(std::uint64_t{i} << 4 | 15);
    add_warp();
    trace.blocks[0].warps[0].runs[0].accesses = static_cast<std::uint16_t>(trace.accesses.size());
    return trace;
  }
};

}  // namespace bankwise::timing
