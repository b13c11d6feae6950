// Converts a launch's trace to bytes and back, for reports and for files of tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

std::string to_bytes(const launch_trace& t);
// Reads a trace. Returns nothing if the bytes are not a trace, or if they are incomplete.
std::optional<launch_trace> trace_of(std::string_view bytes);
// Returns the compressed trace, in characters that JSON does not escape. Returns an empty text if the compressed trace
// exceeds `most` bytes.
std::string to_letters(const launch_trace& t, std::size_t most);
// Reads a trace from such characters. Returns nothing if they are not a valid trace.
std::optional<launch_trace> trace_of_letters(std::string_view letters);
// Whether every number in the trace refers to an existing entry. Traces are external data, so no code may rely on a
// trace before this check.
bool is_sound(const launch_trace& t);

}  // namespace bankwise::timing
