// Calls the stand-in CUDA runtime as a compiled program does, with cubins in the source tree. The test needs neither
// nvcc nor a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "runtime/cudart/entries.hpp"
#include "support/registered_kernel.hpp"

namespace bankwise::cuda {
namespace {

// The stand-in does not implement this function.
extern "C" error cudaImportExternalMemory(void**, const void*);

// Stubs of kernels: the address of a stub identifies the kernel.
char transpose_stub, histogram_stub, parameters_stub, past_the_end_stub, misaligned_stub, spins_stub, recurses_stub,
    unknown_stub;

class Runtime : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::register_kernel("examples/transpose.cubin", "_Z15transpose_plainPfPKfi", &transpose_stub);
    test::register_kernel("examples/histogram.cubin", "_Z16histogram_sharedPjPKhi", &histogram_stub);
    test::register_kernel("tests/kernels/parameters.cubin", "_Z3sum7numbersjPj", &parameters_stub);
    test::register_kernel("tests/kernels/faults.cubin", "_Z12past_the_endPfi", &past_the_end_stub);
    test::register_kernel("tests/kernels/faults.cubin", "_Z10misalignedPf", &misaligned_stub);
    test::register_kernel("tests/kernels/faults.cubin", "_Z5spinsPVi", &spins_stub);
    test::register_kernel("tests/kernels/faults.cubin", "_Z8recursesPii", &recurses_stub);
  }
};

error launch(const void* stub, dim3 grid, dim3 block, std::vector<void*> arguments, std::size_t shared = 0,
             stream* on = nullptr) {
  return cudaLaunchKernel(stub, grid, block, arguments.data(), shared, on);
}

constexpr int side = 64;

struct matrices {
  float *out = nullptr, *in = nullptr;
  int n = side;
  std::vector<float> values = std::vector<float>(side * side);

  matrices() {
    std::iota(values.begin(), values.end(), 0.0f);
    cudaMalloc(reinterpret_cast<void**>(&out), sizeof(float) * side * side);
    cudaMalloc(reinterpret_cast<void**>(&in), sizeof(float) * side * side);
    cudaMemcpy(in, values.data(), sizeof(float) * side * side, host_to_device);
  }
  ~matrices() {
    cudaFree(out);
    cudaFree(in);
  }
  error transpose(stream* on = nullptr) {
    return launch(&transpose_stub, {side / 32, side / 32, 1}, {32, 8, 1}, {&out, &in, &n}, 0, on);
  }
  bool is_transposed() const {
    std::vector<float> got(side * side);
    EXPECT_EQ(cudaMemcpy(got.data(), out, sizeof(float) * side * side, device_to_host), cudaSuccess);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        if (got[y * side + x] != values[x * side + y]) return false;
    return true;
  }
};

TEST_F(Runtime, LaunchesAKernel) {
  matrices m;
  EXPECT_FALSE(m.is_transposed());
  ASSERT_EQ(m.transpose(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(m.is_transposed());
}

// Results that are computed after the call equal results that are computed during the call. No operation overtakes a
// launch that reads or writes the same memory.
TEST_F(Runtime, ResultsAreThoseOfTheOrderOfCalls) {
  constexpr std::size_t bytes = sizeof(float) * side * side;
  matrices m;
  ASSERT_EQ(m.transpose(), cudaSuccess);
  ASSERT_EQ(m.transpose(), cudaSuccess);  // transposes again
  // The program changes the input and the output after the launch.
  std::vector<float> others(side * side, 3.0f), got(side * side);
  float* copied = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&copied), bytes), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(copied, m.out, bytes, device_to_device), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(m.in, others.data(), bytes, host_to_device), cudaSuccess);
  std::fill(others.begin(), others.end(), 5.0f);  // the copy uses the bytes at the time of the call
  ASSERT_EQ(m.transpose(), cudaSuccess);
  ASSERT_EQ(cudaMemset(m.in, 0, bytes), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(got.data(), m.out, bytes, device_to_host), cudaSuccess);
  EXPECT_EQ(got, std::vector<float>(side * side, 3.0f));
  std::swap(m.out, copied);
  EXPECT_TRUE(m.is_transposed());
  std::swap(m.out, copied);
  // The program frees memory while a launch that reads the memory is pending.
  ASSERT_EQ(cudaMemcpy(m.in, m.values.data(), bytes, host_to_device), cudaSuccess);
  ASSERT_EQ(m.transpose(), cudaSuccess);
  ASSERT_EQ(cudaFree(m.in), cudaSuccess);
  m.in = nullptr;
  EXPECT_TRUE(m.is_transposed());
  EXPECT_EQ(cudaFree(copied), cudaSuccess);
}

