// NVML of the one device.
#include <gtest/gtest.h>

#include <string>

extern "C" {
int nvmlInit_v2();
int nvmlDeviceGetCount_v2(unsigned*);
int nvmlDeviceGetHandleByIndex_v2(unsigned, void**);
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void**);
int nvmlDeviceGetHandleByUUID(const char*, void**);
int nvmlDeviceGetUUID(void*, char*, unsigned);
int nvmlDeviceGetName(void*, char*, unsigned);
int nvmlDeviceGetMemoryInfo(void*, unsigned long long*);
int nvmlDeviceGetTemperature();
}

namespace {

TEST(Nvml, FindsTheDevice) {
  void *first = nullptr, *other = nullptr;
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
  unsigned long long memory[3] = {};
  ASSERT_EQ(nvmlDeviceGetMemoryInfo(first, memory), 0);
  EXPECT_EQ(memory[0], memory[1] + memory[2]);
  EXPECT_EQ(nvmlDeviceGetTemperature(), 3);  // not supported
}

}  // namespace
