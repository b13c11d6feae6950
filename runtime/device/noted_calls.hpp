// What a program called until its first launch: of one that launches nothing, this is what can be said.
#pragma once

#include <string_view>

namespace bankwise::cuda {

struct state;

struct noted_call {
  std::string_view name;
  int status = 0;  // the first that is an error
};

// `entry`: the name of an entry point; names of functions of ours are passed over. `status` is what it returned.
void note_call(state& s, const char* entry, int status);

// Beside the report, as NAME.calls: "cudaGetDeviceCount, cudaMalloc (cudaErrorMemoryAllocation)". No file: it launched.
void write_noted_calls(const state& s);

}  // namespace bankwise::cuda