// Programs that measure time repeat the same launches. If a round of launches leaves memory unchanged, the next round
// may be skipped. If a round changes memory, no round may be skipped.
TEST_F(Runtime, RepeatedLaunchesLeaveWhatTheyWouldLeave) {
  constexpr std::size_t bytes = sizeof(float) * side * side;
  matrices m;
  float* third = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&third), bytes), cudaSuccess);
  for (int time = 0; time < 20; ++time) {
    ASSERT_EQ(m.transpose(), cudaSuccess);
    ASSERT_EQ(launch(&transpose_stub, {side / 32, side / 32, 1}, {32, 8, 1}, {&third, &m.out, &m.n}), cudaSuccess);
  }
  std::vector<float> got(side * side);
  ASSERT_EQ(cudaMemcpy(got.data(), third, bytes, device_to_host), cudaSuccess);
  EXPECT_EQ(got, m.values);
  EXPECT_TRUE(m.is_transposed());

  unsigned* counts = nullptr;
  unsigned char* values = nullptr;
  int n = 512;
  std::vector<unsigned char> of_each(n);
  std::iota(of_each.begin(), of_each.end(), static_cast<unsigned char>(0));  // each of 256 values occurs twice
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&counts), 256 * sizeof *counts), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&values), of_each.size()), cudaSuccess);
  ASSERT_EQ(cudaMemset(counts, 0, 256 * sizeof *counts), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(values, of_each.data(), of_each.size(), host_to_device), cudaSuccess);
  for (int time = 0; time < 20; ++time)
    ASSERT_EQ(launch(&histogram_stub, {2, 1, 1}, {128, 1, 1}, {&counts, &values, &n}), cudaSuccess);
  std::vector<unsigned> sums(256);
  ASSERT_EQ(cudaMemcpy(sums.data(), counts, 256 * sizeof *counts, device_to_host), cudaSuccess);
  EXPECT_EQ(sums, std::vector<unsigned>(256, 40));
  for (void* each : {static_cast<void*>(third), static_cast<void*>(counts), static_cast<void*>(values)})
    EXPECT_EQ(cudaFree(each), cudaSuccess);
}

TEST_F(Runtime, LaunchesWithMoreThan4KiBOfParameters) {
  std::vector<unsigned> values(8000);
  std::iota(values.begin(), values.end(), 7u);
  unsigned from = 3, got = 0, *sum = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&sum), sizeof got), cudaSuccess);
  ASSERT_EQ(cudaMemset(sum, 0, sizeof got), cudaSuccess);
  ASSERT_EQ(launch(&parameters_stub, {1, 1, 1}, {32, 1, 1}, {values.data(), &from, &sum}), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&got, sum, sizeof got, device_to_host), cudaSuccess);
  EXPECT_EQ(got, std::accumulate(values.begin() + from, values.end(), 0u));
  cudaFree(sum);
}

TEST_F(Runtime, RefusesALaunchAsTheDeviceDoes) {
  matrices m;
  EXPECT_EQ(launch(&unknown_stub, {1, 1, 1}, {32, 1, 1}, {}), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // not sticky
  EXPECT_EQ(launch(&transpose_stub, {1, 1, 1}, {1025, 1, 1}, {&m.out, &m.in, &m.n}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(&transpose_stub, {0, 1, 1}, {32, 1, 1}, {&m.out, &m.in, &m.n}), cudaErrorInvalidConfiguration);
  // By default, a block has 48 KiB of shared memory. On request, it has up to 227 KiB, including static memory.
  const std::size_t more = 60 << 10;
  EXPECT_EQ(launch(&transpose_stub, {1, 1, 1}, {32, 8, 1}, {&m.out, &m.in, &m.n}, more), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&transpose_stub, max_dynamic_shared, 232448), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&transpose_stub, max_dynamic_shared, static_cast<int>(more)), cudaSuccess);
  EXPECT_EQ(launch(&transpose_stub, {1, 1, 1}, {32, 8, 1}, {&m.out, &m.in, &m.n}, more), cudaSuccess);
  cudaGetLastError();
}

constexpr std::size_t whole_page = std::size_t{2} << 20;  // no memory is mapped directly after this page

