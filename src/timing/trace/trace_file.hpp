// Converts a launch's trace to bytes and back, for the pipe between the tracing process and its parent, and for files
// of tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

std::string to_bytes(const launch_trace& t);
// Returns nothing if the bytes are not a trace, or were cut off.
std::optional<launch_trace> trace_of(std::string_view bytes);
// The trace, compressed, in characters that JSON does not escape. Empty if the text would be longer than `most` bytes.
std::string to_letters(const launch_trace& t, std::size_t most);
// Returns nothing if the characters are not a valid trace.
std::optional<launch_trace> trace_of_letters(std::string_view letters);
// Whether a launch can have made this trace, which comes from outside. Every number in it must refer to an existing
// entry.
bool is_sound(const launch_trace& t);

}  // namespace bankwise::timing
