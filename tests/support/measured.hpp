// Puts counts of an H200 and our sites into the same form: a line of text for each shared-memory instruction.
//
//     transposeCoalesced,32x32x1,32x16x1,0x220,LDS R7, [R8],transpose.cu:148,16384,524288,524288,16384
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/report.hpp"

namespace bankwise::test {

struct measured_launch {
  std::string program;
  std::string kernel;
  std::vector<std::string> rows;  // by pc
};

// Reads a table with the columns of data/sm_90/kernels.csv, and returns its launches in order. SASS is spelled as by
// nvdisasm, because Nsight Compute prints several blanks after a guard, and prints the source of cp.async first:
// "desc[UR6][R2.64], [R9]". Skips rows of REDG and REDUX, because these instructions do not access shared memory.
std::vector<measured_launch> read_measured(const std::string& path);

// A row of a table in data/sm_90 that has a row for each kernel: kernel, wavefronts, microseconds.
struct timed_kernel {
  std::uint64_t wavefronts = 0;
  std::string microseconds;  // the time as it is written in the table
};
std::map<std::string, timed_kernel> read_timed(const std::string& path);

// Returns the sites of a launch as lines in the form of the table, with the predicted numbers of the source page.
std::vector<std::string> rows_of(const launch_report& l);

}  // namespace bankwise::test
