// If a toolkit is installed, compares our declarations of the CUDA runtime's entry points with NVIDIA's: every row of
// entries.def has the same parameter types and result type. The compiler makes most of the comparisons. If a row is not
// in NVIDIA's headers, this file does not compile. With this macro, the headers of CUDA 12 also declare the older forms
// of functions.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <type_traits>

#define BANKWISE_CUDART (CUDART_VERSION / 1000)
#include "runtime/cudart/runtime_abi.hpp"
#include "runtime/driver/entries/proc_address.hpp"
#include "runtime/exported_names.hpp"
#include "runtime/memory/sharing.hpp"
#include "runtime/same_signature.hpp"

#if CUDART_VERSION < 12090

TEST(EntriesAbi, HeadersAreOlder) {
  GTEST_SKIP() << "CUDA's headers are older than 12.9, and our declarations are from 12.9";
}

#else

// These declarations are only for nvcc. CMakeLists.txt extracts them from the headers. One function has no declaration,
// because only nvcc's output calls it.
extern "C" {
#include "nvcc_entries.inc"
void __cudaRegisterHostVar(void** handle, const char* name, char* host, std::size_t bytes);
}

namespace bankwise::cuda {
struct texture_reference;
struct surface_reference;
}  // namespace bankwise::cuda

HANDLE(bankwise::cuda::stream, CUstream_st)
HANDLE(bankwise::cuda::event, CUevent_st)
HANDLE(bankwise::cuda::graph, CUgraph_st)
HANDLE(bankwise::cuda::node, CUgraphNode_st)
HANDLE(bankwise::cuda::graph_exec, CUgraphExec_st)
HANDLE(bankwise::cuda::user_object, CUuserObject_st)
HANDLE(bankwise::cuda::module, CUlib_st)
HANDLE(bankwise::cuda::function, CUkern_st)
HANDLE(bankwise::cuda::function, CUfunc_st)
HANDLE(bankwise::cuda::pool, CUmemPoolHandle_st)
HANDLE(bankwise::cuda::array, cudaArray)
HANDLE(bankwise::cuda::mipmapped_array, cudaMipmappedArray)
HANDLE(bankwise::cuda::batch_attributes, cudaMemcpyAttributes)
HANDLE(bankwise::cuda::log_listener, CUlogsCallbackEntry_st)
HANDLE(bankwise::cuda::texture_reference, textureReference)
HANDLE(bankwise::cuda::surface_reference, surfaceReference)
PAIR(bankwise::cuda::dim3, ::dim3)
PAIR(bankwise::cuda::dim3, uint3)
PAIR(bankwise::cuda::extent, cudaExtent)
PAIR(bankwise::cuda::position, cudaPos)
PAIR(bankwise::cuda::pitched_pointer, cudaPitchedPtr)
PAIR(bankwise::cuda::channel_format, cudaChannelFormatDesc)
PAIR(bankwise::cuda::copy_3d_parameters, cudaMemcpy3DParms)
PAIR(bankwise::cuda::peer_copy_parameters, cudaMemcpy3DPeerParms)
PAIR(bankwise::cuda::box_copy, cudaMemcpy3DBatchOp)
PAIR(bankwise::cuda::device_properties, cudaDeviceProp)
PAIR(bankwise::cuda::pointer_attributes, cudaPointerAttributes)
PAIR(bankwise::cuda::function_attributes, cudaFuncAttributes)
PAIR(bankwise::cuda::memory_location, cudaMemLocation)
PAIR(bankwise::cuda::access_description, cudaMemAccessDesc)
PAIR(bankwise::cuda::pool_properties, cudaMemPoolProps)
PAIR(bankwise::cuda::shared_handle, cudaIpcMemHandle_t)
PAIR(bankwise::cuda::shared_handle, cudaIpcEventHandle_t)
PAIR(bankwise::cuda::shared_handle, cudaMemPoolPtrExportData)
PAIR(bankwise::cuda::launch_config, cudaLaunchConfig_t)
PAIR(bankwise::cuda::attribute_value, cudaLaunchAttributeValue)
PAIR(bankwise::cuda::kernel_node_parameters, cudaKernelNodeParams)
PAIR(bankwise::cuda::fill_node_parameters, cudaMemsetParams)
PAIR(bankwise::cuda::host_node_parameters, cudaHostNodeParams)
PAIR(bankwise::cuda::allocation_node_parameters, cudaMemAllocNodeParams)
PAIR(bankwise::cuda::node_parameters, cudaGraphNodeParams)
PAIR(bankwise::cuda::edge_data, cudaGraphEdgeData)
PAIR(bankwise::cuda::update_result, cudaGraphExecUpdateResultInfo)
PAIR(bankwise::cuda::instantiate_parameters, cudaGraphInstantiateParams)
PAIR(bankwise::cuda::given_resource, cudaResourceDesc)
PAIR(bankwise::cuda::runtime_texture, cudaTextureDesc)
PAIR(bankwise::cuda::given_view, cudaResourceViewDesc)

