// If a toolkit is installed, compares our declarations of the CUDA runtime's ABI with NVIDIA's declarations: sizes,
// offsets, values. The compiler checks everything.
#include <cuda_runtime_api.h>

#include <cstddef>

#define BANKWISE_CUDART (CUDART_VERSION / 1000)
#include "runtime/cudart/runtime_abi.hpp"

namespace {

namespace ours = bankwise::cuda;

#define SAME_SIZE(our, their) static_assert(sizeof(ours::our) == sizeof(their))
#define SAME_PLACE(our, our_field, their, their_field) \
  static_assert(offsetof(ours::our, our_field) == offsetof(their, their_field))

SAME_SIZE(dim3, ::dim3);
SAME_SIZE(extent, cudaExtent);
SAME_SIZE(pitched_pointer, cudaPitchedPtr);
SAME_SIZE(copy_3d_parameters, cudaMemcpy3DParms);
SAME_PLACE(copy_3d_parameters, to_array, cudaMemcpy3DParms, dstArray);
SAME_PLACE(copy_3d_parameters, size, cudaMemcpy3DParms, extent);
SAME_PLACE(copy_3d_parameters, kind, cudaMemcpy3DParms, kind);
SAME_SIZE(channel_format, cudaChannelFormatDesc);
SAME_SIZE(function_attributes, cudaFuncAttributes);
SAME_PLACE(function_attributes, max_threads, cudaFuncAttributes, maxThreadsPerBlock);
SAME_PLACE(function_attributes, binary_version, cudaFuncAttributes, binaryVersion);
SAME_PLACE(function_attributes, max_dynamic_shared_bytes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_PLACE(function_attributes, carveout, cudaFuncAttributes, preferredShmemCarveout);
SAME_SIZE(pointer_attributes, cudaPointerAttributes);
SAME_PLACE(pointer_attributes, host_pointer, cudaPointerAttributes, hostPointer);
SAME_SIZE(memory_location, cudaMemLocation);
SAME_SIZE(launch_attribute, cudaLaunchAttribute);
SAME_PLACE(launch_attribute, cluster, cudaLaunchAttribute, val);
SAME_SIZE(launch_config, cudaLaunchConfig_t);
SAME_PLACE(launch_config, attributes, cudaLaunchConfig_t, attrs);
SAME_SIZE(kernel_node_parameters, cudaKernelNodeParams);
SAME_PLACE(kernel_node_parameters, arguments, cudaKernelNodeParams, kernelParams);
SAME_SIZE(fill_node_parameters, cudaMemsetParams);
SAME_PLACE(fill_node_parameters, width, cudaMemsetParams, width);
SAME_SIZE(host_node_parameters, cudaHostNodeParams);
SAME_SIZE(pool_properties, cudaMemPoolProps);
SAME_SIZE(allocation_node_parameters, cudaMemAllocNodeParams);
SAME_PLACE(allocation_node_parameters, pointer, cudaMemAllocNodeParams, dptr);
SAME_SIZE(node_parameters, cudaGraphNodeParams);
SAME_PLACE(node_parameters, kernel, cudaGraphNodeParams, kernel);
SAME_SIZE(update_result, cudaGraphExecUpdateResultInfo);
SAME_SIZE(instantiate_parameters, cudaGraphInstantiateParams);
SAME_PLACE(instantiate_parameters, result, cudaGraphInstantiateParams, result_out);

static_assert(ours::allocation_node == int{cudaGraphNodeTypeMemAlloc} &&
              ours::record_node == int{cudaGraphNodeTypeEventRecord});
static_assert(ours::managed_memory == int{cudaMemoryTypeManaged} && ours::by_address == int{cudaMemcpyDefault});
static_assert(ours::max_dynamic_shared == int{cudaFuncAttributeMaxDynamicSharedMemorySize});
static_assert(ours::launch_cluster == int{cudaLaunchAttributeClusterDimension});

SAME_SIZE(device_properties, cudaDeviceProp);
#define BOTH(type, name, count) \
  static_assert(offsetof(ours::device_properties, name) == offsetof(cudaDeviceProp, name), #name);
#define ONLY_12(type, name, count)
#define ONLY_13(type, name, count) BOTH(type, name, count)
#if BANKWISE_CUDART == 12
#undef ONLY_12
#undef ONLY_13
#define ONLY_12(type, name, count)
#define ONLY_13(type, name, count)
#endif
#include "runtime/cudart/device_properties.def"

#define ERROR(code, name, text) static_assert(int{::name} == code, #name);
#include "runtime/device/errors.def"
#undef ERROR

#define ATTRIBUTE(number, name, value) static_assert(int{cudaDevAttr##name} == number, #name);
#include "runtime/device/device_attributes.def"

}  // namespace
