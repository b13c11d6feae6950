// A report that is cut, because a signal stops bankwise while it writes the report.
#pragma once

#include <cstddef>
#include <functional>

#include "model/report.hpp"

namespace bankwise {

// Called before each launch is written. Returns why no more launches may be written, or nothing.
using writing_watch = std::function<early_end(std::size_t done, std::size_t total)>;

// Returns the report with only its first `n` launches.
report first_launches(const report& r, std::size_t n, const early_end& why);

}  // namespace bankwise
