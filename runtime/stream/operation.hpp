// The operations of a stream as values. They run at the call, or are kept in a graph and run when it is launched.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "runtime/device/state.hpp"
#include "runtime/driver/abi.hpp"
#include "runtime/launch/launch.hpp"
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

// Writes of words, and waits for them.
struct word_operations {
  std::vector<memory_operation> what;
};
// Graphs with a condition: a number that kernels set decides which graph runs, and how often.
struct conditional {
  unsigned long long handle = 0;
  conditional_type type = condition_if;
  std::vector<std::shared_ptr<struct graph>> bodies;
  std::vector<struct graph*> handles;  // the same graphs as handles of the program
};

using operation = std::variant<std::monostate, call, copy, fill, host_call, recording, waiting, child_graph,
                               make_memory, release_memory, word_operations, conditional, library_call>;

// Checks and runs an operation. The caller holds the lock, which is released while the program's own functions run.
error perform(state& s, const operation& o);

// Runs an operation now, or adds it to the graph if the stream is captured. Checks the stream.
error enqueue(state& s, stream* handle, operation o);

// Checks a call of a library, and postpones or computes it.
error run_operation(state& s, const library_call& given);
// Computes a checked call.
void perform_library_call(state& s, const library_call& c);

// Checks that a stream can execute all of these on memory.
error make_words(const state& s, const memory_operation* what, unsigned count, word_operations& made);

// Bytes that graphs have allocated and that are not freed yet.
std::uint64_t graph_bytes(const state& s);

}  // namespace bankwise::cuda
