// The calls of a program before its first launch; for a program without launches, they are all that can be reported.
#pragma once

#include <string_view>

namespace bankwise::cuda {

struct state;

struct noted_call {
  std::string_view name;
  int status = 0;  // the first that is an error
};

// `entry`: the name of an entry point; our internal names are skipped. `status` is its result.
void note_call(state& s, const char* entry, int status);

// In NAME.calls, next to the report: "cudaGetDeviceCount, cudaMalloc (cudaErrorMemoryAllocation)". There is no file if
// the program launched a kernel.
void write_noted_calls(const state& s);

}  // namespace bankwise::cuda
