// Whether the order of blocks can affect their results.
#pragma once

#include <set>
#include <vector>

#include "emulate/code/decode.hpp"
#include "sass/flow/pointers.hpp"

namespace bankwise::emulate {

struct independence {
  // The code does not let a block see results of another block, so they may run in parallel.
  bool side_by_side = false;
  // The allocations that they change, if reductions in global memory are made in the order of the blocks
  // (reductions.hpp).
  std::vector<reduced_region> reduced;
};

// Functions elsewhere may do anything, so all code outside the kernel is included. `one_worker`: blocks run one after
// another, so commutativity does not matter. `needed`: for a run that only executes a part of the kernel's code, by
// instruction of its section.
independence independence_of(const decoded_section& kernel, std::uint64_t entry, const cubin::program& p,
                             const launch_state& s, bool one_worker, const std::vector<bool>* needed = nullptr);

// The allocations that may contain an address made from these constants: those that a pair of the constants points
// into.
std::set<const region*> regions_of(const std::set<sass::constant_word>& made_of, const launch_state& s);

}  // namespace bankwise::emulate
