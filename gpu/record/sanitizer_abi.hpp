// The part of NVIDIA's Compute Sanitizer API that bankwise uses. The declarations are our own, so that bankwise can be
// built without NVIDIA's headers. The library is loaded from the user's toolkit when a program is recorded. If NVIDIA's
// headers are installed, sanitizer_abi_test compares the declarations with them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bankwise::record {

// The address of an object whose members only the driver knows.
using handle = void*;

enum class domain : std::uint32_t { driver = 1, resource = 3, launch = 5, graphs = 10 };

// The driver's functions that launch kernels, with their numbers in the API.
enum class driver_call : std::uint32_t {
  launch_kernel = 307,
  launch_kernel_per_thread = 442,
  launch_cooperative = 477,
  launch_cooperative_per_thread = 478,
  launch_graph = 514,
  launch_graph_per_thread = 515,
  launch_kernel_ex = 652,
  launch_kernel_ex_per_thread = 653,
};

enum class resource_event : std::uint32_t {
  context_destroy_starting = 4,
  module_loaded = 9,
  module_unload_starting = 10,
};
enum class launch_event : std::uint32_t { begin = 1, end = 3 };
enum class graph_event : std::uint32_t { node_launch_begin = 4, launch_end = 7 };

enum class instrumented : std::uint32_t { shared_access = 4, copy_async = 14, matrix_access = 19 };

struct call_data {
  std::uint32_t site;  // 0 means that the event occurs before the driver's call
  const char* function;
  const void* arguments;
  const void* returned;
  const char* kernel;  // mangled name
  handle context;
};
// launch_arguments has the arguments of cuLaunchKernel and cuLaunchCooperativeKernel. launch_ex_arguments has the
// arguments of cuLaunchKernelEx, whose first argument points to a launch_config.
struct launch_arguments {
  handle function;
  std::uint32_t grid[3], block[3], shared_bytes;
  handle stream;
};
struct launch_config {
  std::uint32_t grid[3], block[3], shared_bytes;
  handle stream;
};
struct launch_ex_arguments {
  const launch_config* config;
  handle function;
};

struct context_data {
  handle context;
  int device;
};

struct module_data {
  handle context, module;
  std::size_t cubin_bytes;
  const char* cubin;
};

struct launch_data {
  handle context, stream, stream_handle, module, function;
  const char* name;  // mangled name
  std::uint32_t grid[3], block[3], cluster[3];
  std::uint64_t grid_id;
  handle launch;
  int device;
};

struct graph_node_data {
  handle graph;
  std::uint32_t launch_id;
  handle node;
  std::uint32_t node_type;  // 0 means a kernel
  launch_data launch;
};

struct graph_data {
  handle context, stream, stream_handle, graph;
};

using event_function = void (*)(void* user, std::uint32_t in_domain, std::uint32_t event, const void* data);

// The functions of the API. Each function returns 0 or an error number. GetResultString describes this error.
#define BANKWISE_SANITIZER_FUNCTIONS(F)                                                                      \
  F(Subscribe, (handle * subscriber, event_function function, void* user))                                   \
  F(EnableDomain, (std::uint32_t enable, handle subscriber, std::uint32_t in_domain))                        \
  F(EnableCallback, (std::uint32_t enable, handle subscriber, std::uint32_t in_domain, std::uint32_t event)) \
  F(AddPatches, (const void* image, handle context))                                                         \
  F(PatchInstructions, (std::uint32_t what, handle module, const char* patch))                               \
  F(PatchModule, (handle module))                                                                            \
  F(UnpatchModule, (handle module))                                                                          \
  F(SetLaunchCallbackData, (handle launch, handle function, handle stream, const void* data))                \
  F(GetFunctionPcAndSize, (handle module, const char* name, std::uint64_t* pc, std::uint64_t* bytes))        \
  F(Alloc, (handle context, void** pointer, std::size_t bytes))                                              \
  F(Free, (handle context, void* pointer))                                                                   \
  F(AllocHost, (handle context, void** pointer, std::size_t bytes))                                          \
  F(FreeHost, (handle context, void* pointer))                                                               \
  F(Memset, (void* pointer, int value, std::size_t bytes, handle stream))                                    \
  F(MemcpyHostToDeviceAsync, (void* to, void* from, std::size_t bytes, handle stream))                       \
  F(MemcpyDeviceToHost, (void* to, void* from, std::size_t bytes, handle stream))                            \
  F(StreamSynchronize, (handle stream))                                                                      \
  F(GetResultString, (std::uint32_t result, const char** text))

// The functions of the API as pointers, so that tests can use their own functions.
struct sanitizer_api {
#define BANKWISE_MEMBER(name, arguments) std::uint32_t(*name) arguments = nullptr;
  BANKWISE_SANITIZER_FUNCTIONS(BANKWISE_MEMBER)
#undef BANKWISE_MEMBER
};

}  // namespace bankwise::record
