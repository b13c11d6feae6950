// The measuring kernels. They are PTX text that the driver compiles, so that bankwise needs no compiler to be built or
// run.
//
// A pattern in global memory is 33 words: the mask of active lanes, then their byte addresses. All kernels have the
// same parameters: patterns, results, and a zero that the compiler cannot know.
#pragma once

#include <span>
#include <string>

#include "meter.hpp"

namespace bankwise::probe {

inline constexpr unsigned pattern_words = 33;
inline constexpr unsigned repetitions = 3;           // how often the measurement is repeated, to take the minimum
inline constexpr unsigned timed_warps = 8;           // enough warps to keep the pipe full
inline constexpr unsigned timed_instructions = 128;  // for each warp, in a repetition
inline constexpr unsigned chained_instructions = 128;

// The kinds of measurement.
//   cycles    one block of timed_warps warps for each pattern; results[repetitions * block + r] are the clocks of
//             repetition r
//   latency   one warp for each pattern; each address depends on the result of the previous access
//   count     one warp, one execution, for a counter
enum class kernel_kind { cycles, latency, count };

// The name of a kernel. "cycles_3" is the kernel of probed_operations()[3]. "latency_none" is the chain without an
// access.
std::string kernel_name(kernel_kind kind, std::size_t operation);
inline constexpr const char* empty_chain = "latency_none";

inline constexpr unsigned oldest_sm = 50;  // oldest architecture that current drivers support
// The PTX of all kernels whose instruction sm_<sm> supports. Its target is "sm_80" on sm_86, and "sm_100a" on sm_100.
std::string kernel_text(unsigned sm);
std::string target_name(unsigned sm);
// Whether there is a latency kernel for the operation. If so, the access has a result.
bool has_latency(const probed_operation& p);
// The shared memory of the kernels. It includes addresses below `address_limit`, and some more bytes.
inline constexpr unsigned shared_bytes = address_limit + 4096;

}  // namespace bankwise::probe
