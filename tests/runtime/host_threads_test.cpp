// A program launches, copies and allocates in 64 threads at the same time. Each thread gets the right results, and the
// thread sanitizer (scripts/sanitize thread) finds no error.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/registered_kernel.hpp"

namespace bankwise::test {
namespace {

using namespace cuda;

constexpr int side = 32, threads = 64, rounds = 4;

// Returns whether the thread's numbers are transposed correctly each time.
bool transposes(const void* kernel, int thread) {
  stream* on = nullptr;
  void *out = nullptr, *in = nullptr;
  int n = side;
  bool right = cudaStreamCreate(&on) == 0;
  std::vector<float> values(side * side), got(side * side);
  for (int round = 0; round < rounds && right; ++round) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(thread * 10'000 + round * 2'000) + static_cast<float>(i);
    const std::size_t bytes = values.size() * sizeof(float);
    right = cudaMalloc(&out, bytes) == 0 && cudaMalloc(&in, bytes) == 0;
    void* arguments[] = {&out, &in, &n};
    right = right && cudaMemcpyAsync(in, values.data(), bytes, host_to_device, on) == 0 &&
            cudaLaunchKernel(kernel, {1, 1, 1}, {32, 8, 1}, arguments, 0, on) == 0 &&
            cudaMemcpyAsync(got.data(), out, bytes, device_to_host, on) == 0 && cudaStreamSynchronize(on) == 0;
    for (std::size_t i = 0; i < got.size(); ++i) right = right && got[i] == values[i % side * side + i / side];
    right = cudaFree(out) == 0 && cudaFree(in) == 0 && right;
  }
  return cudaStreamDestroy(on) == 0 && right;
}

TEST(HostThreads, LaunchAtTheSameTime) {
  static char stub;
  register_kernel("examples/transpose.cubin", "_Z15transpose_plainPfPKfi", &stub);
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back([&right, t] { right += transposes(&stub, t) ? 1 : 0; });
  }
  EXPECT_EQ(right.load(), threads);
}

}  // namespace
}  // namespace bankwise::test
