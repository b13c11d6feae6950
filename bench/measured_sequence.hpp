// A sequence of launches and copies whose time a program measures with events and with the host's clock. measure() prints a row: the
// name, the microseconds between two events around the sequence, and the microseconds of the host for the calls alone and until the
// device has finished. Each number is the median of the repetitions.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

inline void check(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
  std::exit(1);
}
#define CHECK(x) check((x), __LINE__)

using clock_type = std::chrono::steady_clock;
inline double since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

inline int repetitions = 15;
inline std::string only;  // only sequences whose name contains it are measured

__global__ void scale(float* to, const float* from, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = 2 * from[i];
}
// A chain of multiplications: uses one warp for each block and no memory.
__global__ void chain(float* to, int rounds) {
  float x = threadIdx.x;
#pragma unroll 16
  for (int i = 0; i < rounds; ++i) x = x * 1.0001f + 0.5f;
  if (x == 12345.0f) *to = x;
}

inline void measure(const std::string& name, cudaStream_t on, const std::function<void()>& what) {
  if (name.find(only) == std::string::npos) return;
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  std::vector<double> between, calls, all;
  for (int i = -2; i < repetitions; ++i) {
    CHECK(cudaDeviceSynchronize());
    const auto begin = clock_type::now();
    CHECK(cudaEventRecord(from, on));
    what();
    CHECK(cudaEventRecord(to, on));
    const double called = since(begin);
    CHECK(cudaEventSynchronize(to));
    const double ended = since(begin);
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    if (i < 0) continue;
    between.push_back(ms * 1e3), calls.push_back(called), all.push_back(ended);
  }
  const auto median = [](std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  const char* const quote = name.find(',') == std::string::npos ? "" : "\"";
  std::printf("%s%s%s,%.2f,%.2f,%.2f\n", quote, name.c_str(), quote, median(between), median(calls), median(all));
  std::fflush(stdout);
  CHECK(cudaEventDestroy(from));
  CHECK(cudaEventDestroy(to));
}

inline cudaGraphExec_t graph_of(cudaStream_t on, const std::function<void()>& what) {
  cudaGraph_t graph;
  cudaGraphExec_t made;
  CHECK(cudaStreamBeginCapture(on, cudaStreamCaptureModeGlobal));
  what();
  CHECK(cudaStreamEndCapture(on, &graph));
  CHECK(cudaGraphInstantiate(&made, graph, 0));
  CHECK(cudaGraphUpload(made, on));
  return made;
}

// Prints the median time of the host for `what`, between `before` and `after`, in the columns of measure().
inline void measure_calls(const std::string& name, const std::function<void()>& before, const std::function<void()>& what,
                   const std::function<void()>& after) {
  if (name.find(only) == std::string::npos) return;
  std::vector<double> times;
  for (int i = -2; i < repetitions; ++i) {
    before();
    CHECK(cudaDeviceSynchronize());
    const auto begin = clock_type::now();
    what();
    const double took = since(begin);
    after();
    if (i >= 0) times.push_back(took);
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("%s,0,%.2f,%.2f\n", name.c_str(), median, median);
  std::fflush(stdout);
}
