// What a library for mathematics does in a stream: computed by the host on the device's memory, like a function of the host
// in its order, and said to have been.
//
//     kernel<<<>>>(a)                        a is pending
//     cublasSgemm(..., a, ..., c)            reads a, writes c: pending, behind the kernel
//     cudaMemcpy(host, c)                    the kernel runs, then the product is computed
//
// Where a stream is captured it is a node of the graph, and computed again at each launch of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

struct memory_range {
  std::uint64_t address = 0, bytes = 0;
};
// Pointers that lie on the device themselves, each to as many bytes.
struct pointer_array {
  std::uint64_t address = 0, count = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
};

// The device's memory as the host finds it.
using device_view = std::function<std::byte*(std::uint64_t address, std::uint64_t bytes)>;

struct library_call {
  std::string_view name;         // of the entry point; it outlives the call
  std::string_view computed_by;  // "OpenBLAS"; outlives it too
  std::vector<memory_range> reads, writes;
  std::vector<pointer_array> arrays;
  std::vector<memory_range> host_results;  // the program reads them when the call is over
  std::function<void(const device_view&)> compute;
  // Of a call that changes what the library keeps, in the order of calls: run at once, it says what is computed then or later.
  std::function<std::function<void(const device_view&)>()> begin;
};

// Now, or later if the stream is captured.
error call_library(struct stream* on, library_call c);

error run(state& s, const library_call& given);
// At once, of what has been checked.
void perform_library_call(state& s, const library_call& c);
// Rows of bytes between host and device, in the order of the stream.
error copy_for_library(void* to, const void* from, std::size_t rows, std::size_t row_bytes, std::size_t to_pitch,
                       std::size_t from_pitch, struct stream* on);

}  // namespace bankwise::cuda
