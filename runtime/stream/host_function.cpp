// Compiled without tables for unwinding: an exception finds no way on from here. It could not go through our own
// frames, which have another unwinder than the program's.
#include "runtime/stream/host_function.hpp"

namespace bankwise::cuda {

void call_program(host_function called, void* data) { called(data); }

void call_program(stream_callback called, struct stream* on, void* data) { called(on, cudaSuccess, data); }

}  // namespace bankwise::cuda
