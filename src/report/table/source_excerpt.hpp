// The part of a source line around the access to an array. The line is often too long for a table, and the access is
// often at the end of the line.
//
//     for (int j = 0; j < 32; j += 8) out[(ty + j) * n + tx] = tile[threadIdx.x][threadIdx.y + j];
//     ...+ tx] = tile[threadIdx.x][threadIdx.y + j];
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// `s` is an instruction of the line. `array` is the name of the array that the instruction accesses. If `array` is
// empty, the array is guessed from the operation.
std::string source_excerpt(const std::string& line, const site& s, const std::string& array, std::size_t width);
// Returns the name of the array that this instruction accesses, from the fixes in the launch. Returns an empty string
// if no fix contains this instruction.
std::string array_of(const launch_report& l, const site& s);

}  // namespace bankwise