// Each test runs in its own process, because every call fails after a fault.
TEST_F(Runtime, AFaultIsSticky) {
  EXPECT_EXIT(
      {
        void* out = nullptr;
        int n = whole_page / sizeof(float) + 1;
        cudaMalloc(&out, whole_page);
        // The launch call only starts the kernel. The call that waits for the kernel gets the error. Every later call
        // also gets the error.
        const bool right = launch(&past_the_end_stub, {16385, 1, 1}, {32, 1, 1}, {&out, &n}) == cudaSuccess &&
                           cudaDeviceSynchronize() == cudaErrorIllegalAddress &&
                           cudaGetLastError() == cudaErrorIllegalAddress &&
                           cudaGetLastError() == cudaErrorIllegalAddress && cudaFree(out) == cudaErrorIllegalAddress &&
                           cudaDeviceSynchronize() == cudaErrorIllegalAddress;
        std::_Exit(right ? 7 : 1);
      },
      testing::ExitedWithCode(7), "kernel past_the_end: writes 4 bytes.*right after the end of cudaMalloc memory");
  EXPECT_EXIT(
      {
        void* out = nullptr;
        cudaMalloc(&out, 128);
        launch(&misaligned_stub, {1, 1, 1}, {32, 1, 1}, {&out});
        std::_Exit(cudaDeviceSynchronize() == cudaErrorMisalignedAddress ? 7 : 1);
      },
      testing::ExitedWithCode(7), "not a multiple of the access's width of 4 bytes");
  EXPECT_EXIT(
      {
        void* freed = nullptr;
        int n = 32;
        cudaMalloc(&freed, whole_page);
        cudaFree(freed);
        launch(&past_the_end_stub, {1, 1, 1}, {32, 1, 1}, {&freed, &n});
        std::_Exit(cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 7 : 1);
      },
      testing::ExitedWithCode(7), "0 bytes after the start of cudaMalloc memory .2,097,152 bytes at 0x[0-9a-f]*, freed., which was freed");
}

// A GPU maps whole pages. So memory next to a small allocation can be accessed without an error.
TEST_F(Runtime, AnAccessBesideAnAllocationLetsTheProgramGoOn) {
  float* out = nullptr;
  int n = 32;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&out), 31 * sizeof(float)), cudaSuccess);
  ASSERT_EQ(launch(&past_the_end_stub, {1, 1, 1}, {32, 1, 1}, {&out, &n}), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  float got[31] = {};
  ASSERT_EQ(cudaMemcpy(got, out, sizeof got, device_to_host), cudaSuccess);
  for (const float x : got) EXPECT_EQ(x, 1.0f);
  // The stand-in always checks copies by the host.
  float more[33] = {};
  EXPECT_EQ(cudaMemcpy(more, out, sizeof more, device_to_host), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_EQ(cudaFree(out), cudaSuccess);
}

TEST_F(Runtime, TheStackIsAsLargeAsTheProgramSays) {
  int depth = 100;  // 24 bytes a call
  void* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, sizeof(int)), cudaSuccess);
  EXPECT_EXIT(
      {
        launch(&recurses_stub, {1, 1, 1}, {1, 1, 1}, {&out, &depth});
        std::_Exit(cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 7 : 1);
      },
      testing::ExitedWithCode(7), "the stack overflows: .* below the stack of 1,024");
  int shallow = 12;
  EXPECT_EXIT(
      {
        cudaDeviceSetLimit(0, 256);
        launch(&recurses_stub, {1, 1, 1}, {1, 1, 1}, {&out, &shallow});
        std::_Exit(cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 7 : 1);
      },
      testing::ExitedWithCode(7), "below the stack of 256 bytes");
  EXPECT_EQ(launch(&recurses_stub, {1, 1, 1}, {1, 1, 1}, {&out, &shallow}), cudaSuccess);
  int got = 0;
  EXPECT_EQ(cudaMemcpy(&got, out, sizeof got, device_to_host), cudaSuccess);
  EXPECT_EQ(got, 144);
}

