// Reads the launches of a folder of examples from its launches.csv: program, kernel, grid, block, shared, args, and
// further columns.
//
//     walsh,walsh_before,8,512,8192,out:f32[8*2048] f32[8*2048]=random:1 i32=11,one after another
#pragma once

#include <string>
#include <vector>

#include "support/kernel_run.hpp"

namespace bankwise::test {

struct launch_row {
  std::string program;
  kernel_launch launch;           // launch of the folder's program.cubin, with the arguments of the row
  std::vector<std::string> more;  // fields of the further columns
};

// Returns the kernel with which a kernel is compared: "sum_combined" -> "sum_before".
inline std::string before(const std::string& kernel) { return kernel.substr(0, kernel.find('_')) + "_before"; }

// Reads the table. Ends the test program if the table is invalid.
std::vector<launch_row> read_launches(const std::string& folder);

}  // namespace bankwise::test
