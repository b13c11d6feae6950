// A launch's trace as bytes: how the process that made it hands it on, and how a test keeps it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "timing/launch_trace.hpp"

namespace bankwise::timing {

std::string to_bytes(const launch_trace& t);
// Nothing if the bytes are not a trace, or were cut off.
std::optional<launch_trace> trace_of(std::string_view bytes);

}  // namespace bankwise::timing
