// A small launch for tests: one block, whose warps all execute the same short code several times.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "timing/multiprocessor/multiprocessor.hpp"

namespace bankwise::timing {

// A launch of one block whose warps execute `code` several times.
struct small_launch {
  std::vector<instruction_cost> costs;
  launch_trace trace;

  void add(instruction_cost c) {
    costs.push_back(c);
    trace.code.push_back({16 * trace.code.size(), 0, 0});
  }
  // accesses that every warp makes in each round
  std::vector<traced_access> accesses;
  double active = 132;
  gpu_parameters gpu;
  std::function<void(traced_warp&)> rounds_of;  // if set, adds the runs of a round

  double run(unsigned warps, unsigned rounds, free_resources without = {}) {
    return follow(warps, rounds, without).cycles;
  }
  const std::vector<code_change>* changes = nullptr;
  multiprocessor_run follow(unsigned warps, unsigned rounds, free_resources without = {}) {
    without.launch = without.fetch = true;
    trace.blocks.assign(1, {});
    for (unsigned w = 0; w < warps; ++w) {
      traced_warp& one = trace.blocks[0].warps.emplace_back();
      for (unsigned i = 0; i < rounds; ++i) {
        if (rounds_of) {
          rounds_of(one);
          continue;
        }
        one.runs.push_back({0, static_cast<std::uint32_t>(costs.size()),
                            static_cast<std::uint32_t>(trace.accesses.size()),
                            static_cast<std::uint16_t>(accesses.size()), 32});
        trace.accesses.insert(trace.accesses.end(), accesses.begin(), accesses.end());
      }
    }
    const line_sharing sharing(trace);
    multiprocessor_setup s;
    s.trace = &trace;
    s.costs = &costs;
    s.sharing = &sharing;
    s.gpu = gpu;
    s.gpu.branch_redirect = 0;
    s.free = without;
    s.active = active;
    s.blocks = {{0, 0}};
    s.counts_stalls = true;
    s.changes = changes;
    return run_multiprocessor(s);
  }
};

inline instruction_cost ffma(std::uint8_t stall) { return {.stall = stall, .pipe = pipe::fma, .interval = 2}; }

inline instruction_cost lds(std::uint8_t barrier, std::uint8_t waits) {
  return {.stall = 2,
          .write_barrier = barrier,
          .wait_mask = waits,
          .pipe = pipe::memory,
          .does = behaviour::memory,
          .op = sass::opcode::LDS};
}

// An access of a round: 32 lanes that use the sectors `sectors` of `lines` lines.
inline traced_access in_lines(small_launch& l, std::uint32_t code, memory_space space, memory_action does,
                              unsigned lines, unsigned sectors) {
  traced_access a{.code = code, .space = space, .does = does, .wavefronts = 1};
  a.lines = static_cast<std::uint16_t>(lines);
  a.first_line = static_cast<std::uint32_t>(l.trace.lines.size());
  for (unsigned n = 0; n < lines; ++n) l.trace.lines.push_back((5000ull + 64 * code + n) << 4 | sectors);
  return a;
}

// What a unit of a multiprocessor needs in a test without a launch.
struct unit_setup {
  launch_trace trace;
  std::vector<instruction_cost> costs;
  multiprocessor_setup setup;

  explicit unit_setup(std::vector<instruction_cost> code) : costs(std::move(code)) {
    trace.code.resize(costs.size());
    setup.trace = &trace;
    setup.costs = &costs;
    setup.blocks = {{0, 0}};
    setup.free.launch = true;
    trace.blocks.resize(1);
  }
  unit_setup(const unit_setup&) = delete;
  unit_setup& operator=(const unit_setup&) = delete;
  // Adds a warp to the block. The warp executes all instructions in sequence.
  void add_warp() {
    trace.blocks[0].warps.push_back({{{.code = 0, .count = static_cast<std::uint32_t>(costs.size())}}});
  }
};

}  // namespace bankwise::timing
