// Entry points of the driver: memory and events of other processes.
#include "runtime/driver/call.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/sharing.hpp"

using namespace bankwise::cuda;

namespace {

driver_status open_memory(device_pointer* to, const shared_handle& handle, unsigned flags,
                          const char* entry = __builtin_FUNCTION()) {
  return context_call(
      [&](state& s) {
        void* at = nullptr;
        const error e = to != nullptr ? import_memory(s, &at, handle, flags) : cudaErrorInvalidValue;
        return e == cudaSuccess ? put(to, address_of(at)) : e;
      },
      entry);
}

}  // namespace

CUDA_API driver_status cuIpcGetMemHandle(shared_handle* handle, device_pointer at) {
  return context_call([&](state& s) { return export_memory(s, handle, pointer_to(at)); });
}
CUDA_API driver_status cuIpcOpenMemHandle(device_pointer* to, shared_handle handle, unsigned flags) {
  return open_memory(to, handle, flags);
}
CUDA_API driver_status cuIpcOpenMemHandle_v2(device_pointer* to, shared_handle handle, unsigned flags) {
  return open_memory(to, handle, flags);
}
CUDA_API driver_status cuIpcCloseMemHandle(device_pointer at) {
  return context_call([&](state& s) { return close_memory(s, pointer_to(at)); });
}
CUDA_API driver_status cuIpcGetEventHandle(shared_handle* handle, event* e) {
  return context_call([&](state& s) { return export_event(s, handle, e); });
}
CUDA_API driver_status cuIpcOpenEventHandle(event** e, shared_handle handle) {
  return context_call([&](state& s) { return import_event(s, e, handle); });
}
CUDA_API driver_status cuMemPoolExportToShareableHandle(void* handle, pool* p, int type, unsigned long long) {
  return driver_call([&](state& s) { return export_pool(s, handle, p, type); });
}
CUDA_API driver_status cuMemPoolImportFromShareableHandle(pool** p, void* handle, int type, unsigned long long) {
  return driver_call([&](state& s) { return import_pool(s, p, handle, type); });
}
CUDA_API driver_status cuMemPoolExportPointer(shared_handle* handle, device_pointer at) {
  return driver_call([&](state& s) { return export_pool_pointer(s, handle, pointer_to(at)); });
}
CUDA_API driver_status cuMemPoolImportPointer(device_pointer* to, pool* p, const shared_handle* handle) {
  return driver_call([&](state& s) {
    void* at = nullptr;
    const error e = to != nullptr ? import_pool_pointer(s, &at, p, handle) : cudaErrorInvalidValue;
    return e == cudaSuccess ? put(to, address_of(at)) : e;
  });
}
CUDA_API driver_status cuMemExportToShareableHandle(void* handle, physical_memory* what, int type, unsigned long long) {
  return driver_call([&](state& s) { return export_physical(s, handle, what, type); });
}
CUDA_API driver_status cuMemImportFromShareableHandle(physical_memory** made, void* handle, int type) {
  return driver_call([&](state& s) { return import_physical(s, made, handle, type); });
}
