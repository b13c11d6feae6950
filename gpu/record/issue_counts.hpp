// Computes how often each instruction was issued, from how often the Compute Sanitizer API reported it. The API calls a
// patch under the guard of the instruction. So it reports neither instructions that no lane executes, nor lanes whose
// guard is false. Nsight Compute counts these instructions and lanes.
//
// All instructions of a strand are issued equally often, with the same lanes (sass/flow/basic_blocks.hpp). So an
// unguarded instruction gives the count of all instructions in its strand, and a guarded instruction gives a lower
// bound. If all lanes of the warp were always active, the count is also that of later strands in the same basic block.
// Each warp executes the first block of a kernel once.
#pragma once

#include <cstdint>
#include <map>

#include "bankwise/access.hpp"
#include "cubin/program.hpp"
#include "sass/instruction.hpp"

namespace bankwise::record {

// Whether the instruction has a generic address, so that some lanes may access other memory. The API reports only lanes
// in shared memory.
bool is_generic(const sass::instruction& i);

struct issue_count {
  std::uint64_t executed = 0, lanes = 0;
  bool at_least = false;  // whether counts are lower bounds, because false guards may have prevented reports

  friend bool operator==(const issue_count&, const issue_count&) = default;
};

// Counts of a section of code. The key is the index of the instruction.
using issue_counts = std::map<std::uint32_t, issue_count>;

// Completes the counts of a section. `operations` has the operation of each instruction on shared memory. `heard` has
// the reported counts. For a kernel, `entry` is the index of the first instruction, and how often this instruction was
// issued. For a function, `entry` is null. `is_whole` means that every access was reported. The result contains the
// instructions of `heard`, and all instructions that were issued although no lane executed them.
issue_counts complete(const cubin::code_section& code, std::uint32_t sm, const std::vector<operation>& operations,
                      const issue_counts& heard, const std::pair<std::uint32_t, issue_count>* entry, bool is_whole);

}  // namespace bankwise::record
