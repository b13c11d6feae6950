// The version, and all macros and integer types that the public headers share.
//
// Everything under include/bankwise/ except testing.hpp and testing_text.hpp is C++17, constexpr, and includes no
// standard header, so that the same file serves a static_assert, the host, device code, NVRTC and WebAssembly.
#pragma once

// The version of the headers, as numbers and as text, "0.1.0".
#define BANKWISE_VERSION_MAJOR 0
#define BANKWISE_VERSION_MINOR 1
#define BANKWISE_VERSION_PATCH 0
#define BANKWISE_DETAIL_DOTTED(a, b, c) #a "." #b "." #c
#define BANKWISE_DETAIL_VERSION(a, b, c) BANKWISE_DETAIL_DOTTED(a, b, c)
#define BANKWISE_VERSION BANKWISE_DETAIL_VERSION(BANKWISE_VERSION_MAJOR, BANKWISE_VERSION_MINOR, BANKWISE_VERSION_PATCH)

// In CUDA sources, BANKWISE_HD makes a function callable on the host and in kernels. Elsewhere it is empty.
// BANKWISE_CALLS_YOURS marks templates that call a user's function, which may be for the host or for kernels.
#if defined(__CUDACC__)
#define BANKWISE_HD __host__ __device__
#define BANKWISE_CALLS_YOURS _Pragma("nv_exec_check_disable")
#else
#define BANKWISE_HD
#define BANKWISE_CALLS_YOURS
#endif

namespace bankwise {

// Integers with the same widths on every platform of CUDA; <cstdint> is a standard header, and these headers use none.
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8, "bankwise expects ILP32, LP64 or LLP64 types");

// Lanes of a warp, the same on every GPU: a mask has one bit for each lane.
inline constexpr u32 lanes_per_warp = 32;
inline constexpr u32 full_mask = 0xffffffffu;

}  // namespace bankwise
