// The finding about the launches of a program that end sooner than the host makes the next one.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns an empty string if the program has few of these launches.
std::string small_launches_text(const report& r, const style& s);

}  // namespace bankwise
