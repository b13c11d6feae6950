// A launch: its parameters, its checks and its results.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "runtime/device/cuda_abi.hpp"
#include "runtime/launch/module.hpp"

namespace bankwise::cuda {

struct call {
  function* what = nullptr;
  const void* handle = nullptr;  // the program's handle for it
  emulate::launch how;
  std::vector<std::uint64_t> launched_at;  // call sites in the program
};

// Finds the loaded kernel of a stub or handle, or returns the error.
error find_kernel(state& s, const void* stub, function*& found);

// The parameters of a launch other than its arguments.
struct launch_shape {
  dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};  // zeros: the function's own cluster
};
// Changes a launch by its attributes.
error read_attributes(const launch_attribute* attributes, unsigned count, launch_shape& shape);
// Reads the bytes of the parameters from the driver's `extra`: pairs of a name and a value.
error read_extra(void** extra, byte_span& parameters);
// Makes a launch with its arguments from `arguments`, one pointer for each parameter of the kernel.
error make_call(function& f, const launch_shape& shape, void** arguments, call& made);
// The same with the bytes of all parameters in memory order.
error make_call(function& f, const launch_shape& shape, byte_span parameters, call& made);

// Runs it with all launches from it, and adds it to the report. The next call returns a fault. Its results in memory
// may be computed later (pending.hpp).
error run_operation(state& s, const call& c);
bool same_shape_and_arguments(const emulate::launch& a, const emulate::launch& b);
// Computes only its results in memory: it is already in the report.
void compute(state& s, const call& c);

}  // namespace bankwise::cuda
