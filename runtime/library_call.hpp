// The interface between the stand-in driver and the libraries that compute on the host: math/ includes nothing else of
// runtime/. It declares the functions that these libraries need. The stand-in driver, libcuda.so.1, implements them,
// and nothing in runtime/ includes math/.
//
// A call of a library is work of a stream: the host computes it on the device's memory, in the order of the stream, and
// the report names it.
//
//     kernel<<<>>>(a)                        a is pending
//     cublasSgemm(..., a, ..., c)            reads a, writes c: pending, after the kernel
//     cudaMemcpy(host, c)                    the kernel runs, then the product is computed
//
// If a stream is captured, the call is a node of the graph, and is computed at each launch of the graph.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// A function that programs call. All other functions are hidden. cuda_abi.hpp has the same line.
#define CUDA_API extern "C" __attribute__((visibility("default")))

namespace bankwise::cuda {

struct stream;

struct memory_range {
  std::uint64_t address = 0, bytes = 0;
};
// An array of pointers in device memory, each to this many bytes.
struct pointer_array {
  std::uint64_t address = 0, count = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
};

// Finds device memory on the host.
using device_view = std::function<std::byte*(std::uint64_t address, std::uint64_t bytes)>;

struct library_call {
  std::string_view name;         // of the entry point; it outlives the call
  std::string_view computed_by;  // "OpenBLAS"; also outlives it
  std::vector<memory_range> reads, writes;
  std::vector<pointer_array> arrays;
  std::vector<memory_range> host_results;  // results in host memory, which the program reads after the call
  std::function<void(const device_view&)> compute;
  // For a call that changes the library's state, in the order of calls. It runs at once, and returns the function that
  // computes the results, now or later.
  std::function<std::function<void(const device_view&)>()> begin;
};

// How a request ended. After a fault of the device, every request fails.
enum class outcome { done, out_of_memory, invalid, failed };

// Computes now, or later if the stream is captured.
outcome call_library(stream* on, library_call c);
// Copies rows of bytes between host and device, in the order of the stream.
outcome copy_for_library(void* to, const void* from, std::size_t rows, std::size_t row_bytes, std::size_t to_pitch,
                         std::size_t from_pitch, stream* on);
outcome allocate_for_library(void** pointer, std::size_t bytes);
// Waits for operations that could use the memory.
outcome release_for_library(void* pointer);

// Prints a line on standard error.
void say(const std::string& text);
// The body of an entry point that is not implemented: prints its name the first time, and returns `not_supported`, the
// library's status.
int missing_entry(std::atomic<bool>& is_reported, const char* name, const char* library, int not_supported);

}  // namespace bankwise::cuda
