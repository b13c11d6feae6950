// The questions of `bankwise run --fix` and `bankwise fix report.json`: the arrays of a launch, each with all of its
// recorded accesses.
//
//     launch     transpose_plain, 64 blocks, 4,096 bytes of shared memory
//       tile     transpose.cu:20  st.b32  4,096 executed       a group for each source line and operation
//                transpose.cu:23  ld.b32  4,096 executed
#pragma once

#include <string>
#include <vector>

#include "advise/memory/divided_memory.hpp"
#include "advise/problem.hpp"
#include "base/flag_values.hpp"
#include "expr/expression.hpp"
#include "model/report.hpp"

namespace bankwise::advise {

// The 4-byte values that pass through an array. Lanes store them, or copy them into the array, and lanes load them.
// With any mapping of threads, these values must move.
struct traffic {
  std::uint64_t stored_words = 0, loaded_words = 0;  // each value is counted once
  // lower bound of the wavefronts for moving these values as whole rows of banks
  std::uint64_t least_wavefronts = 0;
  // Number of shuffles that would replace the loads, if each warp loads only values that it stored itself. Otherwise 0.
  std::uint64_t shuffles = 0;
};

struct kernel_array {
  std::string title;       // examples: "tile", "shared memory 0 to 4,095"
  expr::array_decl shape;  // the array's declaration: from --array, or what is known about the array
  problem what;
  std::vector<std::vector<instruction_at>> sites;  // instructions of each group
  std::uint64_t begin = 0;                         // offset in the block's shared memory
  // Number of clocks of the launch's shared pipe that removing all removable wavefronts would save.
  std::uint64_t most_clocks_won = 0;
  traffic through;                     // set only if all blocks of the launch were traced
  std::vector<std::string> notes;      // notes about limits for a change of the layout, and about unknown facts
  std::vector<std::string> of_rounds;  // one line for each remedy for a loop around a compare-and-swap on the array
};

// Returns the arrays of a launch whose accesses were recorded, sorted by address. `shapes` are the declarations of
// --array. A declaration with the name of an array declares the array's rows. A declaration with a first byte is an
// array of dynamic memory. `source` returns sources, which contain the names of parts of the memory.
// Fails if the size of a shape is not the size of its array, if a shape has no array, or if a first byte is invalid.
result<std::vector<kernel_array>> read_arrays(const launch_report& l, const machine& on,
                                              const std::vector<expr::array_decl>& shapes,
                                              const source_text& source = {});

}  // namespace bankwise::advise
