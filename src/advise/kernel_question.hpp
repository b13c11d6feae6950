// What `bankwise run --fix` and `bankwise fix report.json` ask: the arrays of a launch, each with all the accesses that
// were recorded.
//
//     launch     transpose_plain, 64 blocks, 4,096 bytes of shared memory
//       tile     transpose.cu:20  st.b32  4,096 executed       a group for each source line and operation
//                transpose.cu:23  ld.b32  4,096 executed
#pragma once

#include <string>
#include <vector>

#include "advise/problem.hpp"
#include "base/flag_values.hpp"
#include "expr/expression.hpp"
#include "profile/profile.hpp"

namespace bankwise::advise {

struct code_place {
  std::string function;  // as site::function has it
  std::uint64_t pc = 0;
};

struct kernel_array {
  std::size_t array = 0;   // index into launch_report::arrays
  std::string title;       // "tile", or "shared memory 0 to 4,095"
  expr::array_decl shape;  // by --array, or without extents
  problem what;
  std::vector<std::vector<code_place>> sites;  // the instructions of each group
  std::uint64_t most_clocks_won = 0;               // of the launch's shared pipe, were nothing of it removable
  std::vector<std::string> notes;              // what a change of the layout has to mind, and what cannot be seen
};

// The arrays of a launch whose accesses were recorded, by address. `shapes` are declarations by --array: one with an
// array's name gives it rows.
// Errors: a shape of another size than the array, or of no array.
result<std::vector<kernel_array>> read_arrays(const launch_report& l, const machine& on,
                                              const std::vector<expr::array_decl>& shapes);

}  // namespace bankwise::advise
