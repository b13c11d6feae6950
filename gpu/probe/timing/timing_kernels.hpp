// The kernels that measure the parameters of the model of time, as PTX text that the driver compiles.
//
// All kernels have the same parameters: data (an address in global memory), results, count (iterations of the loop),
// and three numbers whose meaning is next to the kernel. Each block writes a `block_times` to the results.
#pragma once

#include <cstdint>
#include <string>

namespace bankwise::probe {

// What a block of each kernel writes: clocks of its multiprocessor, and nanoseconds of the GPU.
struct block_times {
  std::uint64_t clock_begin, clock_end, time_begin, time_end;
};

// How often a measured instruction is repeated in an iteration of the loop.
inline constexpr unsigned chained = 128, piped = 64, streamed = 4, gathered = 8;
inline constexpr unsigned oldest_timed_sm = 70;  // oldest architecture whose times are predicted

// PTX text that follows kernel_text(sm).
std::string timing_kernels(unsigned sm);

// How many multiplications of two halves an instruction of kernel "pipe_tensor" makes. 0 if there is no such kernel.
unsigned tensor_products(unsigned sm);

}  // namespace bankwise::probe
