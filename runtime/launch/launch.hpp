// Launches: their parameters, their checks and their execution.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "runtime/device/cuda_abi.hpp"
#include "runtime/launch/module.hpp"

namespace bankwise::cuda {

struct call {
  function* what = nullptr;
  const void* handle = nullptr;  // handle by which the program named the kernel
  emulate::launch how;
  bool begins_early = false;               // by programmatic dependent launch
  std::vector<std::uint64_t> launched_at;  // call sites in the program, innermost first
};

// Finds the kernel of a stub or handle, and loads its module. Returns an error if there is no such kernel.
error find_kernel(state& s, const void* stub, function*& found);

// The parameters of a launch, without the arguments of the kernel.
struct launch_shape {
  dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};  // cluster size; zeros mean the cluster size of the function
  bool begins_early = false;
};
// Sets the members of `shape` that the attributes of a launch determine.
error read_attributes(const launch_attribute* attributes, unsigned count, launch_shape& shape);
// Sets `parameters` to the bytes of the kernel's parameters. `extra` is the driver's array of keys and values.
error read_extra(void** extra, byte_span& parameters);
// Notes why a launch failed with this error, for the report. Returns the error. `f`: the kernel, or null if there is no
// such kernel. `by_arrows`: whether the program launched with <<<...>>>.
error refuse(state& s, const function* f, const launch_shape& shape, error e, bool by_arrows);
// Makes a launch. `arguments` has one pointer for each parameter of the kernel.
error make_call(function& f, const launch_shape& shape, void** arguments, call& made);
// Makes a launch from the bytes of all its parameters, in the layout of the kernel's parameter memory.
error make_call(function& f, const launch_shape& shape, byte_span parameters, call& made);

// Runs the launch and all launches that its kernel makes. Adds these launches to the report. If the kernel faults, the
// next call of the program returns the error. The results in memory may be computed later (pending.hpp).
error run_operation(state& s, const call& c);
bool same_shape_and_arguments(const emulate::launch& a, const emulate::launch& b);
// Computes the results of a launch in memory. The report already contains the launch.
void compute(state& s, const call& c);

}  // namespace bankwise::cuda
