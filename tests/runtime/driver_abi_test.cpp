// Our declarations of the CUDA driver's ABI against NVIDIA's own, if a toolkit is installed: sizes, offsets, numbers;
// the parameters of each function, its first version, and its forms.
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

#include "runtime/driver/entries.hpp"
#include "runtime/driver/proc_address.hpp"
#include "runtime/memory/sharing.hpp"
#include "support/files.hpp"

namespace {

namespace ours = bankwise::cuda;

#define SAME_SIZE(our, their) static_assert(sizeof(ours::our) == sizeof(their))
#define SAME_PLACE(our, our_field, their, their_field) \
  static_assert(offsetof(ours::our, our_field) == offsetof(their, their_field))

SAME_SIZE(driver_copy_2d, CUDA_MEMCPY2D);
SAME_PLACE(driver_copy_2d, from_pitch, CUDA_MEMCPY2D, srcPitch);
SAME_PLACE(driver_copy_2d, to_device, CUDA_MEMCPY2D, dstDevice);
SAME_PLACE(driver_copy_2d, width, CUDA_MEMCPY2D, WidthInBytes);
SAME_SIZE(driver_copy_3d, CUDA_MEMCPY3D);
SAME_PLACE(driver_copy_3d, from_height, CUDA_MEMCPY3D, srcHeight);
SAME_PLACE(driver_copy_3d, to_type, CUDA_MEMCPY3D, dstMemoryType);
SAME_PLACE(driver_copy_3d, depth, CUDA_MEMCPY3D, Depth);
SAME_SIZE(driver_launch_config, CUlaunchConfig);
SAME_PLACE(driver_launch_config, attributes, CUlaunchConfig, attrs);
SAME_SIZE(launch_attribute, CUlaunchAttribute);
SAME_PLACE(launch_attribute, cluster, CUlaunchAttribute, value);
SAME_SIZE(allocation_properties, CUmemAllocationProp);
SAME_PLACE(allocation_properties, location, CUmemAllocationProp, location);
SAME_PLACE(allocation_properties, compression, CUmemAllocationProp, allocFlags);
SAME_SIZE(access_description, CUmemAccessDesc);
SAME_SIZE(pool_properties, CUmemPoolProps);
SAME_SIZE(uuid, CUuuid);

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
#include "runtime/driver/statuses.def"
#undef STATUS

// --- functions

// Whether the types on both sides are compatible. Numbers have one size and are floating or not; a pointer points to
// such numbers, to structs of one size, or, if one side is void*, to anything.
template <class T>
concept is_known = requires { sizeof(T); };
template <class Ours, class Theirs>
constexpr bool same_value() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using our = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using their = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    if constexpr (std::is_void_v<our> || std::is_void_v<their>)
      return true;
    else if constexpr (std::is_function_v<our> || std::is_function_v<their>)
      return std::is_function_v<our> && std::is_function_v<their>;
    else if constexpr (is_known<our> && is_known<their>)
      return same_value<our, their>();
    else
      return std::is_class_v<our> && std::is_class_v<their>;  // a handle
  } else if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>) {
    return false;
  } else {
    return sizeof(Ours) == sizeof(Theirs) && std::is_scalar_v<Ours> == std::is_scalar_v<Theirs> &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  }
}
template <class Ours, class Theirs>
inline constexpr bool same_call = false;
template <class... Ours, class... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
inline constexpr bool same_call<ours::driver_status(Ours...), CUresult(Theirs...)> =
    (same_value<Ours, Theirs>() && ...);

#if CUDA_VERSION < 13000

TEST(DriverAbi, HeadersAreOlder) { GTEST_SKIP() << "CUDA's headers are older than 13.0, whose functions ours are"; }

#else

// Every row: one whose name NVIDIA's headers do not declare does not compile.
#define ENTRY(since, name, ...) static_assert(same_call<decltype(ours::name), decltype(::name)>, #name);
#define MISSING(since, name, form) static_assert(std::is_function_v<decltype(::name)>, #name);
#include "runtime/driver/entries.def"

// A form: its name without _v2, since when, and its ending for the default stream of each thread.
using form = std::tuple<std::string, int, std::string>;

// NVIDIA's headers have a type for each, such as PFN_cuMemcpyHtoD_v7000_ptds. Those of graphics are not in libcuda's
// list of names.
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
    if (ending != "plain") to.insert({name, std::max(since, 7000), ending});  // there since CUDA 7.0
  };
#include "runtime/driver/entries.def"
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
