// A Compute Sanitizer library that needs no GPU. The host's memory is the device's memory, and a launch counts one
// access for each warp. A block has eight warps. tests/record/gpu_program.cpp uses this library to simulate the driver,
// so that `bankwise record` runs as a whole.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "gpu/record/launch_table.hpp"
#include "gpu/record/sanitizer_abi.hpp"
#include "sanitizer.hpp"

using namespace bankwise;
using namespace bankwise::record;

namespace {

event_function listener = nullptr;
bool ends = false;
void* user = nullptr;
auto& mutex = *new std::mutex;
thread_local launch_table* table = nullptr;  // table of the launch that this thread executes

// Each loaded module has a different address, even if its handle is reused. The map must outlive the program's
// destructors.
auto& places = *new std::map<handle, std::uint64_t>;
std::uint64_t pc_of(handle module) {
  const std::lock_guard lock(mutex);
  return places[module];
}
void place(handle module) {
  static std::uint64_t next = 0x7f0000000000;
  const std::lock_guard lock(mutex);
  places[module] = next += 0x100000;
}

template <class Data>
void tell(domain in, auto event, const Data& data) {
  if (listener != nullptr) listener(user, static_cast<std::uint32_t>(in), static_cast<std::uint32_t>(event), &data);
}

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) std::uint32_t

API sanitizerSubscribe(handle* subscriber, event_function function, void* with) {
  *subscriber = &listener;
  listener = function;
  user = with;
  return 0;
}
API sanitizerEnableDomain(std::uint32_t, handle, std::uint32_t) { return 0; }
API sanitizerEnableCallback(std::uint32_t, handle, std::uint32_t, std::uint32_t) { return 0; }
API sanitizerAddPatches(const void*, handle) { return 0; }
API sanitizerPatchInstructions(std::uint32_t, handle, const char*) { return 0; }
API sanitizerPatchModule(handle) { return 0; }
API sanitizerUnpatchModule(handle) { return 0; }
API sanitizerSetLaunchCallbackData(handle, handle, handle, const void* data) {
  table = static_cast<launch_table*>(const_cast<void*>(data));
  return 0;
}
API sanitizerGetFunctionPcAndSize(handle module, const char*, std::uint64_t* pc, std::uint64_t* bytes) {
  *pc = pc_of(module);
  *bytes = 0x10000;
  return 0;
}
API sanitizerAlloc(handle, void** pointer, std::size_t bytes) {
  *pointer = std::calloc(1, bytes);
  return *pointer != nullptr ? 0 : 1;
}
API sanitizerFree(handle, void* pointer) {
  if (ends) std::puts("memory of the device is freed while the process ends");
  std::free(pointer);
  return 0;
}
API sanitizerAllocHost(handle context, void** pointer, std::size_t bytes) {
  return sanitizerAlloc(context, pointer, bytes);
}
API sanitizerFreeHost(handle context, void* pointer) { return sanitizerFree(context, pointer); }
API sanitizerMemset(void* pointer, int value, std::size_t bytes, handle) {
  std::memset(pointer, value, bytes);
  return 0;
}
API sanitizerMemcpyHostToDeviceAsync(void* to, void* from, std::size_t bytes, handle) {
  std::memcpy(to, from, bytes);
  return 0;
}
API sanitizerMemcpyDeviceToHost(void* to, void* from, std::size_t bytes, handle) {
  std::memcpy(to, from, bytes);
  return 0;
}
API sanitizerStreamSynchronize(handle) { return 0; }
API sanitizerGetResultString(std::uint32_t, const char** text) {
  *text = "an error";
  return 0;
}

extern "C" __attribute__((visibility("default"))) void play_load(handle context, handle module, const char* cubin,
                                                                 std::size_t bytes) {
  place(module);
  tell(domain::resource, resource_event::module_loaded, module_data{context, module, bytes, cubin});
}
extern "C" __attribute__((visibility("default"))) void play_unload(handle context, handle module) {
  tell(domain::resource, resource_event::module_unload_starting, module_data{context, module, 0, nullptr});
}
extern "C" __attribute__((visibility("default"))) void play_destroy(handle context) {
  tell(domain::resource, resource_event::context_destroy_starting, context_data{context, 0});
}
// After this call, no code may call the library to free resources. NVIDIA's library may end before the program ends.
extern "C" __attribute__((visibility("default"))) void play_end() { ends = true; }
extern "C" __attribute__((visibility("default"))) void play_launch(const played_launch* l) {
  const launch_arguments arguments{l->module, {l->blocks, 1, 1}, {32, 8, 1}, 0, nullptr};
  tell(domain::driver, driver_call::launch_kernel,
       call_data{0, "cuLaunchKernel", &arguments, nullptr, l->kernel, l->context});
  launch_data d{};
  d.context = l->context;
  d.module = d.function = l->module;
  d.name = l->kernel;
  d.grid[0] = l->blocks;
  d.grid[1] = d.grid[2] = d.block[2] = 1;
  d.block[0] = 32;
  d.block[1] = 8;
  d.launch = &table;  // each thread has its own table
  table = nullptr;
  tell(domain::launch, launch_event::begin, d);
  if (table != nullptr) {
    pattern& p = table->patterns[0];
    p.pc = static_cast<u32>(pc_of(l->module)) + l->offset;
    p.mask = ~0u;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) p.address[lane] = 1024 + 128 * lane;
    table->counts[0] = l->blocks * 8u;
  }
  tell(domain::launch, launch_event::end, d);
}
