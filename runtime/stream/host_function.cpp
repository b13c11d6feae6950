// Calls functions of the program. This file is compiled without unwind tables, so that an exception of the program
// cannot pass through it. The stand-in and the program may have different unwinders.
#include "runtime/stream/host_function.hpp"

namespace bankwise::cuda {

void call_program(host_function called, void* data) { called(data); }

void call_program(stream_callback called, struct stream* on, void* data) { called(on, cudaSuccess, data); }

}  // namespace bankwise::cuda
