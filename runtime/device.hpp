// The device that programs see: one GPU of the architecture that BANKWISE_ARCH names (sm_90 without it), with what the
// emulator can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cubin/occupancy.hpp"

namespace bankwise::cuda {

// Sizes and clocks are those of a board that people have, from its data sheet.
struct device {
  std::string_view arch;  // "sm_90"
  std::uint32_t sm;
  std::string_view board;
  int multiprocessors;
  int clock_kilohertz, memory_kilohertz, memory_bits;
  int l2_bytes;
  int single_to_double;  // how many times as fast float is as double
  bool integrated;       // it shares the memory of the machine
};

const device& the_device();
const cubin::multiprocessor& device_multiprocessor();
std::string device_name();  // less than 256 bytes
const char* device_uuid();  // 16 bytes
std::size_t device_memory_bytes();

inline constexpr char device_bus_id[] = "0000:01:00.0";

// cudaDeviceAttr by number; false: there is none.
bool attribute(int number, int& value);
// The multiprocessors of each part (GPC) of the device.
std::vector<std::uint32_t> device_parts();

}  // namespace bankwise::cuda
