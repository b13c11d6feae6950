// Compares our declarations of the CUDA driver's ABI with NVIDIA's own, if a toolkit is installed: sizes, offsets,
// numbers; the parameters of each function, its first version, and its forms.
// NOLINT(bugprone-reserved-identifier): all forms of a function, not only the newest
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>

#include "runtime/driver/entries/entries.hpp"
#include "runtime/driver/entries/proc_address.hpp"
#include "runtime/memory/sharing.hpp"
#include "runtime/same_signature.hpp"
#include "support/files.hpp"

#if CUDA_VERSION >= 13000
HANDLE(bankwise::cuda::array, CUarray_st)
HANDLE(bankwise::cuda::mipmapped_array, CUmipmappedArray_st)
HANDLE(bankwise::cuda::context, CUctx_st)
HANDLE(bankwise::cuda::event, CUevent_st)
HANDLE(bankwise::cuda::function, CUfunc_st)
HANDLE(bankwise::cuda::function, CUkern_st)
HANDLE(bankwise::cuda::graph, CUgraph_st)
HANDLE(bankwise::cuda::graph_exec, CUgraphExec_st)
HANDLE(bankwise::cuda::green_context, CUgreenCtx_st)
HANDLE(bankwise::cuda::link_state, CUlinkState_st)
HANDLE(bankwise::cuda::module, CUlib_st)
HANDLE(bankwise::cuda::module, CUmod_st)
HANDLE(bankwise::cuda::node, CUgraphNode_st)
HANDLE(bankwise::cuda::pool, CUmemPoolHandle_st)
HANDLE(bankwise::cuda::stream, CUstream_st)
HANDLE(bankwise::cuda::user_object, CUuserObject_st)
HANDLE(void, CUarray_st)
HANDLE(void, CUctxCreateParams_st)
HANDLE(void, CUdevResourceDesc_st)
HANDLE(void, CUexecAffinityParam_st)
HANDLE(void, CUgraphEdgeData_st)
HANDLE(void, CUlogsCallbackEntry_st)
HANDLE(void, CUmemcpyAttributes_st)
HANDLE(void, CUmulticastObjectProp_st)
HANDLE(void, CUtensorMap_st)
HANDLE(void, CUcheckpointLockArgs_st)
HANDLE(void, CUcheckpointCheckpointArgs_st)
HANDLE(void, CUcheckpointRestoreArgs_st)
HANDLE(void, CUcheckpointUnlockArgs_st)
PAIR(bankwise::cuda::access_description, CUmemAccessDesc_st)
PAIR(bankwise::cuda::allocation_node_parameters, CUDA_MEM_ALLOC_NODE_PARAMS_v1_st)
PAIR(bankwise::cuda::allocation_properties, CUmemAllocationProp_st)
PAIR(bankwise::cuda::array_3d_descriptor, CUDA_ARRAY3D_DESCRIPTOR_st)
PAIR(bankwise::cuda::array_descriptor, CUDA_ARRAY_DESCRIPTOR_st)
PAIR(bankwise::cuda::attribute_value, CUlaunchAttributeValue_union)
PAIR(bankwise::cuda::box_copy, CUDA_MEMCPY3D_BATCH_OP_st)
PAIR(bankwise::cuda::device_resource, CUdevResource_st)
PAIR(bankwise::cuda::driver_copy_2d, CUDA_MEMCPY2D_st)
PAIR(bankwise::cuda::driver_copy_3d, CUDA_MEMCPY3D_st)
PAIR(bankwise::cuda::driver_copy_3d, CUDA_MEMCPY3D_PEER_st)
PAIR(bankwise::cuda::driver_kernel_parameters, CUDA_KERNEL_NODE_PARAMS_v2_st)
PAIR(bankwise::cuda::driver_launch_config, CUlaunchConfig_st)
PAIR(bankwise::cuda::driver_node_parameters, CUgraphNodeParams_st)
PAIR(bankwise::cuda::edge_data, CUgraphEdgeData_st)
PAIR(bankwise::cuda::execution_affinity, CUexecAffinityParam_st)
PAIR(bankwise::cuda::fill_node_parameters, CUDA_MEMSET_NODE_PARAMS_st)
PAIR(bankwise::cuda::first_kernel_parameters, CUDA_KERNEL_NODE_PARAMS_st)
PAIR(bankwise::cuda::host_node_parameters, CUDA_HOST_NODE_PARAMS_st)
PAIR(bankwise::cuda::instantiate_parameters, CUDA_GRAPH_INSTANTIATE_PARAMS_st)
PAIR(bankwise::cuda::launch_attribute, CUlaunchAttribute_st)
PAIR(bankwise::cuda::memory_location, CUmemLocation_st)
PAIR(bankwise::cuda::memory_operation, CUstreamBatchMemOpParams_union)
PAIR(bankwise::cuda::memory_operation_parameters, CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st)
PAIR(bankwise::cuda::pool_properties, CUmemPoolProps_st)
PAIR(bankwise::cuda::resource_descriptor, CUDA_RESOURCE_DESC_st)
PAIR(bankwise::cuda::shared_handle, CUipcEventHandle_st)
PAIR(bankwise::cuda::shared_handle, CUipcMemHandle_st)
PAIR(bankwise::cuda::shared_handle, CUmemPoolPtrExportData_st)
PAIR(bankwise::cuda::texture_descriptor, CUDA_TEXTURE_DESC_st)
PAIR(bankwise::cuda::update_result, CUgraphExecUpdateResultInfo_st)
PAIR(bankwise::cuda::uuid, CUuuid_st)
PAIR(bankwise::cuda::view_descriptor, CUDA_RESOURCE_VIEW_DESC_st)
#endif

