// Calls functions of the program for streams. On a GPU, a thread of the driver calls such functions, and an uncaught
// exception ends the program. The stand-in also ends the program, and the program's own C++ library prints the
// exception.
#pragma once

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

void call_program(host_function called, void* data);
void call_program(stream_callback called, struct stream* on, void* data);

}  // namespace bankwise::cuda
