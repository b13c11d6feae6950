// The kernels that measure the parameters of the model of time, as PTX text that the driver compiles.
//
// All have the same parameters: data (an address in global memory), results, count (rounds of the loop), and three
// numbers whose meaning is next to the kernel. Each block writes a `block_times` to the results.
#pragma once

#include <cstdint>
#include <string>

namespace bankwise::probe {

// What a block of each kernel writes: clocks of its multiprocessor, and nanoseconds of the GPU.
struct block_times {
  std::uint64_t clock_begin, clock_end, time_begin, time_end;
};

// Repetitions of the measured instructions in a round of the loop.
inline constexpr unsigned chained = 128, piped = 64, streamed = 4, gathered = 8;
inline constexpr unsigned oldest_timed_sm = 70;  // the oldest architecture whose times are predicted

// Text to append to kernel_text(sm).
std::string timing_kernels(unsigned sm);

// Multiplications of two halves by an instruction of kernel "pipe_tensor"; 0 if there is no such kernel.
unsigned tensor_products(unsigned sm);

}  // namespace bankwise::probe
