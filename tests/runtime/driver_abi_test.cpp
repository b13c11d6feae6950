// Our declarations of the CUDA driver's ABI against NVIDIA's own, where a toolkit is: sizes, places, numbers, and which form of
// a function its header calls.
#include <cuda.h>
#include <gtest/gtest.h>

#include <string_view>

#include "runtime/driver/abi.hpp"

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

// The last form of a function that the table has is the one that the header gives to who writes the plain name.
#define AS_TEXT(x) #x
#define CALLED(x) AS_TEXT(x)
struct form {
  std::string_view symbol;
  int since;
};
constexpr form forms[] = {
#define VERSION(since, symbol) {#symbol, since},
#include "runtime/driver/versions.def"
#undef VERSION
};

std::string_view newest(std::string_view name) {
  std::string_view found;
  for (const form& f : forms)
    if (f.symbol == name ||
        (f.symbol.size() == name.size() + 3 && f.symbol.starts_with(name) && f.symbol.substr(name.size(), 2) == "_v"))
      if (f.since <= CUDA_VERSION) found = f.symbol;  // rows of a name stand in the order of time
  return found;
}

TEST(DriverAbi, FormsAreThoseOfTheHeader) {
  EXPECT_EQ(newest("cuMemAlloc"), CALLED(cuMemAlloc));
  EXPECT_EQ(newest("cuCtxCreate"), CALLED(cuCtxCreate));
  EXPECT_EQ(newest("cuModuleGetGlobal"), CALLED(cuModuleGetGlobal));
  EXPECT_EQ(newest("cuMemcpyHtoD"), CALLED(cuMemcpyHtoD));
  EXPECT_EQ(newest("cuStreamBeginCapture"), CALLED(cuStreamBeginCapture));
  EXPECT_EQ(newest("cuLinkAddData"), CALLED(cuLinkAddData));
  EXPECT_EQ(newest("cuEventElapsedTime"), CALLED(cuEventElapsedTime));
  EXPECT_EQ(newest("cuGraphAddKernelNode"), CALLED(cuGraphAddKernelNode));
  EXPECT_EQ(newest("cuGetProcAddress"), CALLED(cuGetProcAddress));
  EXPECT_EQ(newest("cuLaunchKernel"), CALLED(cuLaunchKernel));
}

}  // namespace
