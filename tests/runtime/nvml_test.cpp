// Tests the stand-in for NVML, which reports one device.
#include <gtest/gtest.h>

#include <string>

#include "runtime/management/nvml_abi.hpp"
#include "support/files.hpp"

using namespace bankwise::nvml;

extern "C" {
#define TYPED(type, name, parameters, ...) type name parameters;
#define ENTRY(name, parameters, ...) TYPED(int, name, parameters)
#include "runtime/management/nvml_entries.def"
#undef TYPED
#undef ENTRY
int nvmlDeviceGetTemperature();
}

namespace {

TEST(Nvml, FindsTheDevice) {
  device_handle *first = nullptr, *other = nullptr;
  unsigned count = 0;
  char text[96];
  ASSERT_EQ(nvmlInit_v2(), 0);
  ASSERT_EQ(nvmlDeviceGetCount_v2(&count), 0);
  EXPECT_EQ(count, 1u);
  ASSERT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &first), 0);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(1, &other), 2);
  for (const char* id : {"0000:01:00.0", "00000000:01:00.0"}) {
    other = nullptr;
    EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(id, &other), 0);
    EXPECT_EQ(other, first);
  }
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:02:00.0", &other), 6);
  ASSERT_EQ(nvmlDeviceGetUUID(first, text, sizeof text), 0);
  EXPECT_EQ(nvmlDeviceGetHandleByUUID(text, &other), 0);
  EXPECT_EQ(nvmlDeviceGetUUID(first, text, 8), 7);
  ASSERT_EQ(nvmlDeviceGetName(first, text, sizeof text), 0);
  EXPECT_NE(std::string(text).find("emulated"), std::string::npos);
  memory_info memory{};
  ASSERT_EQ(nvmlDeviceGetMemoryInfo(first, &memory), 0);
  EXPECT_EQ(memory.total, memory.free + memory.used);
  EXPECT_EQ(nvmlDeviceGetTemperature(), 3);  // not supported
}

TEST(Nvml, ExportsItsFunctions) {
  const std::string names =
      "\n" + bankwise::test::read_text(bankwise::test::source_path("runtime/management/exports_nvidia-ml.txt"));
  for (const std::string name : {
#define TYPED(type, name, ...) #name,
#define ENTRY(name, ...) #name,
#include "runtime/management/nvml_entries.def"
       })
    EXPECT_NE(names.find("\n" + name + "\n"), std::string::npos) << name;
}

}  // namespace
