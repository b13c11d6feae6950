// Compares our declarations of NVML's functions with NVIDIA's header, if the header is installed. The compiler makes
// most of the comparisons.
#include <gtest/gtest.h>
#define NVML_NO_UNVERSIONED_FUNC_DEFS  // makes the header declare the older forms of functions
#include <nvml.h>

#include "runtime/management/nvml_abi.hpp"
#include "runtime/same_signature.hpp"

using namespace bankwise::nvml;

HANDLE(device_handle, nvmlDevice_st)
PAIR(pci_info, nvmlPciInfo_t)
PAIR(memory_info, nvmlMemory_t)
PAIR(memory_info, nvmlBAR1Memory_t)
PAIR(memory_info_2, nvmlMemory_v2_t)
PAIR(utilization, nvmlUtilization_t)
HANDLE(void, nvmlProcessInfo_v1_t)
HANDLE(void, nvmlProcessInfo_v2_t)

namespace {

#define TYPED(type, name, parameters, ...) \
  using name##_ours = type parameters;     \
  static_assert(bankwise::test::same<name##_ours, decltype(::name)>::value, #name);
#define ENTRY(name, parameters, ...) TYPED(int, name, parameters)
#include "runtime/management/nvml_entries.def"
#undef TYPED
#undef ENTRY

TEST(NvmlAbi, ResultsAreNvidias) {
  EXPECT_EQ(success, NVML_SUCCESS);
  EXPECT_EQ(uninitialized, NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(invalid_argument, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(not_supported, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(not_found, NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(insufficient_size, NVML_ERROR_INSUFFICIENT_SIZE);
}

}  // namespace
