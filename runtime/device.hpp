// The device that programs see: one H200-like multiprocessor array of sm_90, with what the emulator can do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bankwise/config.hpp"
#include "cubin/occupancy.hpp"

namespace bankwise::cuda {

inline constexpr char device_arch[] = "sm_90";
inline constexpr std::uint32_t device_sm = 90;
inline constexpr int multiprocessors = 132;
inline constexpr double clock_hertz = 1.98e9;

inline constexpr char device_name[] = "bankwise " BANKWISE_VERSION " sm_90, emulated";
inline constexpr char device_uuid[] = "bankwise sm_90 0";  // 16 bytes
inline constexpr char device_bus_id[] = "0000:01:00.0";

const cubin::multiprocessor& device_multiprocessor();
std::size_t device_memory_bytes();

// cudaDeviceAttr by number; false: there is none.
bool attribute(int number, int& value);

}  // namespace bankwise::cuda