namespace {

namespace ours = bankwise::cuda;

// Compares the offsets of fields in structures. PAIR compares the sizes of the same structures.
#define SAME_PLACE(our, our_field, their, their_field) \
  static_assert(offsetof(ours::our, our_field) == offsetof(their, their_field))
SAME_PLACE(driver_copy_2d, from_pitch, CUDA_MEMCPY2D, srcPitch);
SAME_PLACE(driver_copy_2d, to_device, CUDA_MEMCPY2D, dstDevice);
SAME_PLACE(driver_copy_2d, width, CUDA_MEMCPY2D, WidthInBytes);
SAME_PLACE(driver_copy_3d, from_height, CUDA_MEMCPY3D, srcHeight);
SAME_PLACE(driver_copy_3d, to_type, CUDA_MEMCPY3D, dstMemoryType);
SAME_PLACE(driver_copy_3d, depth, CUDA_MEMCPY3D, Depth);
SAME_PLACE(driver_launch_config, attributes, CUlaunchConfig, attrs);
SAME_PLACE(launch_attribute, cluster, CUlaunchAttribute, value);
SAME_PLACE(allocation_properties, location, CUmemAllocationProp, location);
SAME_PLACE(allocation_properties, compression, CUmemAllocationProp, allocFlags);

static_assert(ours::on_host == unsigned{CU_MEMORYTYPE_HOST} && ours::unified == unsigned{CU_MEMORYTYPE_UNIFIED});
static_assert(ours::launch_buffer == CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT &&
              ours::launch_buffer_size == CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT);
static_assert(ours::constant_attribute == int{CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES} &&
              ours::binary_version_attribute == int{CU_FUNC_ATTRIBUTE_BINARY_VERSION} &&
              ours::carveout_attribute == int{CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT} &&
              ours::driver_function_attributes == int{CU_FUNC_ATTRIBUTE_MAX});
static_assert(ours::pointer_buffer_id == int{CU_POINTER_ATTRIBUTE_BUFFER_ID} &&
              ours::pointer_device == int{CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL} &&
              ours::pointer_is_mapped == int{CU_POINTER_ATTRIBUTE_MAPPED} &&
              ours::pointer_access == int{CU_POINTER_ATTRIBUTE_ACCESS_FLAGS});
static_assert(ours::jit_error_bytes == int{CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES} &&
              ours::jit_optimization == int{CU_JIT_OPTIMIZATION_LEVEL} &&
              ours::jit_line_info == int{CU_JIT_GENERATE_LINE_INFO});
static_assert(ours::input_nvvm == int{CU_JIT_INPUT_NVVM});

#define STATUS(code, name) static_assert(int{::name} == code, #name);
#include "runtime/device/statuses.def"
#undef STATUS

// --- functions

#if CUDA_VERSION < 13000

TEST(DriverAbi, HeadersAreOlder) {
  GTEST_SKIP() << "CUDA's headers are older than 13.0, and our declarations are from 13.0";
}

#else

// Compares every row. If NVIDIA's headers do not declare the name in a row, this file does not compile.
#define ENTRY(since, name, ...) \
  static_assert(bankwise::test::same<decltype(ours::name), decltype(::name)>::value, #name);
#define MISSING(since, name, form) static_assert(std::is_function_v<decltype(::name)>, #name);
#include "runtime/driver/entries/entries.def"

// A form of a function: its name without _v2, the first CUDA version that has this form, and the suffix for the default
// stream of each thread (ptds or ptsz, or nothing).
using form = std::tuple<std::string, int, std::string>;

// NVIDIA's headers have a type for each form, such as PFN_cuMemcpyHtoD_v7000_ptds. The functions for graphics are not
// in libcuda's list of names.
std::set<form> declared_forms() {
  std::set<form> all;
  const std::regex type("PFN_(cu\\w+?)_v(\\d+)(?:_(pt[sd][sz]))?\\)");
  for (const char* name : {"/cudaTypedefs.h", "/cudaProfilerTypedefs.h"}) {
    const std::string text = bankwise::test::read_text(std::string(BANKWISE_CUDA_HEADERS) + name);
    for (std::sregex_iterator at(text.begin(), text.end(), type), end; at != end; ++at)
      all.insert({(*at)[1], std::stoi((*at)[2]), (*at)[3]});
  }
  return all;
}

std::set<form> our_forms() {
  std::set<form> all;
#define ENTRY(since, name, form, ...) add(all, #name, since, #form);
#define MISSING ENTRY
  const auto add = [](std::set<form>& to, std::string name, int since, const std::string& ending) {
    if (const std::size_t at = name.rfind("_v"); at != std::string::npos && at + 3 == name.size()) name.resize(at);
    to.insert({name, since, ""});
    if (ending != "plain") to.insert({name, std::max(since, 7000), ending});  // these endings exist since CUDA 7.0
  };
#include "runtime/driver/entries/entries.def"
  return all;
}

std::string text_of(const form& f) {
  const auto& [name, since, ending] = f;
  return name + " since " + std::to_string(since) + (ending.empty() ? "" : " _" + ending);
}

TEST(DriverAbi, HasTheFunctionsOfTheHeaders) {
  const std::set<form> declared = declared_forms(), known = our_forms();
  for (const form& f : known)
    EXPECT_TRUE(declared.contains(f)) << text_of(f) << " is a row of ours, but not in NVIDIA's headers";
  for (const form& f : declared) {
    const bool is_newer = std::get<1>(f) > ours::driver_version;
    EXPECT_TRUE(known.contains(f) || is_newer) << text_of(f) << " has no row in runtime/driver/entries";
  }
}

#endif

}  // namespace