TEST_F(Runtime, HostAndDeviceShareManagedPinnedAndRegisteredMemory) {
  matrices m;
  float *managed = nullptr, *pinned = nullptr;
  const std::size_t bytes = sizeof(float) * side * side;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&managed), bytes, 1), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), bytes), cudaSuccess);
  std::memcpy(managed, m.values.data(), bytes);
  ASSERT_EQ(launch(&transpose_stub, {2, 2, 1}, {32, 8, 1}, {&pinned, &managed, &m.n}), cudaSuccess);
  EXPECT_EQ(pinned[1], managed[side]);
  std::vector<float> own(side * side);
  float* registered = own.data();
  ASSERT_EQ(cudaHostRegister(registered, bytes, 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(registered, bytes, 0), cudaErrorHostMemoryAlreadyRegistered);
  ASSERT_EQ(launch(&transpose_stub, {2, 2, 1}, {32, 8, 1}, {&registered, &managed, &m.n}), cudaSuccess);
  EXPECT_EQ(own[1], managed[side]);
  pointer_attributes a;
  EXPECT_EQ(cudaPointerGetAttributes(&a, managed + 1), cudaSuccess);
  EXPECT_EQ(a.type, managed_memory);
  EXPECT_EQ(a.host_pointer, managed + 1);
  EXPECT_EQ(cudaPointerGetAttributes(&a, m.out), cudaSuccess);
  EXPECT_EQ(a.type, device_memory_type);
  EXPECT_EQ(a.host_pointer, nullptr);
  EXPECT_EQ(cudaPointerGetAttributes(&a, &m), cudaSuccess);
  EXPECT_EQ(a.type, unregistered_memory);
  EXPECT_EQ(cudaHostUnregister(registered), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(Runtime, CopiesCheckWhatTheyCopy) {
  char* device = nullptr;
  char host[64] = "shared memory";
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), 32), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, host, 32, host_to_device), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, host, 33, host_to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device + 31, host, 2, by_address), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, host + 32, 8, host_to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, device, 8, device_to_host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device, 8, static_cast<copy_kind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemset(device, 'x', 33), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device, 'x', 6), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, device, 32, by_address), cudaSuccess);
  EXPECT_STREQ(host, "xxxxxx memory");
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, device, 8, device_to_host), cudaErrorInvalidValue);

  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(reinterpret_cast<void**>(&device), &pitch, 10, 3), cudaSuccess);
  EXPECT_EQ(pitch, 512u);
  const char rows[] = "0123456789abcdefghijABCDEFGHIJ";
  EXPECT_EQ(cudaMemcpy2D(device, pitch, rows, 10, 10, 3, host_to_device), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(device, 5, rows, 10, 10, 3, host_to_device), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy(host, device + pitch, 10, device_to_host), cudaSuccess);
  EXPECT_EQ(std::string(host, 10), "abcdefghij");
  cudaFree(device);
  cudaGetLastError();
}

// Whole pages are returned to the system instead of being cleared. Later reads of these pages return zeros.
TEST_F(Runtime, ClearsManyBytesAndNoOther) {
  constexpr std::size_t bytes = 4 << 20, first = 5000, cleared = (2 << 20) + 77;
  char* device = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), bytes), cudaSuccess);
  ASSERT_EQ(cudaMemset(device, 'x', bytes), cudaSuccess);
  ASSERT_EQ(cudaMemset(device + first, 0, cleared), cudaSuccess);
  std::string got(bytes, '?'), expected(bytes, 'x');
  expected.replace(first, cleared, cleared, '\0');
  ASSERT_EQ(cudaMemcpy(got.data(), device, bytes, device_to_host), cudaSuccess);
  EXPECT_TRUE(got == expected);
  ASSERT_EQ(cudaFree(device), cudaSuccess);

  std::vector<char> of_the_host(bytes, 'x');
  ASSERT_EQ(cudaHostRegister(of_the_host.data(), bytes, 0), cudaSuccess);
  ASSERT_EQ(cudaMemset(of_the_host.data() + first, 0, cleared), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(std::string(of_the_host.data(), bytes) == expected);
  ASSERT_EQ(cudaHostUnregister(of_the_host.data()), cudaSuccess);
}

// As on a GPU, a thread of the driver calls the function. This thread does not catch the function's exception, so the
// C++ library of the program prints the exception.
TEST_F(Runtime, AnExceptionInAFunctionThatAStreamCallsEndsTheProgram) {
  const auto run = [](host_function f) {
    cudaLaunchHostFunc(nullptr, f, nullptr);
    cudaDeviceSynchronize();
  };
  EXPECT_EXIT(run([](void*) { throw std::runtime_error("no bread"); }), testing::KilledBySignal(SIGABRT),
              "std::runtime_error(.|\n)*no bread");
  EXPECT_EXIT(run([](void*) { throw 7; }), testing::KilledBySignal(SIGABRT), "terminate called");
}

