// A program as nvcc makes it from a file with a kernel, but built without nvcc: its cubin is in the source tree. It
// transposes a matrix, prints PASS, and exits with the given status. The argument can select a different behaviour:
//     host_program [STATUS]      host_program fault      host_program freed      host_program killed
// These programs do not end: in a kernel, on the host, with a signal handler, or because they ignore signals.
//     host_program spins         host_program pauses     host_program handles    host_program ignores
// This program computes too much.
//     host_program large
// These programs launch N times, with the same shape or with a different shape each time.
//     host_program repeats N         host_program shapes N
// This takes all memory of the device, clears it, and transposes at its end.
//     host_program clears
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/registered_kernel.hpp"

namespace {

using namespace bankwise::cuda;
using namespace bankwise::test;

// Launches a kernel of a cubin in the source tree. The kernel stays registered as long as the program runs.
void launch(const char* cubin, const char* kernel, unsigned blocks, unsigned threads, void** arguments) {
  auto* const stub = new char;
  register_kernel(cubin, kernel, stub);
  cudaLaunchKernel(stub, {blocks, 1, 1}, {threads, 1, 1}, arguments, 0, nullptr);
}

// Launches a kernel of tests/kernels/faults.cu. The kernel waits for a flag that is never set.
void spin() {
  void* flag = nullptr;
  cudaMalloc(&flag, sizeof(int));
  void* arguments[] = {&flag};
  std::printf("spinning\n");
  std::fflush(stdout);
  launch("tests/kernels/faults.cubin", "_Z5spinsPVi", 1, 32, arguments);
  std::printf("the device says %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// The first launch exceeds the time. The second launch needs the results of the first launch. The third launch never
// ends. The last launch does not depend on the endless launch.
int run_large() {
  const char* const cubin = "tests/kernels/uneven.cubin";
  void *out = nullptr, *found = nullptr;
  unsigned rounds = 64, got = 0;
  cudaMalloc(&out, 64 * sizeof(unsigned));
  cudaMalloc(&found, 64 * sizeof(unsigned));
  cudaMemcpy(out, std::vector<unsigned>(64).data(), 64 * sizeof(unsigned), host_to_device);
  void *large[] = {&out, &rounds}, *after[] = {&out, &found};
  launch(cubin, "_Z7repeatsPjj", 1u << 20, 64, large);
  launch(cubin, "_Z6reliesPKjPj", 1, 64, after);
  spin();
  launch(cubin, "_Z7repeatsPjj", 4, 64, large);
  cudaMemcpy(&got, out, sizeof got, device_to_host);
  return got == 0 ? 4 : 0;
}

void wait_for_ever() {
  std::printf("pausing\n");
  std::fflush(stdout);
  for (;;) ::pause();
}

void say_and_exit(int number) {
  std::printf("handled %d\n", number);
  std::exit(5);
}

int run_often(const void* kernel, bool other_shapes, unsigned count) {
  int n = 64;
  void *out = nullptr, *in = nullptr;
  cudaMalloc(&out, 1u << 20);
  cudaMalloc(&in, 1u << 20);
  void* arguments[] = {&out, &in, &n};
  for (unsigned i = 0; i < count; ++i)
    cudaLaunchKernel(kernel, {1, 1, 1}, {other_shapes ? 1 + i % 8 : 32, 8, 1}, arguments,
                     other_shapes ? i / 8 % 8192 * 4 : 0, nullptr);
  std::printf("the device says %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

int clear_all(const void* kernel) {
  int n = 64;
  std::size_t free_bytes = 0, all = 0;
  cudaMemGetInfo(&free_bytes, &all);
  const std::size_t bytes = free_bytes - (1u << 20);
  char* memory = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&memory), bytes);
  const int cleared = cudaMemset(memory, 0, bytes);
  void *out = memory + bytes / 512 * 512 - (1 << 20), *in = memory;
  void* arguments[] = {&out, &in, &n};
  cudaLaunchKernel(kernel, {2, 2, 1}, {32, 8, 1}, arguments, 0, nullptr);
  float got = 1;
  const int copied = cudaMemcpy(&got, out, sizeof got, device_to_host);
  std::printf("%.0f GB: %s\n", static_cast<double>(bytes) / 1e9,
              cleared == 0 && copied == 0 && got == 0 ? "PASS" : "FAIL");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  static char stub;
  register_kernel("examples/transpose.cubin", "_Z15transpose_plainPfPKfi", &stub);

  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "large") return run_large();
  if (argc > 2 && (mode == "repeats" || mode == "shapes"))
    return run_often(&stub, mode == "shapes", static_cast<unsigned>(std::atoi(argv[2])));
  if (mode == "clears") return clear_all(&stub);
  const bool faults = mode == "fault", frees = mode == "freed";
  int n = 64;
  void *out = nullptr, *in = nullptr;
  std::vector<float> values(64 * 64), got(64 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  cudaMalloc(&out, sizeof(float) * (faults ? 64 : values.size()));
  cudaMalloc(&in, sizeof(float) * values.size());
  cudaMemcpy(in, values.data(), sizeof(float) * values.size(), host_to_device);
  if (frees) cudaFree(in);
  void* arguments[] = {&out, &in, &n};
  for (int i = 0; i < 3; ++i) cudaLaunchKernel(&stub, {2, 2, 1}, {32, 8, 1}, arguments, 0, nullptr);
  if (mode == "killed") std::raise(SIGKILL);
  if (mode == "handles") std::signal(SIGTERM, say_and_exit);
  if (mode == "ignores") std::signal(SIGTERM, SIG_IGN);
  if (mode == "spins" || mode == "ignores") spin();
  if (mode == "pauses" || mode == "handles" || mode == "ignores") wait_for_ever();
  std::printf("the device says %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(got.data(), out, sizeof(float) * values.size(), device_to_host);
  std::printf("%s\n", got[1] == values[64] ? "PASS" : "FAIL");
  return argc > 1 && !faults && !frees ? std::atoi(argv[1]) : 0;
}
