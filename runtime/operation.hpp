// What a stream does, as values: run at the call, or kept in a graph and run when that is launched.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "emulate/launch.hpp"
#include "state.hpp"

namespace bankwise::cuda {

struct call {
  function* what = nullptr;
  emulate::launch how;
  std::vector<std::uint64_t> launched_at;  // call sites in the program
};

// Boxes of bytes: `width` bytes in a row, `height` rows in a slice, `depth` slices.
struct copy {
  std::uint64_t to = 0, from = 0;
  std::size_t to_pitch = 0, from_pitch = 0;  // from row to row
  std::size_t to_slice = 0, from_slice = 0;  // from slice to slice
  std::size_t width = 0, height = 1, depth = 1;
  copy_kind kind = by_address;
};

struct fill {
  std::uint64_t to = 0;
  std::size_t pitch = 0, slice = 0;
  std::size_t width = 0, height = 1, depth = 1;  // width in elements
  unsigned value = 0, element_bytes = 1;
};

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
                               make_memory, release_memory>;

// Checks and runs. The lock is held, but not while the program's own functions run.
error perform(state& s, const operation& o);

// Now, or later if the stream is captured. Checks the stream.
error enqueue(state& s, stream* handle, operation o);

// Of the allocations that graphs made and nobody has freed.
std::uint64_t graph_bytes(const state& s);

// The kernel of a stub or handle, loaded; or why there is none.
error find_kernel(state& s, const void* stub, function*& found);

// What a launch says, beside its arguments.
struct launch_shape {
  dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};  // zeros: as the function says
};
// What the attributes of a launch change.
error read_attributes(const launch_attribute* attributes, unsigned count, launch_shape& shape);
// A launch with its arguments gathered from `arguments`, one pointer for each parameter of the kernel.
error make_call(function& f, const launch_shape& shape, void** arguments, call& made);
// The same with the bytes of all parameters as they lie.
error make_call(function& f, const launch_shape& shape, byte_span parameters, call& made);

// A copy of a row.
copy row(void* to, const void* from, std::size_t bytes, copy_kind kind);
// cudaMemcpy3D's box. Errors: arrays, which are not there.
error make_copy(const copy_3d_parameters& p, copy& made);

}  // namespace bankwise::cuda
