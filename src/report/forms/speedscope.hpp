// Where the clocks of the shared-memory pipe go, for https://www.speedscope.app: a stack for each instruction, whose
// width is its cost.
//
//     transpose_plain                                        the launches of a kernel, added up
//       transpose.cu:13  out[...] = tile[threadIdx.x][...]   the source line, under the kernel's line that it was inlined into
//         0x0250 LDS R7, [R7]                                the instruction
//
// Three profiles: clocks of the pipe, wavefronts, and those that a layout removes.
#pragma once

#include <functional>
#include <string>

#include "model/report.hpp"

namespace bankwise {

// path_of: the name of a file in the profile; empty for the path as it was compiled.
std::string to_speedscope(const report& r, const std::function<std::string(const std::string& file)>& path_of);

}  // namespace bankwise