TEST_F(Runtime, WaitingEndsACapture) {
  stream* s = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  for (const bool of_all : {false, true}) {
    ASSERT_EQ(cudaStreamBeginCapture(s, 0), cudaSuccess);
    EXPECT_EQ(of_all ? cudaDeviceSynchronize() : cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    graph* g = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(g, nullptr);
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Runtime, GraphsRunWhatWasCaptured) {
  matrices m;
  stream* s = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(s, 0), cudaSuccess);
  ASSERT_EQ(m.transpose(s), cudaSuccess);
  int calls = 0;
  ASSERT_EQ(cudaLaunchHostFunc(
                s, [](void* n) { ++*static_cast<int*>(n); }, &calls),
            cudaSuccess);
  graph* g = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(s, &g), cudaSuccess);
  EXPECT_FALSE(m.is_transposed());
  EXPECT_EQ(calls, 0);
  node* nodes[4];
  std::size_t count = 4;
  ASSERT_EQ(cudaGraphGetNodes(g, nodes, &count), cudaSuccess);
  ASSERT_EQ(count, 2u);
  node_type type{};
  EXPECT_EQ(cudaGraphNodeGetType(nodes[0], &type), cudaSuccess);
  EXPECT_EQ(type, kernel_node);
  graph_exec* exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, g, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, s), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, s), cudaSuccess);
  EXPECT_TRUE(m.is_transposed());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_F(Runtime, GraphsSayHowMuchTheyAllocated) {
  enum { used, most_used, reserved, most_reserved };
  const auto bytes = [](int which) {
    std::uint64_t n = ~std::uint64_t{0};
    EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, which, &n), cudaSuccess);
    return n;
  };
  graph* g = nullptr;
  node* n = nullptr;
  allocation_node_parameters asked{};
  asked.bytes = 5000;
  ASSERT_EQ(cudaGraphCreate(&g, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemAllocNode(&n, g, nullptr, 0, &asked), cudaSuccess);
  graph_exec* exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, g, 0), cudaSuccess);
  EXPECT_EQ(bytes(used), 0u);
  ASSERT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  EXPECT_EQ(bytes(used), 5000u);
  EXPECT_EQ(bytes(reserved), 5000u);
  ASSERT_EQ(cudaFree(asked.pointer), cudaSuccess);
  EXPECT_EQ(bytes(used), 0u);
  EXPECT_EQ(bytes(most_used), 5000u);
  std::uint64_t zero = 0;
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(0, used, &zero), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(0, most_reserved, &zero), cudaSuccess);
  EXPECT_EQ(bytes(most_reserved), 0u);
  EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, 4, &zero), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(Runtime, EventsTellTheEmulatorsTime) {
  matrices m;
  event *begin = nullptr, *end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float time = 0;
  EXPECT_EQ(cudaEventElapsedTime(&time, begin, end), cudaErrorInvalidResourceHandle);  // not recorded
  cudaEventRecord(begin, nullptr);
  ASSERT_EQ(m.transpose(), cudaSuccess);
  cudaEventRecord(end, nullptr);
  EXPECT_EQ(cudaEventElapsedTime(&time, begin, end), cudaSuccess);
  EXPECT_GT(time, 0.001f);
  EXPECT_LT(time, 1.0f);
  cudaGetLastError();
}

TEST_F(Runtime, KnowsTheDeviceAndItsFunctions) {
  device_properties p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_EQ(cudaGetDeviceProperties(&p, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(p.major[0] * 10 + p.minor[0], 90);
  EXPECT_EQ(p.sharedMemPerBlockOptin[0], 232448u);
  EXPECT_EQ(p.multiProcessorCount[0], 132);
  function_attributes a;
  ASSERT_EQ(cudaFuncGetAttributes(&a, &transpose_stub), cudaSuccess);
  EXPECT_EQ(a.static_shared_bytes, 4096u);
  EXPECT_EQ(a.binary_version, 90);
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &transpose_stub, 256, 0), cudaSuccess);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &transpose_stub, 256, 100 << 10), cudaSuccess);
  EXPECT_EQ(blocks, 2);
  // The expected values are the answers of an H200 for blocks that fill a multiprocessor.
  for (const auto& [size, clusters] :
       {std::pair{1u, 132}, {2, 66}, {3, 39}, {4, 30}, {5, 22}, {6, 17}, {7, 15}, {8, 15}, {16, 7}}) {
    launch_attribute cluster{launch_cluster, {}, {}};
    cluster.cluster = {size, 1, 1};
    const launch_config config{{size * 100, 1, 1}, {1024, 1, 1}, 200000, nullptr, &cluster, 1};
    EXPECT_EQ(cudaOccupancyMaxActiveClusters(&blocks, &transpose_stub, &config), cudaSuccess);
    EXPECT_EQ(blocks, clusters) << size;
  }
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorName(static_cast<error>(12345)), "unrecognized error code");
  cudaGetLastError();
}

