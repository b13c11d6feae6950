// The questions of `bankwise run --fix` and `bankwise fix report.json`: the arrays of a launch, each with all recorded
// accesses.
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

// The 4-byte values that pass through an array: lanes store them or copy them into it, and lanes load them. Any mapping
// of threads must move these values.
struct traffic {
  std::uint64_t stored_words = 0, loaded_words = 0;  // each value is counted once
  std::uint64_t least_wavefronts = 0;                // lower bound for moving these values, in rows of banks
  // If each warp loads only values that it stored itself, the number of shuffles that would replace the loads.
  // Otherwise 0.
  std::uint64_t shuffles = 0;
};

struct kernel_array {
  std::string title;       // "tile", or "shared memory 0 to 4,095"
  expr::array_decl shape;  // from --array, or from the known facts
  problem what;
  std::vector<std::vector<instruction_at>> sites;  // instructions of each group
  std::uint64_t begin = 0;                         // offset in the block's shared memory
  // How many clocks of the launch's shared pipe are saved if all removable wavefronts are removed.
  std::uint64_t most_clocks_won = 0;
  traffic through;                     // set only if all blocks of the launch were traced
  std::vector<std::string> notes;      // constraints on a change of the layout, and facts that are unknown
  std::vector<std::string> of_rounds;  // remedies for loops around a compare-and-swap on the array, one line each
};

// The arrays of a launch whose accesses were recorded, by address. `shapes` are the declarations of --array. A
// declaration with the name of an array declares its rows. A declaration with a first byte is an array of dynamic
// memory. `source` gives the names of parts of the memory. Errors: the size of a shape differs from the size of its
// array, there is no array for a shape, or a first byte is invalid.
result<std::vector<kernel_array>> read_arrays(const launch_report& l, const machine& on,
                                              const std::vector<expr::array_decl>& shapes,
                                              const source_text& source = {});

}  // namespace bankwise::advise
