// How often instructions were issued, derived from how often the API reported them. The API calls a patch under the
// guard of the instruction: it does not report instructions that no lane executes, nor lanes whose guard is false.
// Nsight Compute counts both.
//
// Instructions of one strand are issued equally often, with the same lanes (sass/flow/basic_blocks.hpp). So an
// unguarded instruction gives the count of the others, and a guarded one gives a lower bound. If all lanes of the warp
// were always active, it also gives the count of later strands of its block. Each warp executes a kernel's first block
// once.
#pragma once

#include <cstdint>
#include <map>

#include "bankwise/access.hpp"
#include "cubin/program.hpp"
#include "sass/instruction.hpp"

namespace bankwise::record {

// Some of its lanes may be elsewhere, and the API reports only those in shared memory.
bool is_generic(const sass::instruction& i);

struct issue_count {
  std::uint64_t executed = 0, lanes = 0;
  bool at_least = false;  // it is unknown how often it was issued if no lane, or not every lane, executed it

  friend bool operator==(const issue_count&, const issue_count&) = default;
};

// For a section of code, by index of the instruction.
using issue_counts = std::map<std::uint32_t, issue_count>;

// `operations`: of each instruction on shared memory. `heard`: the counts of the reported ones. `entry`: the index of
// the kernel's first instruction, and how often it was issued; null for a function. `is_whole`: every access was
// reported. The result has the instructions of `heard`, and those that were issued although no lane executed them.
issue_counts complete(const cubin::code_section& code, std::uint32_t sm, const std::vector<operation>& operations,
                      const issue_counts& heard, const std::pair<std::uint32_t, issue_count>* entry, bool is_whole);

}  // namespace bankwise::record
