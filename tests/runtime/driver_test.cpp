// Calls the stand-in CUDA driver as a program does, with cubins in the source tree. The test needs neither a toolkit
// nor a GPU. It is also linked with the stand-in runtime, which shares the driver's memory and device.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cudart/entries.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "support/fatbin.hpp"
#include "support/files.hpp"

namespace bankwise::cuda {
namespace {

using status = driver_status;

// Declares a driver function that bankwise does not support.
extern "C" {
status cuTexRefCreate(void**);
}

constexpr int side = 64;
constexpr char transpose_name[] = "_Z15transpose_plainPfPKfi";

class Driver : public testing::Test {
 protected:
  Driver() : image(test::read_bytes(test::source_path("examples/transpose.cubin"))), values(side * side) {
    std::iota(values.begin(), values.end(), 0.0f);
  }
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&made, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&code, image.data()), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&transpose, code, transpose_name), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&out, bytes), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&in, bytes), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyHtoD_v2(in, values.data(), bytes), CUDA_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cuCtxDestroy_v2(made), CUDA_SUCCESS); }

  status launch(stream* on = nullptr) {
    void* arguments[] = {&out, &in, &n};
    return cuLaunchKernel(transpose, side / 32, side / 32, 1, 32, 8, 1, 0, on, arguments, nullptr);
  }
  bool is_transposed() const {
    std::vector<float> got(side * side);
    EXPECT_EQ(cuMemcpyDtoH_v2(got.data(), out, bytes), CUDA_SUCCESS);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        if (got[y * side + x] != values[x * side + y]) return false;
    return true;
  }

  static constexpr std::size_t bytes = sizeof(float) * side * side;
  std::vector<std::byte> image;
  std::vector<float> values;
  context* made = nullptr;
  module* code = nullptr;
  function* transpose = nullptr;
  device_pointer out = 0, in = 0;
  int n = side;
};