namespace bankwise::cuda {

namespace {

using test::same;
static_assert(same<error(void**, std::size_t), cudaError_t(void**, unsigned long long)>::value);
static_assert(!same<error(void**, std::size_t), cudaError_t(void**, unsigned)>::value);
static_assert(!same<error(stream*), cudaError_t(cudaEvent_t)>::value);
static_assert(!same<error(const void*), cudaError_t(void*)>::value);
static_assert(!same<error(unsigned*), cudaError_t(unsigned long long*)>::value);
static_assert(!same<error(float), cudaError_t(int)>::value);
static_assert(!same<error(int), cudaError_t(int, int)>::value);

// For the driver, these types are equal: an address may be a number or a pointer.
template <class T>
using passed = std::conditional_t<std::is_pointer_v<T>, std::uint64_t, std::type_identity<T>>;
template <class A, class B>
inline constexpr bool is_forwarded = false;
template <class... A, class R, class... B>
  requires(sizeof...(A) == sizeof...(B))
inline constexpr bool is_forwarded<error(A...), R(B...)> =
    ((sizeof(A) == sizeof(B) && std::is_class_v<A> == std::is_class_v<B>)&&...);

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define PLAIN(type, name, parameters, ...) \
  using name##_ours = type parameters;     \
  static_assert(same<name##_ours, decltype(::name)>::value, #name);
#define ENTRY(name, parameters, ...) PLAIN(error, name, parameters)
#define ANSWER(name, parameters, ...) PLAIN(error, name, parameters)
#define FORWARD(name, driver, parameters, ...) \
  PLAIN(error, name, parameters)               \
  static_assert(is_forwarded<name##_ours, decltype(::driver)>, #driver);
#include "runtime/cudart/entries.def"
#undef PLAIN
#undef ENTRY
#undef ANSWER
#undef FORWARD

// Each exported name is in a row or is a stub, so the test compares all names.
TEST(EntriesAbi, NothingIsExportedButRows) {
  for (const auto& file : std::filesystem::directory_iterator(test::source_path("runtime/cudart"))) {
    const std::string name = file.path().filename().string();
    if (name != "define_entries.hpp" && name != "stub.hpp" && file.is_regular_file()) {
      EXPECT_EQ(test::read_text(file.path().string()).find("CUDA_API"), std::string::npos) << name;
    }
  }
}

// The list of exported names contains every row, and every form in NVIDIA's header for the default stream of each
// thread.
TEST(EntriesAbi, NamesAreExported) {
  const std::vector<std::string> names = test::exported_names(BANKWISE_CUDART);
  const std::set<std::string> exported(names.begin(), names.end());
  for (const char* name : {
#define PLAIN(type, name, ...) #name,
#define ENTRY(name, ...) #name,
#define ANSWER(name, ...) #name,
#define FORWARD(name, ...) #name,
#include "runtime/cudart/entries.def"
       })
    EXPECT_TRUE(exported.contains(name)) << name;
  const std::string header = test::read_text(CUDA_RUNTIME_INCLUDE "/cuda_runtime_api.h");
  const std::regex form("__CUDART_API_PT(DS|SZ)\\((cuda\\w+)\\)");
  int forms = 0;
  for (std::sregex_iterator at(header.begin(), header.end(), form), end; at != end; ++at, ++forms)
    EXPECT_TRUE(exported.contains((*at)[2].str() + ((*at)[1] == "DS" ? "_ptds" : "_ptsz"))) << (*at)[2];
  EXPECT_GT(forms, 50);
}

}  // namespace
}  // namespace bankwise::cuda
#endif
