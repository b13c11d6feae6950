// The measuring kernels, as PTX text that the driver compiles, so that bankwise needs no compiler to be built or run.
//
// A pattern in global memory is 33 words: the mask of active lanes, then their byte addresses. All kernels have the
// same parameters: patterns, results, and a zero that the compiler cannot know.
#pragma once

#include <span>
#include <string>

#include "meter.hpp"

namespace bankwise::probe {

inline constexpr unsigned pattern_words = 33;
inline constexpr unsigned repetitions = 3;           // the whole measurement is repeated, to take the minimum
inline constexpr unsigned timed_warps = 8;           // enough to keep the pipe full
inline constexpr unsigned timed_instructions = 128;  // of each warp, in one repetition
inline constexpr unsigned chained_instructions = 128;

// The kinds of measurement. cycles one block for each pattern, of timed_warps warps: results[repetitions * block + r]
// are the clocks of repetition r
//   latency   the same of one warp, in which each address depends on what the access before it returned
//   count     one warp, one execution, for a counter
enum class kernel_kind { cycles, latency, count };

// "cycles_3": the kernel of probed_operations()[3]. "latency_none": the chain without the access.
std::string kernel_name(kernel_kind kind, std::size_t operation);
inline constexpr const char* empty_chain = "latency_none";

inline constexpr unsigned oldest_sm = 50;  // the oldest architecture that current drivers support
// All kernels for which sm_<sm> has an instruction, and their target: "sm_80" on sm_86, "sm_100a" on sm_100.
std::string kernel_text(unsigned sm);
std::string target_name(unsigned sm);
// Whether there is a latency kernel, because the access has a result.
bool has_latency(const probed_operation& p);
// Shared memory that the kernels use: addresses below `address_limit`, and some more.
inline constexpr unsigned shared_bytes = address_limit + 4096;

}  // namespace bankwise::probe
