// Helpers of programs that measure time under Nsight Compute: the clock, and a file for each run that Nsight Compute
// makes.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

__device__ unsigned now() {
  unsigned clock;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
  return clock;
}

// Opens $OUT/NAME.PID.END. The name contains the process id, because Nsight Compute runs a program once for each pass.
inline std::FILE* file_of_this_run(const char* name, const char* end) {
  const char* folder = std::getenv("OUT");
  char path[300];
  std::snprintf(path, sizeof path, "%s/%s.%d.%s", folder != nullptr ? folder : ".", name, static_cast<int>(getpid()), end);
  return std::fopen(path, "w");
}
