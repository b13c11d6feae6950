// The kernels that measure accesses. The kernels are PTX text for the driver's compiler, so that bankwise needs no
// compiler.
//
// A pattern in global memory has 33 words: the mask of active lanes, then the byte addresses of the lanes. All kernels
// have the same parameters: patterns, results, and a number. The number is zero, but the compiler does not know this.
#pragma once

#include <span>
#include <string>

#include "meter.hpp"

namespace bankwise::probe {

inline constexpr unsigned pattern_words = 33;
// Number of times that each measurement is repeated; the result is the minimum.
inline constexpr unsigned repetitions = 3;
inline constexpr unsigned timed_warps = 8;           // number of warps that keep the pipe full
inline constexpr unsigned timed_instructions = 128;  // number of instructions of a warp in a measurement
inline constexpr unsigned chained_instructions = 128;

// The kinds of measurement.
//   cycles    one block of timed_warps warps for each pattern; results[repetitions * block + r] are the clocks of
//             repetition r
//   latency   one warp for each pattern; each address depends on the result of the access before
//   count     one warp that executes the access once, for a counter
enum class kernel_kind { cycles, latency, count };

// Returns the name of a kernel. "cycles_3" is the kernel of probed_operations()[3]. "latency_none" is the chain without
// an access.
std::string kernel_name(kernel_kind kind, std::size_t operation);
inline constexpr const char* empty_chain = "latency_none";

inline constexpr unsigned oldest_sm = 50;  // oldest architecture that current drivers support
// Returns the PTX of all kernels whose measured instruction exists on sm_<sm>. For example, the target for sm_86 is
// "sm_80", and the target for sm_100 is "sm_100a".
std::string kernel_text(unsigned sm);
std::string target_name(unsigned sm);
// Whether the operation has a latency kernel. Only operations with a result have this kernel.
bool has_latency(const probed_operation& p);
// Size of the kernels' shared memory in bytes, a little more than `address_limit`.
inline constexpr unsigned shared_bytes = address_limit + 4096;

}  // namespace bankwise::probe
