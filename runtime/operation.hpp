// What a stream does, as values: run at the call, or kept in a graph and run when that is launched.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "copy.hpp"
#include "launch.hpp"
#include "library_call.hpp"
#include "state.hpp"

namespace bankwise::cuda {

struct host_call {
  host_function plain = nullptr;
  stream_callback with_stream = nullptr;
  stream* on = nullptr;
  void* data = nullptr;
};

struct recording {
  event* what = nullptr;
};
struct waiting {
  event* what = nullptr;
};
struct child_graph {
  std::shared_ptr<struct graph> what;
};
struct make_memory {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};
struct release_memory {
  std::uint64_t address = 0;
};

using operation = std::variant<std::monostate, call, copy, fill, host_call, recording, waiting, child_graph,
                               make_memory, release_memory, library_call>;

// Checks and runs. The lock is held, but not while the program's own functions run.
error perform(state& s, const operation& o);

// Now, or later if the stream is captured. Checks the stream.
error enqueue(state& s, stream* handle, operation o);

// Of the allocations that graphs made and nobody has freed.
std::uint64_t graph_bytes(const state& s);

}  // namespace bankwise::cuda
