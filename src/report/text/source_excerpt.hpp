// A piece of a source line around its access to an array: the line is often too long for its place, and the access
// often comes last.
//
//     for (int j = 0; j < 32; j += 8) out[(ty + j) * n + tx] = tile[threadIdx.x][threadIdx.y + j];
//     ...+ tx] = tile[threadIdx.x][threadIdx.y + j];
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// `s` is an instruction of the line. `array` is the accessed array; if it is empty, the array is guessed from the
// operation.
std::string source_excerpt(const std::string& line, const site& s, const std::string& array, std::size_t width);
// The name of the array that a known fix of the launch has for this instruction; empty if there is none.
std::string array_of(const launch_report& l, const site& s);

}  // namespace bankwise
