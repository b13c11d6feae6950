// The calls of a program before its first launch. The report of a program without launches contains only these.
#pragma once

#include <string_view>

namespace bankwise::cuda {

struct state;

struct noted_call {
  std::string_view name;
  int status = 0;  // the first error of the entry point
};

// Records a call with its status. `entry` is the name of an entry point; internal names are ignored.
void note_call(state& s, const char* entry, int status);

// Writes the calls to NAME.calls, next to the report: "cudaGetDeviceCount, cudaMalloc (cudaErrorMemoryAllocation)".
// Writes no file if the program launched a kernel.
void write_noted_calls(const state& s);

}  // namespace bankwise::cuda
