// What an instruction's counts depend on, in words.
//
//     data (address), blockIdx (execution)
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// "data (address), blockIdx, arguments (execution)", "nothing but the shape of the launch"; empty: that is not known.
std::string dependences_text(const site& s);

}  // namespace bankwise
