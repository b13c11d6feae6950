// The time that a call of a library would take on a GPU, estimated from what it computes and moves: a roofline, with the
// waves of the tiles into which a library divides products of matrices. We do not know which kernels NVIDIA's library
// would choose. The real time is between half and twice the estimate for most calls.
//
//     c = a * b, 1024 x 1024 x 1024, 132 multiprocessors
//     tiles of 128 x 128: 64 tiles, half of the multiprocessors are idle
//     the same, each divided in 2 along the depth: 128 tiles, one wave, and the parts are added
#pragma once

#include <cstdint>

#include "runtime/library_call.hpp"

namespace bankwise::cuda {

struct math_rates {
  double clock = 1.98;  // GHz
  double multiprocessors = 132;
  double l2 = 5000;                                // bytes per nanosecond
  double lanes = 128, doubles = 64;                // multiplications of a multiprocessor per clock without tensor cores
  double tf32 = 0, half = 0, byte = 0, twice = 0;  // with them (product_rates.def)
};
// Sets the rates of the tensor cores.
void set_product_rates(math_rates& r, std::uint32_t sm);

struct library_time {
  double nanoseconds = 0;  // without moving the bytes
  double waves = 1;        // how often the tiles fill the multiprocessors
};
library_time library_time_of(const library_work& w, const math_rates& r);

}  // namespace bankwise::cuda
