// The calls of a program before its first launch. If the program launches no kernel, its report contains only these
// calls.
#pragma once

#include <string_view>

namespace bankwise::cuda {

struct state;

struct noted_call {
  std::string_view name;
  int status = 0;  // first error that the entry point returned, or success
};

// Records a call and its status. `entry` is the name of an entry point. Other names than those of CUDA functions are
// ignored.
void note_call(state& s, const char* entry, int status);

// Writes the calls to NAME.calls, next to the report: "cudaGetDeviceCount, cudaMalloc (cudaErrorMemoryAllocation)".
// Does nothing if the program launched a kernel.
void write_noted_calls(const state& s);

}  // namespace bankwise::cuda
