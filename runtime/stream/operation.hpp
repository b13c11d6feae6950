// The operations of a stream, as values. An operation runs during its call, or it is a node of a graph and runs at each
// launch of the graph.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "runtime/device/driver_abi.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/launch/library_work.hpp"
#include "runtime/library_call.hpp"
#include "runtime/memory/copy.hpp"

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

// Operations that write words of memory, or wait until words have certain values.
struct word_operations {
  std::vector<memory_operation> what;
};
// A node with a condition. The condition is a number that kernels set. This number determines which body runs, and how
// often.
struct conditional {
  unsigned long long handle = 0;
  conditional_type type = condition_if;
  std::vector<std::shared_ptr<struct graph>> bodies;
  std::vector<struct graph*> handles;  // handles of the bodies for the program
};

using operation = std::variant<std::monostate, call, copy, fill, host_call, recording, waiting, child_graph,
                               make_memory, release_memory, word_operations, conditional, library_call>;

// Checks and runs an operation. The caller holds the lock. While functions of the program run, the lock is released.
error perform(state& s, const operation& o);

// Checks the stream, then runs the operation now. If the stream is captured, adds the operation to the graph instead.
error enqueue(state& s, stream* handle, operation o);

// Makes an operation from a list of memory operations. Fails if a stream cannot execute one of these operations.
error make_words(const state& s, const memory_operation* what, unsigned count, word_operations& made);

// Returns the number of bytes that graphs have allocated and not freed.
std::uint64_t graph_bytes(const state& s);

}  // namespace bankwise::cuda
