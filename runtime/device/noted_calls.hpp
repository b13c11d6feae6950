// The calls of a program before its first launch. For a program without launches, only these can be reported.
#pragma once

#include <string_view>

namespace bankwise::cuda {

struct state;

struct noted_call {
  std::string_view name;
  int status = 0;  // the first error
};

// `entry`: the name of an entry point; internal names are skipped. `status` is its result.
void note_call(state& s, const char* entry, int status);

// Writes the calls to NAME.calls, next to the report: "cudaGetDeviceCount, cudaMalloc (cudaErrorMemoryAllocation)".
// There is no file if the program launched a kernel.
void write_noted_calls(const state& s);

}  // namespace bankwise::cuda
