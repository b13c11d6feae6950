// The questions of `bankwise run --fix` and `bankwise fix report.json`. A question is an array of a launch with all of
// its recorded accesses.
//
//     launch     transpose_plain, 64 blocks, 4,096 bytes of shared memory
//       tile     transpose.cu:20  st.b32  4,096 executed       a group for each source line and operation
//                transpose.cu:23  ld.b32  4,096 executed
#pragma once

#include <string>
#include <vector>

#include "advise/memory/divided_memory.hpp"
#include "advise/search/problem.hpp"
#include "base/flag_values.hpp"
#include "expr/parse/expression.hpp"
#include "model/report.hpp"

namespace bankwise::advise {

// The 4-byte values that lanes store or copy into an array, and load from it.
struct traffic {
  std::uint64_t stored_words = 0, loaded_words = 0;  // number of values, each counted once
  // fewest wavefronts for these values, if each wavefront moves a whole row of banks
  std::uint64_t least_wavefronts = 0;
  // Number of shuffles that can replace the loads, if each warp loads only values that the same warp stored. Otherwise
  // 0.
  std::uint64_t shuffles = 0;
};

struct kernel_array {
  std::string title;       // examples: "tile", "shared memory 0 to 4,095"
  expr::array_decl shape;  // the array's declaration, from --array or from what is known about the array
  problem what;
  std::vector<std::vector<instruction_at>> sites;  // instructions of each group
  std::uint64_t begin = 0;                         // offset in the block's shared memory
  // Clocks of the launch's shared pipe that are saved if all removable wavefronts disappear.
  std::uint64_t most_clocks_won = 0;
  traffic through;                     // set only if all blocks of the launch were traced
  std::vector<std::string> notes;      // notes about unknown facts, and about what limits a change of the layout
  std::vector<std::string> of_rounds;  // one line for each remedy for a compare-and-swap loop on the array
};

// Returns the arrays of a launch with recorded accesses, sorted by address. `shapes`: the declarations of --array. A
// declaration with the name of an array declares the rows of this array. A declaration with a first byte is an array of
// dynamic memory. `source` returns the text of a source file. The text names parts of the memory. Fails if a
// declaration matches no array, differs from its array in size, or has an invalid first byte.
result<std::vector<kernel_array>> read_arrays(const launch_report& l, const machine& on,
                                              const std::vector<expr::array_decl>& shapes,
                                              const source_text& source = {});

}  // namespace bankwise::advise
