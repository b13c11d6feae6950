// Calls host functions. It is compiled without unwind tables, so that an exception cannot pass: our frames have another
// unwinder than the program's.
#include "runtime/stream/host_function.hpp"

namespace bankwise::cuda {

void call_program(host_function called, void* data) { called(data); }

void call_program(stream_callback called, struct stream* on, void* data) { called(on, cudaSuccess, data); }

}  // namespace bankwise::cuda
