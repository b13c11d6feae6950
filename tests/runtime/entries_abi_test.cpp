// Our declarations of the CUDA runtime's entry points against NVIDIA's own, where a toolkit is: every row of entries.def takes and
// returns the same. Most of it is checked when this is compiled; a row that NVIDIA's headers do not have does not compile.
// With it the headers of CUDA 12 declare the older forms of functions, too.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <type_traits>

#define BANKWISE_CUDART (CUDART_VERSION / 1000)
#include "runtime/cudart/runtime_abi.hpp"
#include "runtime/driver/proc_address.hpp"
#include "runtime/memory/sharing.hpp"
#include "support/files.hpp"

#if CUDART_VERSION < 12090

TEST(EntriesAbi, HeadersAreOlder) { GTEST_SKIP() << "CUDA's headers are older than 12.9, whose functions ours are"; }

#else

// What NVIDIA declares for nvcc alone: CMakeLists.txt takes it out of the headers. Of one of them there is no declaration but the
// calls in what nvcc makes.
extern "C" {
#include "nvcc_entries.inc"
void __cudaRegisterHostVar(void** handle, const char* name, char* host, std::size_t bytes);
}

namespace bankwise::cuda {
struct texture_reference;
struct surface_reference;

namespace {

// --- which of our structures is which of theirs

template <class Ours, class Theirs>
inline constexpr bool is_pair = false;
#define HANDLE(ours, theirs) \
  template <>                \
  inline constexpr bool is_pair<ours, theirs> = true;
#define PAIR(ours, theirs)                                                                  \
  static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) <= alignof(theirs), #ours); \
  HANDLE(ours, theirs)

HANDLE(stream, CUstream_st)
HANDLE(event, CUevent_st)
HANDLE(graph, CUgraph_st)
HANDLE(node, CUgraphNode_st)
HANDLE(graph_exec, CUgraphExec_st)
HANDLE(user_object, CUuserObject_st)
HANDLE(module, CUlib_st)
HANDLE(function, CUkern_st)
HANDLE(function, CUfunc_st)
HANDLE(pool, CUmemPoolHandle_st)
HANDLE(array, cudaArray)
HANDLE(mipmapped_array, cudaMipmappedArray)
HANDLE(batch_attributes, cudaMemcpyAttributes)
HANDLE(log_listener, CUlogsCallbackEntry_st)
HANDLE(texture_reference, textureReference)
HANDLE(surface_reference, surfaceReference)
PAIR(dim3, ::dim3)
PAIR(dim3, uint3)
PAIR(extent, cudaExtent)
PAIR(position, cudaPos)
PAIR(pitched_pointer, cudaPitchedPtr)
PAIR(channel_format, cudaChannelFormatDesc)
PAIR(copy_3d_parameters, cudaMemcpy3DParms)
PAIR(peer_copy_parameters, cudaMemcpy3DPeerParms)
PAIR(box_copy, cudaMemcpy3DBatchOp)
PAIR(device_properties, cudaDeviceProp)
PAIR(pointer_attributes, cudaPointerAttributes)
PAIR(function_attributes, cudaFuncAttributes)
PAIR(memory_location, cudaMemLocation)
PAIR(access_description, cudaMemAccessDesc)
PAIR(pool_properties, cudaMemPoolProps)
PAIR(shared_handle, cudaIpcMemHandle_t)
PAIR(shared_handle, cudaIpcEventHandle_t)
PAIR(shared_handle, cudaMemPoolPtrExportData)
PAIR(launch_config, cudaLaunchConfig_t)
PAIR(attribute_value, cudaLaunchAttributeValue)
PAIR(kernel_node_parameters, cudaKernelNodeParams)
PAIR(fill_node_parameters, cudaMemsetParams)
PAIR(host_node_parameters, cudaHostNodeParams)
PAIR(allocation_node_parameters, cudaMemAllocNodeParams)
PAIR(node_parameters, cudaGraphNodeParams)
PAIR(edge_data, cudaGraphEdgeData)
PAIR(update_result, cudaGraphExecUpdateResultInfo)
PAIR(instantiate_parameters, cudaGraphInstantiateParams)
PAIR(given_resource, cudaResourceDesc)
PAIR(runtime_texture, cudaTextureDesc)
PAIR(given_view, cudaResourceViewDesc)
#undef HANDLE
#undef PAIR

// --- when two types are the same to who calls

// Numbers: as wide, of the same kind; an enum is an int.
template <class T>
struct number_behind : std::type_identity<T> {};
template <class T>
  requires std::is_enum_v<T>
struct number_behind<T> : std::conditional<sizeof(T) == sizeof(int), int, void> {};
template <class Ours, class Theirs>
constexpr bool is_same_number() {
  using A = typename number_behind<Ours>::type;
  using B = typename number_behind<Theirs>::type;
  const bool has_enum = std::is_enum_v<Ours> || std::is_enum_v<Theirs>;
  return sizeof(A) == sizeof(B) && std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
         (has_enum || std::is_signed_v<A> == std::is_signed_v<B>);
}

template <class Ours, class Theirs>
struct same : std::false_type {};
template <class Ours, class Theirs>
struct same<Ours*, Theirs*> : std::bool_constant<std::is_const_v<Ours> == std::is_const_v<Theirs> &&
                                                 same<std::remove_const_t<Ours>, std::remove_const_t<Theirs>>::value> {
};
template <class Ours, class Theirs>
  requires(std::is_arithmetic_v<Ours> || std::is_enum_v<Ours>) &&
          (std::is_arithmetic_v<Theirs> || std::is_enum_v<Theirs>)
struct same<Ours, Theirs> : std::bool_constant<is_same_number<Ours, Theirs>()> {};
template <class Ours, class Theirs>
  requires(std::is_class_v<Ours> || std::is_union_v<Ours>)
struct same<Ours, Theirs> : std::bool_constant<is_pair<Ours, Theirs>> {};
template <>
struct same<void, void> : std::true_type {};
template <class R, class... A, class Q, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct same<R(A...), Q(B...)> : std::bool_constant<same<R, Q>::value && (same<A, B>::value && ...)> {};

static_assert(same<error(void**, std::size_t), cudaError_t(void**, unsigned long long)>::value);
static_assert(!same<error(void**, std::size_t), cudaError_t(void**, unsigned)>::value);
static_assert(!same<error(stream*), cudaError_t(cudaEvent_t)>::value);
static_assert(!same<error(const void*), cudaError_t(void*)>::value);
static_assert(!same<error(unsigned*), cudaError_t(unsigned long long*)>::value);
static_assert(!same<error(float), cudaError_t(int)>::value);
static_assert(!same<error(int), cudaError_t(int, int)>::value);

// What the driver takes for the same: an address is a number or a pointer.
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

std::set<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

// What is exported is a row or a stub, so that everything is compared above.
TEST(EntriesAbi, NothingIsExportedButRows) {
  for (const auto& file : std::filesystem::directory_iterator(test::source_path("runtime/cudart"))) {
    const std::string name = file.path().filename().string();
    if (name != "define_entries.hpp" && name != "stub.hpp" && file.is_regular_file()) {
      EXPECT_EQ(test::read_text(file.path().string()).find("CUDA_API"), std::string::npos) << name;
    }
  }
}

// The list of exported names has every row, and the forms of a default stream for each thread that NVIDIA's header names.
TEST(EntriesAbi, NamesAreExported) {
  const std::set<std::string> exported = lines_of(
      test::read_text(test::source_path("runtime/cudart/exports_cudart_" + std::to_string(BANKWISE_CUDART) + ".txt")));
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
