// The kernels that measure the parameters of the model of time, as PTX text for the driver's compiler.
//
// All kernels have the same parameters: data (an address in global memory), results, count (iterations of the loop),
// and three numbers. A comment at each kernel explains these numbers. Each block writes a `block_times` to the results.
#pragma once

#include <cstdint>
#include <string>

namespace bankwise::probe {

// The values that a block writes: clocks of its multiprocessor, and nanoseconds of the GPU.
struct block_times {
  std::uint64_t clock_begin, clock_end, time_begin, time_end;
};

// For each kind of kernel: the number of measured instructions in an iteration of the loop.
inline constexpr unsigned chained = 128, piped = 64, streamed = 4, gathered = 8;
inline constexpr unsigned oldest_timed_sm = 70;  // oldest architecture for which times are predicted

// Returns PTX text to append to kernel_text(sm).
std::string timing_kernels(unsigned sm);

// Returns the number of products that an instruction of the kernel "pipe_tensor" computes. The factors are
// half-precision numbers. Returns 0 if there is no such kernel.
unsigned tensor_products(unsigned sm);

}  // namespace bankwise::probe
