// The device that programs see: one H200-like multiprocessor array of sm_90, with what the emulator can do.
#pragma once

#include "cubin/occupancy.hpp"
#include "cuda_abi.hpp"

namespace bankwise::cuda {

inline constexpr char device_arch[] = "sm_90";
inline constexpr std::uint32_t device_sm = 90;
inline constexpr int multiprocessors = 132;
inline constexpr double clock_hertz = 1.98e9;

const cubin::multiprocessor& device_multiprocessor();
std::size_t device_memory_bytes();

void describe(device_properties& p);
// cudaDeviceAttr by number; false: there is none.
bool attribute(int number, int& value);

}  // namespace bankwise::cuda