TEST_F(Runtime, LoadsLibrariesAndLaunchesTheirKernels) {
  const auto cubin = test::read_bytes(test::source_path("examples/transpose.cubin"));
  struct module* library = nullptr;
  struct function *kernel = nullptr, *listed[8] = {};
  unsigned count = 0;
  ASSERT_EQ(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaLibraryGetKernel(&kernel, library, "_Z15transpose_plainPfPKfi"), cudaSuccess);
  EXPECT_EQ(cudaLibraryGetKernelCount(&count, library), cudaSuccess);
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(cudaLibraryEnumerateKernels(listed, 8, library), cudaSuccess);
  EXPECT_EQ(std::count(listed, listed + 8, kernel), 1);
  EXPECT_EQ(cudaKernelSetAttributeForDevice(kernel, max_dynamic_shared, 100 << 10, 0), cudaSuccess);
  EXPECT_EQ(cudaKernelSetAttributeForDevice(kernel, max_dynamic_shared, 100 << 10, 1), cudaErrorInvalidDevice);
  matrices m;
  EXPECT_EQ(launch(kernel, {side / 32, side / 32, 1}, {32, 8, 1}, {&m.out, &m.in, &m.n}, 90 << 10), cudaSuccess);
  EXPECT_TRUE(m.is_transposed());

  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "nobody"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetGlobal(nullptr, nullptr, library, "nobody"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
  EXPECT_EQ(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLibraryLoadFromFile(&library, "/nowhere.cubin", nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorFileNotFound);
  const std::string path = test::source_path("examples/transpose.cubin");
  EXPECT_EQ(cudaLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
  cudaGetLastError();
}

TEST_F(Runtime, WhatIsNotThereSaysSo) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaImportExternalMemory(nullptr, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "bankwise: bankwise's CUDA runtime does not have the function "
      "cudaImportExternalMemory yet, so the call returns cudaErrorNotSupported\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST_F(Runtime, ADamagedFatbinIsAnErrorOfTheLaunch) {
  static char stub;
  test::register_kernel(std::vector<std::byte>(200, std::byte{0x5a}), "kernel", &stub);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(&stub, {1, 1, 1}, {32, 1, 1}, {}), cudaErrorNoKernelImageForDevice);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("this is not an ELF file"), std::string::npos);
  cudaGetLastError();
}

// CUDA 13 made these structures larger. So a program of CUDA 12 passes the smaller structures.
template <class Told>
struct with_what_follows {
  Told told;
  unsigned char after[32];

  with_what_follows() { std::memset(static_cast<void*>(this), 0x5a, sizeof *this); }
  bool is_all_within() const { return std::count(std::begin(after), std::end(after), 0x5a) == sizeof after; }
};
TEST_F(Runtime, TellsOfATextureWithinTheProgramsStructures) {
  void* at = nullptr;
  ASSERT_EQ(cudaMalloc(&at, 256), cudaSuccess);
  runtime_resource resource{};
  resource.kind = linear_resource;
  resource.linear = {at, {32, 0, 0, 0, 2}, 256};
  given_resource given{};
  given = resource;
  const runtime_texture how{};
  unsigned long long object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &given, &how, nullptr), cudaSuccess);
  with_what_follows<given_resource> found;
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&found.told, object), cudaSuccess);
  EXPECT_EQ(found.told.whole().linear.at, at);
  EXPECT_TRUE(found.is_all_within());
  with_what_follows<given_view> view;
  EXPECT_EQ(cudaGetTextureObjectResourceViewDesc(&view.told, object), cudaSuccess);
  EXPECT_EQ(view.told.whole().width, 0u);
  EXPECT_TRUE(view.is_all_within());
  EXPECT_EQ(cudaDestroyTextureObject(object), cudaSuccess);
  EXPECT_EQ(cudaFree(at), cudaSuccess);
}

}  // namespace
}  // namespace bankwise::cuda
