// Compares our declarations of CUPTI and of the driver with NVIDIA's headers: sizes, offsets of members, and values.
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <gtest/gtest.h>

#include "gpu/probe/cupti_abi.hpp"

namespace bankwise::probe {
namespace {

template <class Struct, class Member>
std::size_t end_of(Member Struct::*last) {
  const Struct s{};
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&(s.*last)) - reinterpret_cast<const char*>(&s)) +
         sizeof(s.*last);
}
template <class Struct, class Member>
std::size_t place_of(Member Struct::*member) {
  return end_of(member) - sizeof(Member);
}

TEST(CuptiAbi, StructsEndWhereTheirsEnd) {
  EXPECT_EQ(sizeof(cupti::initialize), CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::chip_name::name), CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::availability::image), CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::host_initialize::host), CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::host_deinitialize::host), CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::add_metrics::count), CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::config_size::bytes), CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::config_image::image), CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::evaluate::values), CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::enable::profiler), CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::one_profiler::profiler), CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::one_profiler::profiler), CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::stop::all_passes), CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::decode::dropped), CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::data_size::bytes), CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::data_initialize::image), CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::data_info::ranges), CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  EXPECT_EQ(end_of(&cupti::set_config::target_nesting_level), CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
}

TEST(CuptiAbi, MembersLieWhereTheirsLie) {
  EXPECT_EQ(place_of(&cupti::host_initialize::chip), offsetof(CUpti_Profiler_Host_Initialize_Params, pChipName));
  EXPECT_EQ(place_of(&cupti::evaluate::range), offsetof(CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex));
  EXPECT_EQ(place_of(&cupti::evaluate::names), offsetof(CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames));
  EXPECT_EQ(place_of(&cupti::data_size::most_nodes),
            offsetof(CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes));
  EXPECT_EQ(place_of(&cupti::set_config::image), offsetof(CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage));
  EXPECT_EQ(place_of(&cupti::set_config::range), offsetof(CUpti_RangeProfiler_SetConfig_Params, range));
  EXPECT_EQ(place_of(&cupti::set_config::replay), offsetof(CUpti_RangeProfiler_SetConfig_Params, replayMode));
  EXPECT_EQ(place_of(&cupti::set_config::ranges_a_pass),
            offsetof(CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass));
  EXPECT_EQ(place_of(&cupti::set_config::nesting_levels),
            offsetof(CUpti_RangeProfiler_SetConfig_Params, numNestingLevels));
  EXPECT_EQ(place_of(&cupti::set_config::pass), offsetof(CUpti_RangeProfiler_SetConfig_Params, passIndex));
}

TEST(CuptiAbi, ValuesAreTheirs) {
  EXPECT_EQ(cupti::range_profiler, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
  EXPECT_EQ(cupti::auto_range, CUPTI_AutoRange);
  EXPECT_EQ(cupti::kernel_replay, CUPTI_KernelReplay);
  EXPECT_EQ(cupti::not_permitted, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(int{cuda::multiprocessors}, int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
  EXPECT_EQ(int{cuda::clock_khz}, int{CU_DEVICE_ATTRIBUTE_CLOCK_RATE});
  EXPECT_EQ(int{cuda::major}, int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
  EXPECT_EQ(int{cuda::minor}, int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR});
  EXPECT_EQ(int{cuda::memory_khz}, int{CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE});
  EXPECT_EQ(int{cuda::memory_bits}, int{CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH});
  EXPECT_EQ(int{cuda::l2_bytes}, int{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE});
  EXPECT_EQ(int{cuda::shared_per_block_optin}, int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN});
  EXPECT_EQ(cuda::max_dynamic_shared_size, int{CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES});
  EXPECT_EQ(cuda::host_mapped, unsigned{CU_MEMHOSTALLOC_DEVICEMAP});
  EXPECT_EQ(sizeof(cuda::pointer), sizeof(CUdeviceptr));
}

}  // namespace
}  // namespace bankwise::probe
