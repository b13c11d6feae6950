// How often instructions were issued, from how often the API told of them. It calls a patch under the guard of the
// instruction: what no lane executes is not heard of, and lanes whose guard is false are not. Nsight Compute counts both.
//
// Instructions of one strand are issued equally often, with the same lanes (sass/flow/basic_blocks.hpp), so one without a guard
// says it of the others, and one with a guard gives a lower bound. If all lanes of the warp were always there, it says it of
// later strands of its block, too. And a kernel's first block is executed once by each warp.
#pragma once

#include <cstdint>
#include <map>

#include "bankwise/access.hpp"
#include "cubin/program.hpp"
#include "sass/instruction.hpp"

namespace bankwise::record {

// Its lanes may be in shared memory or elsewhere, and the API tells of those in shared memory alone.
bool is_generic(const sass::instruction& i);

struct issue_count {
  std::uint64_t executed = 0, lanes = 0;
  bool at_least = false;  // nothing says how often it was issued when no lane, or not every one, executed it

  friend bool operator==(const issue_count&, const issue_count&) = default;
};

// Of a section of code, by index of the instruction.
using issue_counts = std::map<std::uint32_t, issue_count>;

// `operations`: of each instruction on shared memory. `heard`: of those that were told of. `entry`: the index of the kernel's
// first instruction, and how often it was issued; null: a function. `is_whole`: every access was heard of. The result has the
// instructions of `heard`, and those that were issued without any lane that executed them.
issue_counts complete(const cubin::code_section& code, std::uint32_t sm, const std::vector<operation>& operations,
                      const issue_counts& heard, const std::pair<std::uint32_t, issue_count>* entry, bool is_whole);

}  // namespace bankwise::record
