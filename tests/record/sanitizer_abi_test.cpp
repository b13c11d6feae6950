// Compares our declarations of the Compute Sanitizer API with NVIDIA's headers.
#include "gpu/record/sanitizer_abi.hpp"

#include <gtest/gtest.h>
#include <sanitizer.h>

// This header needs declarations from sanitizer.h.
#include <generated_cuda_meta.h>

#include <array>
#include <cstddef>
#include <type_traits>

namespace bankwise::record {
namespace {

#define SAME(ours, member, theirs, name) EXPECT_EQ(offsetof(ours, member), offsetof(theirs, name)) << #theirs "." #name

TEST(SanitizerAbi, StructuresHaveTheirMembersWhereNvidiaHasThem) {
  SAME(call_data, site, Sanitizer_CallbackData, callbackSite);
  SAME(call_data, arguments, Sanitizer_CallbackData, functionParams);
  SAME(call_data, kernel, Sanitizer_CallbackData, symbolName);
  SAME(call_data, context, Sanitizer_CallbackData, context);
  SAME(context_data, context, Sanitizer_ResourceContextData, context);
  SAME(module_data, context, Sanitizer_ResourceModuleData, context);
  SAME(module_data, module, Sanitizer_ResourceModuleData, module);
  SAME(module_data, cubin_bytes, Sanitizer_ResourceModuleData, cubinSize);
  SAME(module_data, cubin, Sanitizer_ResourceModuleData, pCubin);
  SAME(launch_data, stream_handle, Sanitizer_LaunchData, hStream);
  SAME(launch_data, module, Sanitizer_LaunchData, module);
  SAME(launch_data, function, Sanitizer_LaunchData, function);
  SAME(launch_data, name, Sanitizer_LaunchData, functionName);
  SAME(launch_data, grid, Sanitizer_LaunchData, gridDim_x);
  SAME(launch_data, block, Sanitizer_LaunchData, blockDim_x);
  SAME(launch_data, cluster, Sanitizer_LaunchData, clusterDim_x);
  SAME(launch_data, launch, Sanitizer_LaunchData, hLaunch);
  SAME(launch_data, device, Sanitizer_LaunchData, device);
  SAME(graph_node_data, graph, Sanitizer_GraphNodeLaunchData, graphExec);
  SAME(graph_node_data, node_type, Sanitizer_GraphNodeLaunchData, nodeType);
  SAME(graph_node_data, launch, Sanitizer_GraphNodeLaunchData, launchData);
  SAME(graph_data, stream_handle, Sanitizer_GraphLaunchData, hStream);
  SAME(graph_data, graph, Sanitizer_GraphLaunchData, graphExec);
  SAME(call_data, function, Sanitizer_CallbackData, functionName);
  SAME(call_data, returned, Sanitizer_CallbackData, functionReturnValue);
  SAME(context_data, device, Sanitizer_ResourceContextData, device);
  SAME(launch_data, context, Sanitizer_LaunchData, context);
  SAME(launch_data, stream, Sanitizer_LaunchData, stream);
  SAME(graph_node_data, node, Sanitizer_GraphNodeLaunchData, node);
  SAME(graph_data, context, Sanitizer_GraphLaunchData, context);
  SAME(graph_data, stream, Sanitizer_GraphLaunchData, stream);
  SAME(launch_config, grid, CUlaunchConfig, gridDimX);
  SAME(launch_config, block, CUlaunchConfig, blockDimX);
  SAME(launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes);
  SAME(launch_config, stream, CUlaunchConfig, hStream);
  SAME(launch_arguments, grid, cuLaunchKernel_params, gridDimX);
  SAME(launch_arguments, block, cuLaunchKernel_params, blockDimX);
  SAME(launch_arguments, shared_bytes, cuLaunchKernel_params, sharedMemBytes);
  SAME(launch_arguments, stream, cuLaunchKernel_params, hStream);
  SAME(launch_arguments, grid, cuLaunchCooperativeKernel_params, gridDimX);
  SAME(launch_arguments, block, cuLaunchCooperativeKernel_params, blockDimX);
  SAME(launch_arguments, stream, cuLaunchCooperativeKernel_params, hStream);
  SAME(launch_ex_arguments, config, cuLaunchKernelEx_params, config);
  SAME(launch_ex_arguments, function, cuLaunchKernelEx_params, f);
}

// The parameters and the result of a function, as far as machine code shows them: their sizes, and whether they are
// pointers.
template <class R, class... A>
constexpr auto shape_of(R (*)(A...)) {
  return std::array<std::size_t, 1 + sizeof...(A)>{sizeof(R), (sizeof(A) * 2 + (std::is_pointer_v<A> ? 1 : 0))...};
}

TEST(SanitizerAbi, FunctionsTakeWhatNvidiasTake) {
#define BANKWISE_SAME(name, arguments) \
  EXPECT_EQ(shape_of(decltype(sanitizer_api::name){}), shape_of(decltype(&sanitizer##name){})) << #name;
  BANKWISE_SANITIZER_FUNCTIONS(BANKWISE_SAME)
#undef BANKWISE_SAME
}

TEST(SanitizerAbi, NumbersAreNvidias) {
  const auto number = [](auto e) { return static_cast<std::uint32_t>(e); };
  EXPECT_EQ(number(domain::driver), SANITIZER_CB_DOMAIN_DRIVER_API);
  EXPECT_EQ(number(domain::resource), SANITIZER_CB_DOMAIN_RESOURCE);
  EXPECT_EQ(number(domain::launch), SANITIZER_CB_DOMAIN_LAUNCH);
  EXPECT_EQ(number(domain::graphs), SANITIZER_CB_DOMAIN_GRAPHS);
  EXPECT_EQ(number(resource_event::context_destroy_starting), SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  EXPECT_EQ(number(resource_event::module_loaded), SANITIZER_CBID_RESOURCE_MODULE_LOADED);
  EXPECT_EQ(number(resource_event::module_unload_starting), SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
  EXPECT_EQ(number(launch_event::begin), SANITIZER_CBID_LAUNCH_BEGIN);
  EXPECT_EQ(number(launch_event::end), SANITIZER_CBID_LAUNCH_END);
  EXPECT_EQ(number(graph_event::node_launch_begin), SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN);
  EXPECT_EQ(number(graph_event::launch_end), SANITIZER_CBID_GRAPHS_LAUNCH_END);
  EXPECT_EQ(number(instrumented::shared_access), SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS);
  EXPECT_EQ(number(instrumented::copy_async), SANITIZER_INSTRUCTION_MEMCPY_ASYNC);
  EXPECT_EQ(number(instrumented::matrix_access), SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS);
  EXPECT_EQ(number(driver_call::launch_kernel), SANITIZER_CBID_DRIVER_API_cuLaunchKernel);
  EXPECT_EQ(number(driver_call::launch_cooperative), SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel);
  EXPECT_EQ(number(driver_call::launch_graph), SANITIZER_CBID_DRIVER_API_cuGraphLaunch);
  EXPECT_EQ(number(driver_call::launch_kernel_ex), SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx);
  EXPECT_EQ(number(driver_call::launch_kernel_per_thread), SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz);
  EXPECT_EQ(number(driver_call::launch_cooperative_per_thread),
            SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz);
  EXPECT_EQ(number(driver_call::launch_graph_per_thread), SANITIZER_CBID_DRIVER_API_cuGraphLaunch_ptsz);
  EXPECT_EQ(number(driver_call::launch_kernel_ex_per_thread), SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz);
}

}  // namespace
}  // namespace bankwise::record
