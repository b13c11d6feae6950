// The version, and all macros and integer types that the public headers share.
//
// All headers in include/bankwise/ except testing.hpp and testing_text.hpp are C++17 and constexpr, and include no
// standard header. You can therefore use the same headers in a static_assert, on the host, in device code, in NVRTC and
// in WebAssembly.
#pragma once

// The version of the headers: three numbers, and the text "0.1.0".
#define BANKWISE_VERSION_MAJOR 0
#define BANKWISE_VERSION_MINOR 1
#define BANKWISE_VERSION_PATCH 0
#define BANKWISE_DETAIL_DOTTED(a, b, c) #a "." #b "." #c
#define BANKWISE_DETAIL_VERSION(a, b, c) BANKWISE_DETAIL_DOTTED(a, b, c)
#define BANKWISE_VERSION BANKWISE_DETAIL_VERSION(BANKWISE_VERSION_MAJOR, BANKWISE_VERSION_MINOR, BANKWISE_VERSION_PATCH)

// In CUDA sources, BANKWISE_HD makes a function callable on the host and in kernels. In other sources it is empty.
// BANKWISE_CALLS_YOURS marks templates that call a function of the user. nvcc then accepts functions that only the host
// or only kernels can call.
#if defined(__CUDACC__)
#define BANKWISE_HD __host__ __device__
#define BANKWISE_CALLS_YOURS _Pragma("nv_exec_check_disable")
#else
#define BANKWISE_HD
#define BANKWISE_CALLS_YOURS
#endif

namespace bankwise {

// Integers with the same widths on all platforms of CUDA. These headers do not include <cstdint>, because it is a
// standard header.
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8, "bankwise expects ILP32, LP64 or LLP64 types");

// The number of lanes in a warp, and the mask of all lanes. A mask has one bit for each lane.
inline constexpr u32 lanes_per_warp = 32;
inline constexpr u32 full_mask = 0xffffffffu;

}  // namespace bankwise