TEST_F(Driver, LaunchesAFunctionOfAModule) {
  EXPECT_FALSE(is_transposed());
  ASSERT_EQ(launch(), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(is_transposed());
}

TEST_F(Driver, TakesParametersAsOnePieceOfMemory) {
  struct {
    device_pointer out, in;
    int n;
  } parameters{out, in, n};
  std::size_t size = 20;  // the last parameter is an int at offset 16, so there are 20 bytes
  void* extra[] = {reinterpret_cast<void*>(launch_buffer), &parameters, reinterpret_cast<void*>(launch_buffer_size),
                   &size, nullptr};
  EXPECT_EQ(cuLaunchKernel(transpose, 2, 2, 1, 32, 8, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  EXPECT_TRUE(is_transposed());
  size = 16;
  EXPECT_EQ(cuLaunchKernel(transpose, 2, 2, 1, 32, 8, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  extra[0] = reinterpret_cast<void*>(std::uintptr_t{7});
  EXPECT_EQ(cuLaunchKernel(transpose, 2, 2, 1, 32, 8, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, PassesParametersOfTheLargestSize) {
  const std::vector<std::byte> large = test::read_bytes(test::source_path("tests/kernels/parameters.cubin"));
  module* m = nullptr;
  function* sum = nullptr;
  ASSERT_EQ(cuModuleLoadData(&m, large.data()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&sum, m, "_Z3sum7numbersjPj"), CUDA_SUCCESS);
  std::vector<unsigned> numbers(8000);
  std::iota(numbers.begin(), numbers.end(), 0u);
  unsigned from = 4000, total = 0;
  device_pointer to = 0;
  ASSERT_EQ(cuMemAlloc_v2(&to, 4), CUDA_SUCCESS);
  void* arguments[] = {numbers.data(), &from, &to};
  ASSERT_EQ(cuLaunchKernel(sum, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH_v2(&total, to, 4), CUDA_SUCCESS);
  EXPECT_EQ(total, std::accumulate(numbers.begin() + 4000, numbers.end(), 0u));
}

TEST_F(Driver, RefusesWhatTheDeviceRefuses) {
  void* arguments[] = {&out, &in, &n};
  EXPECT_EQ(cuLaunchKernel(transpose, 1, 1, 1, 1025, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(nullptr, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_HANDLE);
  function* nobody = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&nobody, code, "nobody"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuMemFree_v2(out + 4), CUDA_ERROR_INVALID_VALUE);
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, 1, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, 100000, 0), CUDA_ERROR_INVALID_VALUE);
  testing::internal::CaptureStderr();
  module* none = nullptr;
  EXPECT_EQ(cuModuleLoad(&none, "/nowhere/at/all.cubin"), CUDA_ERROR_FILE_NOT_FOUND);
  std::vector<std::byte> damaged(image.begin(), image.end());
  std::memset(damaged.data() + 0x10, 0x7f, 4);  // overwrites the kind of the ELF file
  EXPECT_EQ(cuModuleLoadData(&none, damaged.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Driver, ContextsStackUpAndOwnWhatIsMadeInThem) {
  context *current = nullptr, *primary = nullptr, *second = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, made);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  EXPECT_NE(primary, made);
  ASSERT_EQ(cuCtxCreate_v2(&second, 0, 0), CUDA_SUCCESS);
  device_pointer there = 0;
  ASSERT_EQ(cuMemAlloc_v2(&there, 256), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(second), CUDA_SUCCESS);  // destroying a context also releases its memory
  EXPECT_EQ(cuMemFree_v2(there), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxPushCurrent_v2(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, made);
  // Every thread has its own stack of contexts. Objects that were made in one thread can be used in another thread.
  std::thread([&] {
    EXPECT_EQ(launch(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxSetCurrent(made), CUDA_SUCCESS);
    EXPECT_EQ(launch(), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxPopCurrent_v2(&current), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxPopCurrent_v2(&current), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  EXPECT_TRUE(is_transposed());
}

// Uses a stream, an event and memory while no context is current. Each of these objects belongs to the context that
// made it.
TEST_F(Driver, StreamsEventsAndMemoryHaveContextsOfTheirOwn) {
  stream* on = nullptr;
  event* done = nullptr;
  device_pointer managed = 0, pooled = 0;
  ASSERT_EQ(cuStreamCreate(&on, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&done, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocManaged(&managed, 64, 1), CUDA_SUCCESS);
  std::vector<float> got(side * side);
  context* owner = nullptr;
  std::thread([&] {
    EXPECT_EQ(launch(on), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(got.data(), out, bytes, on), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(done, on), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(done), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(on), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAllocAsync(&pooled, 64, on), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(pooled, 7, 64, on), CUDA_SUCCESS);
    driver_copy_3d c{};
    c.from_type = c.to_type = on_device;
    c.from_device = pooled, c.to_device = managed;
    c.width = 32, c.height = c.depth = 1;
    EXPECT_EQ(cuMemcpy3DAsync_v2(&c, on), CUDA_SUCCESS);
    c.width = 64;
    EXPECT_EQ(cuMemcpy3DPeer(&c), CUDA_SUCCESS);
    EXPECT_EQ(reinterpret_cast<const char*>(managed)[63], 7);
    EXPECT_EQ(cuPointerGetAttribute(&owner, pointer_context, pooled), CUDA_SUCCESS);
    EXPECT_EQ(owner, made);
    EXPECT_EQ(cuStreamGetCtx(on, &owner), CUDA_SUCCESS);
    EXPECT_EQ(owner, made);
    EXPECT_EQ(cuMemFreeAsync(pooled, on), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(managed), CUDA_SUCCESS);
    // The handles of the default streams mean the streams of the current context.
    for (const std::uintptr_t handle : {0, 1, 2}) {
      stream* const of_nobody = reinterpret_cast<stream*>(handle);
      EXPECT_EQ(launch(of_nobody), CUDA_ERROR_INVALID_CONTEXT);
      EXPECT_EQ(cuMemsetD8Async(out, 7, 4, of_nobody), CUDA_ERROR_INVALID_CONTEXT);
      EXPECT_EQ(cuEventRecord(done, of_nobody), CUDA_ERROR_INVALID_CONTEXT);
      EXPECT_EQ(cuMemAllocAsync(&pooled, 64, of_nobody), CUDA_ERROR_INVALID_CONTEXT);
    }
    EXPECT_EQ(cuMemcpyDtoH_v2(got.data(), out, bytes), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  EXPECT_EQ(got[1], values[side]);
}

TEST_F(Driver, PoolsCountWhatIsInUse) {
  constexpr int internal_reuse = 3, kept = 4, reserved = 5, reserved_most = 6, used = 7, used_most = 8;
  constexpr std::uint64_t piece = 32 << 20;
  const pool_properties pinned{1, 0, {1, 0}};
  pool *own = nullptr, *current = nullptr, *usual = nullptr;
  ASSERT_EQ(cuMemPoolCreate(&own, &pinned), CUDA_SUCCESS);
  const auto number = [](pool* p, int which) {
    std::uint64_t value = 77;
    EXPECT_EQ(cuMemPoolGetAttribute(p, which, &value), CUDA_SUCCESS);
    return value;
  };
  device_pointer first = 0, second = 0, third = 0;
  EXPECT_EQ(number(own, reserved), 0u);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&first, 1000, own, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&second, 2000, own, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(number(own, used), 3000u);
  EXPECT_EQ(number(own, reserved), piece);
  ASSERT_EQ(cuMemFreeAsync(second, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(number(own, used), 1000u);
  EXPECT_EQ(number(own, used_most), 3000u);
  std::uint64_t zero = 0, one = 1, keep = 3 * piece;
  EXPECT_EQ(cuMemPoolSetAttribute(own, used_most, &one), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolSetAttribute(own, used, &zero), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolSetAttribute(own, used_most, &zero), CUDA_SUCCESS);
  EXPECT_EQ(number(own, used_most), 1000u);
  int flag = 0;
  EXPECT_EQ(cuMemPoolSetAttribute(own, internal_reuse, &flag), CUDA_SUCCESS);
  flag = 1;
  EXPECT_EQ(cuMemPoolGetAttribute(own, internal_reuse, &flag), CUDA_SUCCESS);
  EXPECT_EQ(flag, 0);
  // Released memory is returned to the device, except for the amount that the pool must keep.
  EXPECT_EQ(cuMemPoolSetAttribute(own, kept, &keep), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&third, 2 * piece, own, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(number(own, reserved), 3 * piece);
  ASSERT_EQ(cuMemFree_v2(third), CUDA_SUCCESS);
  EXPECT_EQ(number(own, reserved), 3 * piece);
  EXPECT_EQ(cuMemPoolTrimTo(own, piece + 1), CUDA_SUCCESS);
  EXPECT_EQ(number(own, reserved), 2 * piece);
  EXPECT_EQ(cuMemPoolTrimTo(own, 0), CUDA_SUCCESS);
  EXPECT_EQ(number(own, reserved), piece);
  EXPECT_EQ(number(own, reserved_most), 3 * piece);
  // Allocations without a pool come from the device's current pool.
  ASSERT_EQ(cuDeviceSetMemPool(0, own), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetMemPool(&current, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&usual, 0), CUDA_SUCCESS);
  EXPECT_EQ(current, own);
  EXPECT_NE(usual, own);
  const std::uint64_t of_usual = number(usual, used);
  ASSERT_EQ(cuMemAllocAsync(&second, 500, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(number(own, used), 1500u);
  EXPECT_EQ(number(usual, used), of_usual);
  EXPECT_EQ(cuMemPoolDestroy(own), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetMemPool(&current, 0), CUDA_SUCCESS);
  EXPECT_EQ(current, usual);
  EXPECT_EQ(cuMemFreeAsync(second, nullptr), CUDA_SUCCESS);
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&free, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetInfo_v2(nullptr, &total), CUDA_SUCCESS);
  EXPECT_LT(free, total);
}

TEST_F(Driver, FindsTheDeviceByEveryFormOfItsPlace) {
  int device = 5;
  for (const char* id : {"0000:01:00.0", "0:1:0", "01:00.0", "00000000:01:00.0", "0000:01:00"}) {
    EXPECT_EQ(cuDeviceGetByPCIBusId(&device, id), CUDA_SUCCESS) << id;
    EXPECT_EQ(device, 0);
    device = 5;
  }
  for (const char* id : {"", ":", "0000:02:00.0", "1:1:0", "01:00", "0:1:0.1", "0:1:0.", "0:1:x", "0:0:1:0", "0:1:"})
    EXPECT_EQ(cuDeviceGetByPCIBusId(&device, id), CUDA_ERROR_INVALID_DEVICE) << id;
}

TEST_F(Driver, SharesItsMemoryWithTheRuntime) {
  ASSERT_EQ(launch(), CUDA_SUCCESS);
  std::vector<float> got(side * side);
  EXPECT_EQ(cudaMemcpy(got.data(), reinterpret_cast<void*>(out), bytes, device_to_host), cudaSuccess);
  EXPECT_EQ(got[1], values[side]);
  void* from_runtime = nullptr;
  ASSERT_EQ(cudaMalloc(&from_runtime, bytes), cudaSuccess);
  out = reinterpret_cast<device_pointer>(from_runtime);
  ASSERT_EQ(launch(), CUDA_SUCCESS);
  EXPECT_TRUE(is_transposed());
  // An error of the driver is not an error of the runtime.
  EXPECT_EQ(cuMemFree_v2(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Driver, LoadsLibrariesAndFatbins) {
  const std::vector<std::byte> fatbin = test::fatbin_of(image);
  module* library = nullptr;
  function* kernel = nullptr;
  ASSERT_EQ(cuLibraryLoadData(&library, fatbin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, transpose_name), CUDA_SUCCESS);
  EXPECT_NE(kernel, transpose);
  std::swap(kernel, transpose);
  ASSERT_EQ(launch(), CUDA_SUCCESS);
  EXPECT_TRUE(is_transposed());
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, ModulesHaveVariablesOfTheirOwn) {
  const std::vector<std::byte> twice = test::read_bytes(test::source_path("tests/kernels/printing.cubin"));
  module *first = nullptr, *second = nullptr;
  ASSERT_EQ(cuModuleLoadData(&first, twice.data()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&second, twice.data()), CUDA_SUCCESS);
  for (const char* name : {"head", "greeting"}) {  // __device__, __constant__
    device_pointer a = 0, b = 0;
    std::size_t size = 0;
    ASSERT_EQ(cuModuleGetGlobal_v2(&a, &size, first, name), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetGlobal_v2(&b, nullptr, second, name), CUDA_SUCCESS);
    EXPECT_GE(size, 4u);
    EXPECT_NE(a, b);
    int value = 42;
    ASSERT_EQ(cuMemcpyHtoD_v2(a, &value, 4), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyDtoH_v2(&value, b, 4), CUDA_SUCCESS);
    EXPECT_NE(value, 42);
  }
  EXPECT_EQ(cuModuleUnload(first), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(second), CUDA_SUCCESS);
}

TEST_F(Driver, KnowsItsFunctions) {
  int value = 0;
  EXPECT_EQ(cuFuncGetAttribute(&value, static_shared_attribute, transpose), CUDA_SUCCESS);
  EXPECT_EQ(value, 4096);
  EXPECT_EQ(cuFuncGetAttribute(&value, binary_version_attribute, transpose), CUDA_SUCCESS);
  EXPECT_EQ(value, 90);
  EXPECT_EQ(cuFuncSetAttribute(transpose, max_dynamic_shared_attribute, 232448), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(transpose, max_dynamic_shared_attribute, 100000), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncGetAttribute(&value, max_dynamic_shared_attribute, transpose), CUDA_SUCCESS);
  EXPECT_EQ(value, 100000);
  int blocks = 0, grid = 0, block = 0;
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, transpose, 256, 0), CUDA_SUCCESS);
  EXPECT_EQ(blocks, 8);
  // Three blocks of 60 KiB fit. So the suggestion is the block size that uses most of the 2,048 threads.
  EXPECT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, transpose, nullptr, 60 << 10, 0), CUDA_SUCCESS);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 2 * 132);
}

TEST_F(Driver, CopiesAndFillsBoxes) {
  std::size_t pitch = 0;
  device_pointer rows = 0;
  ASSERT_EQ(cuMemAllocPitch_v2(&rows, &pitch, 10, 3, 4), CUDA_SUCCESS);
  EXPECT_EQ(pitch, 512u);
  ASSERT_EQ(cuMemsetD16_v2(rows, 0x4241, pitch * 3 / 2), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD2D32_v2(rows, pitch, 0x78787878, 1, 3), CUDA_SUCCESS);
  char got[31] = "";
  driver_copy_2d c{};
  c.from_type = on_device;
  c.from_device = rows;
  c.from_pitch = pitch;
  c.from_x = 2;
  c.from_y = 1;
  c.to_type = on_host;
  c.to_host = got;
  c.to_pitch = 10;
  c.width = 6;
  c.height = 2;
  ASSERT_EQ(cuMemcpy2D_v2(&c), CUDA_SUCCESS);
  EXPECT_EQ(std::string(got, 6), "xxABAB");
  EXPECT_EQ(std::string(got + 10, 6), "xxABAB");
  c.height = 3;
  EXPECT_EQ(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_VALUE);
  device_pointer begin = 0;
  std::size_t size = 0;
  EXPECT_EQ(cuMemGetAddressRange_v2(&begin, &size, rows + 700), CUDA_SUCCESS);
  EXPECT_EQ(begin, rows);
  EXPECT_EQ(size, 3 * pitch);
  unsigned type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, pointer_memory_type, rows + 700), CUDA_SUCCESS);
  EXPECT_EQ(type, on_device);
  EXPECT_EQ(cuPointerGetAttribute(&type, pointer_memory_type, reinterpret_cast<device_pointer>(&c)),
            CUDA_ERROR_INVALID_VALUE);
}

// Two pieces of memory are mapped to adjacent addresses. A copy and a kernel access both pieces at once.
TEST_F(Driver, MapsMemoryBehindAddresses) {
  const allocation_properties pinned{1, 0, {1, 0}};
  std::size_t unit = 0;
  ASSERT_EQ(cuMemGetAllocationGranularity(&unit, &pinned, 0), CUDA_SUCCESS);
  device_pointer range = 0;
  ASSERT_EQ(cuMemAddressReserve(&range, 3 * unit, 0, 0, 0), CUDA_SUCCESS);
  physical_handle pieces[2] = {};
  for (physical_handle& p : pieces) ASSERT_EQ(cuMemCreate(&p, unit, &pinned, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemCreate(&pieces[0], unit + 1, &pinned, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemMap(range, unit, 0, pieces[0], 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(range + unit, unit, 0, pieces[1], 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(range + unit, unit, 0, pieces[0], 0), CUDA_ERROR_INVALID_VALUE);  // already mapped
  const device_pointer over_the_seam = range + unit - bytes / 2;
  EXPECT_EQ(cuMemcpyHtoD_v2(over_the_seam, values.data(), bytes), CUDA_ERROR_INVALID_VALUE);  // not accessible yet
  const access_description both{{1, 0}, 3};
  ASSERT_EQ(cuMemSetAccess(range, 2 * unit, &both, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD_v2(over_the_seam, values.data(), bytes), CUDA_SUCCESS);
  in = over_the_seam;
  ASSERT_EQ(launch(), CUDA_SUCCESS);
  EXPECT_TRUE(is_transposed());
  EXPECT_EQ(cuMemcpyHtoD_v2(range + 2 * unit - 4, values.data(), 8), CUDA_ERROR_INVALID_VALUE);
  // Memory exists as long as it is mapped, even after the program has released its handle. The memory can be mapped
  // again at other addresses.
  ASSERT_EQ(cuMemMap(range + 2 * unit, unit, 0, pieces[0], 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemSetAccess(range + 2 * unit, unit, &both, 1), CUDA_SUCCESS);
  float first = -1;
  EXPECT_EQ(cuMemcpyDtoH_v2(&first, range + 3 * unit - bytes / 2 + 4, 4), CUDA_SUCCESS);
  EXPECT_EQ(first, values[1]);
  for (physical_handle p : pieces) EXPECT_EQ(cuMemRelease(p), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(range, 3 * unit), CUDA_ERROR_INVALID_VALUE);  // still mapped
  EXPECT_EQ(cuMemUnmap(range, 3 * unit), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(range, 3 * unit), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoD_v2(range, values.data(), 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, CapturesStreams) {
  stream* on = nullptr;
  graph* captured = nullptr;
  graph_exec* exec = nullptr;
  ASSERT_EQ(cuStreamCreate(&on, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(on, 0), CUDA_SUCCESS);
  ASSERT_EQ(launch(on), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(on, &captured), CUDA_SUCCESS);
  EXPECT_FALSE(is_transposed());
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, captured, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, on), CUDA_SUCCESS);
  EXPECT_TRUE(is_transposed());
}

TEST_F(Driver, GivesEntryPointsByNameAndVersion) {
  void *old = nullptr, *now = nullptr;
  proc_status why{};
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &now, 12000, 0, &why), CUDA_SUCCESS);
  EXPECT_EQ(now, reinterpret_cast<void*>(cuMemAlloc_v2));
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &old, 3000, 0, &why), CUDA_SUCCESS);
  EXPECT_NE(old, now);
  // The function is not available in this version. As with NVIDIA's driver, the call still succeeds if the caller
  // passes a pointer for the reason.
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &old, 1000, 0, &why), CUDA_SUCCESS);
  EXPECT_EQ(why, proc_status::version_too_old);
  EXPECT_EQ(cuGetProcAddress_v2("cuNobody", &old, 12000, 0, &why), CUDA_SUCCESS);
  EXPECT_EQ(why, proc_status::not_there);
  EXPECT_EQ(cuGetProcAddress_v2("cuNobody", &old, 12000, 0, nullptr), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(old, nullptr);
}

// The name of one form of a function returns this form. With the flag for default streams of each thread, a name
// returns the form that ends with _ptsz or _ptds.
TEST_F(Driver, GivesEachFormByItsName) {
  const auto check = [](const char* name, int since, const std::string& ending) {
    void* address = nullptr;
    EXPECT_EQ(cuGetProcAddress(name, &address, since, 0), CUDA_SUCCESS) << name;
    EXPECT_NE(address, nullptr) << name;
    EXPECT_EQ(address, ::dlsym(RTLD_DEFAULT, name)) << name;
    const std::string of_threads = ending == "plain" ? name : std::string(name) + "_" + ending;
    EXPECT_EQ(cuGetProcAddress(name, &address, since, 2), CUDA_SUCCESS) << name;
    EXPECT_EQ(address, ::dlsym(RTLD_DEFAULT, of_threads.c_str())) << of_threads;
    EXPECT_EQ(cuGetProcAddress(name, &address, since - 1, 0), CUDA_ERROR_NOT_FOUND) << name;
  };
#define ENTRY(since, name, form, ...) check(#name, since, #form);
#define MISSING ENTRY
#include "runtime/driver/entries/entries.def"
}

TEST_F(Driver, NamesItsErrors) {
  const char *name = nullptr, *text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "an illegal memory access was encountered");
  EXPECT_EQ(cuGetErrorName(static_cast<status>(12345), &name), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
#define STATUS(code, status_name)                                \
  EXPECT_EQ(cuGetErrorString(status_name, &text), CUDA_SUCCESS); \
  EXPECT_NE(text, nullptr) << #status_name;
#include "runtime/device/statuses.def"
#undef STATUS
}

TEST_F(Driver, WhatIsNotThereSaysSo) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuTexRefCreate(nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "bankwise: bankwise's CUDA driver does not have the function cuTexRefCreate "
            "yet, so the call returns CUDA_ERROR_NOT_SUPPORTED\n");
}

// Runs in a separate process that has not called CUDA yet.
TEST(DriverDeathTest, NeedsCuInitAndAContext) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        int count = 0;
        device_pointer p = 0;
        const bool right = cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_SUCCESS &&
                           cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 1 &&
                           cuMemAlloc_v2(&p, 4) == CUDA_ERROR_INVALID_CONTEXT;
        std::_Exit(right ? 7 : 1);
      },
      testing::ExitedWithCode(7), "");
}

// Returns -1 if the call failed, and puts the status of the call into `failed`.
int is_primary_context_active(status& failed) {
  unsigned flags = 0;
  int active = -1;
  failed = cuDevicePrimaryCtxGetState(0, &flags, &active);
  return active;
}

bool the_runtime_initialises_it() {
  status s = CUDA_SUCCESS;
  int number = 0, elsewhere = -1;
  bool right = cudaDriverGetVersion(&number) == cudaSuccess && number == 13000;
  right &= is_primary_context_active(s) == -1 && s == CUDA_ERROR_NOT_INITIALIZED;
  right &= cudaGetDeviceCount(&number) == cudaSuccess && number == 1 && is_primary_context_active(s) == 0;
  right &= cudaFree(nullptr) == cudaSuccess && is_primary_context_active(s) == 1;
  std::thread([&] { elsewhere = is_primary_context_active(s); }).join();
  right &= elsewhere == 1 && cudaDeviceReset() == cudaSuccess && is_primary_context_active(s) == 0;
  return right && cudaFree(nullptr) == cudaSuccess && is_primary_context_active(s) == 1;
}

// PyTorch's first calls ask for properties of the device. They initialise the driver, but make no context.
TEST(DriverDeathTest, TheRuntimeInitialisesIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(the_runtime_initialises_it() ? 7 : 1), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace bankwise::cuda
