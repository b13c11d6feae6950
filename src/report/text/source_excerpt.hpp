// A piece of a source line around its access to an array: the line is often longer than the place there is for it, and
// what the access looks like often comes last.
//
//     for (int j = 0; j < 32; j += 8) out[(ty + j) * n + tx] = tile[threadIdx.x][threadIdx.y + j];
//     ...+ tx] = tile[threadIdx.x][threadIdx.y + j];
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// `s`: an instruction of the line. `array`: what it accesses; empty: not known, and guessed by what the instruction
// does.
std::string source_excerpt(const std::string& line, const site& s, const std::string& array, std::size_t width);
// The name of the array that a known fix of the launch says the instruction accesses; empty: none does.
std::string array_of(const launch_report& l, const site& s);

}  // namespace bankwise
