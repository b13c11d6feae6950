// An H200's counts and our sites in the same form: one line of text for each shared-memory instruction.
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

// Reads a table with the columns of data/sm_90/kernels.csv, in its order, a launch each. SASS is spelled as by
// nvdisasm: Nsight Compute puts more than one blank after a guard and names the source of cp.async first,
// "desc[UR6][R2.64], [R9]". Skips rows whose instruction does not access shared memory, global atomics, and REDUX.
std::vector<measured_launch> read_measured(const std::string& path);

// A table of data/sm_90 with a row for each kernel: kernel, wavefronts, microseconds.
struct timed_kernel {
  std::uint64_t wavefronts = 0;
  std::string microseconds;  // as in the table
};
std::map<std::string, timed_kernel> read_timed(const std::string& path);

// The sites of a launch as such rows, with the predicted numbers of the source page.
std::vector<std::string> rows_of(const launch_report& l);

}  // namespace bankwise::test
