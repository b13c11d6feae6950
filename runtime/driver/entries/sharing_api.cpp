// The driver's functions for address ranges, for memory that is mapped to them, and for memory and events of other
// processes.
#include "runtime/driver/call.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/sharing.hpp"
#include "runtime/memory/virtual_memory.hpp"
#include "runtime/stream/shared_event.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

error open_memory(state& s, device_pointer* to, const shared_handle& handle, unsigned flags) {
  void* at = nullptr;
  const error e = to != nullptr ? import_memory(s, &at, handle, flags) : cudaErrorInvalidValue;
  return e == cudaSuccess ? put(to, address_of(at)) : e;
}
error open_pool_pointer(state& s, device_pointer* to, pool* p, const shared_handle* handle) {
  void* at = nullptr;
  const error e = to != nullptr ? import_pool_pointer(s, &at, p, handle) : cudaErrorInvalidValue;
  return e == cudaSuccess ? put(to, address_of(at)) : e;
}

physical_memory* physical(physical_handle handle) { return reinterpret_cast<physical_memory*>(handle); }
physical_memory** physical(physical_handle* handle) { return reinterpret_cast<physical_memory**>(handle); }

error create_physical(state& s, physical_memory** made, std::size_t bytes, const allocation_properties* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  constexpr int posix_file = 1;
  if ((p->handle_types & ~posix_file) != 0) {
    say("cuMemCreate: bankwise can share memory with other processes only by file descriptors. Pass "
        "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    return cudaErrorNotSupported;
  }
  return p->location.id == 0 ? make_physical(s, made, bytes, p->handle_types != 0) : cudaErrorInvalidDevice;
}
error tell_properties(const state& s, allocation_properties* to, physical_memory* what) {
  if (!s.physical.contains(what)) return cudaErrorInvalidValue;
  return put(to, allocation_properties{1, what->shareable ? 1 : 0, {1, 0}});  // pinned memory on device 0
}
error set_access_of_all(state& s, device_pointer at, std::size_t bytes, const access_description* who,
                        std::size_t count) {
  if (who == nullptr || count == 0) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i)
    if (const error e = set_access(s, at, bytes, who[i].flags); e != cudaSuccess) return e;
  return cudaSuccess;
}
error tell_access(state& s, unsigned long long* flags, device_pointer at) {
  int access = 0;
  const error e = get_access(s, at, &access);
  return e == cudaSuccess ? put(flags, static_cast<unsigned long long>(access)) : e;
}

}  // namespace

#define ENTRIES "runtime/driver/entries/sharing_api.def"
#include "runtime/driver/entries/entry_functions.def"
