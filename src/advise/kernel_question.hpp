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

// The 4-byte values that go through an array: stored by lanes or copied into it, and loaded by lanes. They must be
// moved, no matter which threads do it.
struct traffic {
  std::uint64_t stored_words = 0, loaded_words = 0;  // each value once
  std::uint64_t least_wavefronts = 0;                // lower bound for these accesses, in rows of banks
  // If each warp loads only what it stored itself: shuffles that would replace the loads; otherwise 0.
  std::uint64_t shuffles = 0;
};

struct kernel_array {
  std::string title;       // "tile", or "shared memory 0 to 4,095"
  expr::array_decl shape;  // from --array, or the known facts
  problem what;
  std::vector<std::vector<instruction_at>> sites;  // the instructions of each group
  std::uint64_t begin = 0;                         // in the block's shared memory
  // clocks of the launch's shared pipe if all removable wavefronts were removed
  std::uint64_t most_clocks_won = 0;
  traffic through;                     // for a launch whose blocks were all traced
  std::vector<std::string> notes;      // constraints for a change of the layout, and unknown facts
  std::vector<std::string> of_rounds;  // remedies for loops around a compare-and-swap on it, a line each
};

// The arrays of a launch whose accesses were recorded, by address. `shapes` are the declarations by --array: a
// declaration with an array's name declares its rows, and one with a first byte is an array of dynamic memory. `source`
// gives the names of its parts. Errors: a shape whose size differs from the array, a shape without an array, or an
// invalid first byte.
result<std::vector<kernel_array>> read_arrays(const launch_report& l, const machine& on,
                                              const std::vector<expr::array_decl>& shapes,
                                              const source_text& source = {});

}  // namespace bankwise::advise
