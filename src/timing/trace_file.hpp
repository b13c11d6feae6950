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
// Compressed, in letters that JSON takes as they are; empty: it would be longer than `most` bytes.
std::string to_letters(const launch_trace& t, std::size_t most);
// Nothing: they are no sound trace.
std::optional<launch_trace> trace_of_letters(std::string_view letters);
// Whether a trace from outside is one that a launch can have made: every number names something that is there.
bool is_sound(const launch_trace& t);

}  // namespace bankwise::timing
