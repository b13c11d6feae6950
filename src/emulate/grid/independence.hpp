// Finds out whether the order of blocks can affect their results.
#pragma once

#include <set>
#include <vector>

#include "emulate/decode/decode.hpp"
#include "sass/flow/pointers.hpp"

namespace bankwise::emulate {

struct independence {
  // Whether no block can see the results of another block, so that blocks may run in parallel.
  bool side_by_side = false;
  // The allocations whose reductions must be executed in the order of the blocks (reductions.hpp).
  std::vector<reduced_region> reduced;
};

// The analysis includes all code outside the kernel, because called functions may do anything. `one_worker`: whether
// blocks run one after another, so that commutativity does not matter. `needed`: whether each instruction of the
// kernel's section is executed. Null if all instructions are executed.
independence independence_of(const decoded_section& kernel, std::uint64_t entry, const cubin::program& p,
                             const launch_state& s, bool one_worker, const std::vector<bool>* needed = nullptr);

// The allocations to which pointers from these constants can point. A pointer consists of two consecutive words.
std::set<const region*> regions_of(const std::set<sass::constant_word>& made_of, const launch_state& s);

}  // namespace bankwise::emulate
