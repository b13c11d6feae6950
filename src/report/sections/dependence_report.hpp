// The dependences of an instruction's counts, in words.
//
//     data (address), blockIdx (execution)
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// "data (address), blockIdx, arguments (execution)", "only the shape of the launch"; empty if unknown.
std::string dependences_text(const site& s);

}  // namespace bankwise
