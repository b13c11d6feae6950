// The cost of other instructions for a source line. A wider instruction replaces several instructions for adjacent
// words of a thread. ldmatrix replaces loads of fragments of matrix products, and stmatrix replaces stores of
// fragments. The layout does not change.
//
//     sgemm.cu:97   8 times ld.b32 at +0, +4, ... +28 of one address      2 times ld.b128
//     gemm.cu:40    4 times ld.b32, lane l at row l / 4, word l % 4       1 time ldmatrix.x4
//     gemm.cu:90    4 times st.b32, lane l at row l / 4, word l % 4       1 time stmatrix.x4, from sm_90 on
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/kernel_question.hpp"

namespace bankwise::advise {

struct other_instructions {
  std::string kernel;  // name of the kernel without parameters
  std::string file;    // file of the line; empty if unknown
  std::uint32_t line = 0;
  std::string text;  // text of the line; empty if unknown
  named_operation before, after;
  std::uint32_t instructions_before = 0, instructions_after = 0;  // numbers of instructions in the code
  std::uint64_t executed_before = 0, executed_after = 0;          // numbers of executed warp instructions
  std::uint64_t wavefronts_before = 0, wavefronts_after = 0;
  std::vector<instruction_at> sites;  // the replaced instructions
};

// Finds replacements for a launch whose accesses were all recorded. A replacement saves wavefronts, or at least a
// twentieth of the launch's warp instructions. The replacement that saves the most wavefronts is first.
//
// Instructions are replaced together under three conditions: they are on one line, they are executed equally often, and
// their addresses differ by a fixed distance. Instructions whose addresses depend on data are not replaced.
std::vector<other_instructions> find_other_instructions(const launch_report& l, const machine& on);

}  // namespace bankwise::advise
