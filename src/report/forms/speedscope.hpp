// The clocks of the shared-memory pipe as a profile for https://www.speedscope.app. Each instruction is a stack. The
// width of the stack is the instruction's cost.
//
//     transpose_plain                                        the launches of a kernel, added up
//       transpose.cu:13  out[...] = tile[threadIdx.x][...]   the source line, under the line that inlined it
//         0x0250 LDS R7, [R7]                                the instruction
//
// There are three profiles: clocks of the pipe, wavefronts, and wavefronts that a layout can remove.
#pragma once

#include <functional>
#include <string>

#include "model/report.hpp"

namespace bankwise {

// path_of returns the name of a file for the profile. If path_of is empty, the profile contains the path that was
// compiled.
std::string to_speedscope(const report& r, const std::function<std::string(const std::string& file)>& path_of);

}  // namespace bankwise
