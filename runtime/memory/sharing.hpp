// Memory that several processes use. The memory is a file without a name. Another process finds this file in the list
// of the owner's open files. A handle contains the process, the file and the offset:
//
//     "bankwise", process 4711, file 12, offset 0, 1,048,576 bytes  ->  /proc/4711/fd/12
#pragma once

#include <cstdint>

#include "runtime/device/allocations.hpp"

namespace bankwise::cuda {

struct state;
struct pool;

// The contents of cudaIpcMemHandle_t, cudaIpcEventHandle_t (stream/shared_event.hpp) and cudaMemPoolPtrExportData.
struct shared_handle {
  char bytes[64];
};

// Makes a file of this size that has no name, for mmap(). Returns -1 if this fails.
int make_shared_file(std::uint64_t bytes);

error export_memory(state& s, shared_handle* handle, void* pointer);
error import_memory(state& s, void** pointer, const shared_handle& handle, unsigned flags);
error close_memory(state& s, void* pointer);

// Export and import pools, and memory without an address, as file descriptors.
error export_pool(state& s, void* handle, pool* p, int handle_type);
error import_pool(state& s, pool** p, void* handle, int handle_type);
error export_pool_pointer(state& s, shared_handle* handle, void* pointer);
error import_pool_pointer(state& s, void** pointer, pool* p, const shared_handle* handle);
error export_physical(state& s, void* handle, physical_memory* what, int handle_type);
error import_physical(state& s, physical_memory** made, void* handle, int handle_type);

}  // namespace bankwise::cuda
