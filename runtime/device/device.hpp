// The device that programs see: one GPU of the architecture in BANKWISE_ARCH (default: sm_90), with the features of the
// emulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cubin/architectures.hpp"

namespace bankwise::cuda {

const cubin::architecture& the_device();
std::string device_name();  // name with less than 256 characters
const char* device_uuid();  // 16 bytes
std::size_t device_memory_bytes();

inline constexpr char device_bus_id[] = "0000:01:00.0";
// Whether the text is the device's PCI bus id. The parts of an id are hexadecimal: "0000:01:00.0", "0:1:0" or
// "01:00.0".
bool is_bus_id(std::string_view text);

// Sets `value` to the device attribute with this number of cudaDeviceAttr. Returns false if there is no such attribute.
bool attribute(int number, int& value);
// Number of multiprocessors in each GPC of the device.
std::vector<std::uint32_t> device_parts();

}  // namespace bankwise::cuda
