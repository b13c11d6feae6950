// The interface between the stand-in driver and the libraries that compute on the host. This header is the only header
// of runtime/ that math/ includes. The stand-in driver libcuda.so.1 implements these functions. Nothing in runtime/
// includes math/.
//
// A library call is an operation of a stream. The host computes the call in device memory, in the order of the stream.
// The report names the call.
//
//     kernel<<<>>>(a)                        a is pending
//     cublasSgemm(..., a, ..., c)            reads a, writes c: pending, after the kernel
//     cudaMemcpy(host, c)                    the kernel runs, then the product is computed
//
// If the stream is captured, the call becomes a node of the graph, and each launch of the graph computes it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Marks a function that programs call. All other functions are hidden. cuda_abi.hpp defines the same macro.
#define CUDA_API extern "C" __attribute__((visibility("default")))

namespace bankwise::cuda {

struct stream;

struct memory_range {
  std::uint64_t address = 0, bytes = 0;
};
// An array of `count` pointers in device memory. Each pointer points to `bytes` bytes.
struct pointer_array {
  std::uint64_t address = 0, count = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
};

// Returns the host's address of a range of device memory.
using device_view = std::function<std::byte*(std::uint64_t address, std::uint64_t bytes)>;

// What a GPU would compute in a library call, from which its time is estimated (clock/library_time.hpp). `operations`
// counts multiplications with their additions.
enum class arithmetic : std::uint8_t { single, tf32, half, byte, twice };  // twice: double precision
// The unknowns, or columns of a factorization, that a call computes one after the other.
enum class chained : std::uint8_t { none, vector, left_side, right_side, cholesky, with_pivots };
struct library_work {
  arithmetic in = arithmetic::single;
  double operations = 0;
  // Products of matrices, which a GPU computes in tiles of their results: rows * columns * depth operations each. A call
  // without products has `products` 0.
  double products = 0, rows = 0, columns = 0, depth = 0;
  double passes = 1;  // how often the call moves its bytes
  chained what = chained::none;
  double links = 0;  // their number

  static library_work of_products(arithmetic in, double products, double rows, double columns, double depth) {
    return {in, products * rows * columns * depth, products, rows, columns, depth};
  }
};

struct library_call {
  std::string_view name;         // name of the entry point; must outlive the call
  std::string_view computed_by;  // library that computes, such as "OpenBLAS"; must outlive the call
  std::vector<memory_range> reads, writes;
  std::uint64_t read_again = 0;  // bytes of `writes` that the call also reads
  std::vector<pointer_array> arrays;
  library_work work;
  std::vector<memory_range> host_results;  // results in host memory; the program reads them after the call
  std::function<void(const device_view&)> compute;
  // Set if the call changes the library's state, so that the order of calls matters. `begin` runs during the call.
  // `begin` returns a function that computes the results, now or later.
  std::function<std::function<void(const device_view&)>()> begin;
};

// The outcome of a library's request. After a fault of the device, every request fails.
enum class outcome { done, out_of_memory, invalid, failed };

// Computes the call now. If the stream is captured, each launch of the graph computes the call.
outcome call_library(stream* on, library_call c);
// Copies rows of bytes between host and device, in the order of the stream.
outcome copy_for_library(void* to, const void* from, std::size_t rows, std::size_t row_bytes, std::size_t to_pitch,
                         std::size_t from_pitch, stream* on);
outcome allocate_for_library(void** pointer, std::size_t bytes);
// Waits for the operations that may use device memory, then frees this memory.
outcome release_for_library(void* pointer);

// Prints a line on standard error.
void say(const std::string& text);
// The body of an entry point that is not implemented. The first call prints the name of the entry point. Every call
// returns `not_supported`, a status of the library that the caller chooses.
int missing_entry(std::atomic<bool>& is_reported, const char* name, const char* library, int not_supported);

}  // namespace bankwise::cuda
