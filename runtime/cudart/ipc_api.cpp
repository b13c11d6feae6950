// Entry points: memory and events of other processes.
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/memory/sharing.hpp"

using namespace bankwise::cuda;

CUDA_API error cudaIpcGetMemHandle(shared_handle* handle, void* pointer) {
  return guarded([&](state& s) { return export_memory(s, handle, pointer); });
}
CUDA_API error cudaIpcOpenMemHandle(void** pointer, shared_handle handle, unsigned flags) {
  return guarded([&](state& s) { return import_memory(s, pointer, handle, flags); });
}
CUDA_API error cudaIpcCloseMemHandle(void* pointer) {
  return guarded([&](state& s) { return close_memory(s, pointer); });
}
CUDA_API error cudaIpcGetEventHandle(shared_handle* handle, event* e) {
  return guarded([&](state& s) { return export_event(s, handle, e); });
}
CUDA_API error cudaIpcOpenEventHandle(event** e, shared_handle handle) {
  return guarded([&](state& s) { return import_event(s, e, handle); });
}
CUDA_API error cudaMemPoolExportToShareableHandle(void* handle, pool* p, int type, unsigned) {
  return guarded([&](state& s) { return export_pool(s, handle, p, type); });
}
CUDA_API error cudaMemPoolImportFromShareableHandle(pool** p, void* handle, int type, unsigned) {
  return guarded([&](state& s) { return import_pool(s, p, handle, type); });
}
CUDA_API error cudaMemPoolExportPointer(shared_handle* handle, void* pointer) {
  return guarded([&](state& s) { return export_pool_pointer(s, handle, pointer); });
}
CUDA_API error cudaMemPoolImportPointer(void** pointer, pool* p, const shared_handle* handle) {
  return guarded([&](state& s) { return import_pool_pointer(s, pointer, p, handle); });
}
