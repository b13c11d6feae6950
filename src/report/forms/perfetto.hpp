// The timeline of a program as trace events, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
#pragma once

#include <string>

#include "model/time/timeline.hpp"

namespace bankwise {

// Rows: the host's calls, each stream, and the copy engines, which show the copies of all streams again. Arrows lead from
// a call to its operation, and from an operation to those that waited for it at an event or an edge of a graph.
std::string to_perfetto(const program_timeline& t);

}  // namespace bankwise
