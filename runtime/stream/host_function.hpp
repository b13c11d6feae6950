// Functions of the program that streams call. On a GPU, a thread of the driver calls them, and an uncaught exception
// ends the program. The emulator also ends the program. The program's own C++ library prints the exception.
#pragma once

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

void call_program(host_function called, void* data);
void call_program(stream_callback called, struct stream* on, void* data);

}  // namespace bankwise::cuda
