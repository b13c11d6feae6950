// Entry points of the driver: addresses and memory apart.
#include "runtime/driver/call.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/virtual_memory.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

CUDA_API driver_status cuMemGetAllocationGranularity(std::size_t* bytes, const allocation_properties*, int) {
  return driver_call([&](state&) { return put(bytes, static_cast<std::size_t>(mapping_granularity)); });
}
CUDA_API driver_status cuMemAddressReserve(device_pointer* to, std::size_t bytes, std::size_t alignment, device_pointer,
                                           unsigned long long) {
  return driver_call([&](state& s) { return reserve_addresses(s, to, bytes, alignment); });
}
CUDA_API driver_status cuMemAddressFree(device_pointer at, std::size_t bytes) {
  return driver_call([&](state& s) { return free_addresses(s, at, bytes); });
}
CUDA_API driver_status cuMemCreate(physical_memory** handle, std::size_t bytes, const allocation_properties* p,
                                   unsigned long long) {
  return driver_call([&](state& s) {
    if (p == nullptr) return cudaErrorInvalidValue;
    constexpr int posix_file = 1;
    if ((p->handle_types & ~posix_file) != 0) {
      say("cuMemCreate: memory is shared with other processes by file descriptors alone");
      return cudaErrorNotSupported;
    }
    return p->location.id == 0 ? make_physical(s, handle, bytes, p->handle_types != 0) : cudaErrorInvalidDevice;
  });
}
CUDA_API driver_status cuMemRelease(physical_memory* handle) {
  return driver_call([&](state& s) { return release_physical(s, handle); });
}
CUDA_API driver_status cuMemRetainAllocationHandle(physical_memory** handle, void* at) {
  return driver_call([&](state& s) { return retain_physical(s, handle, address_of(at)); });
}
CUDA_API driver_status cuMemGetAllocationPropertiesFromHandle(allocation_properties* to, physical_memory* handle) {
  return driver_call([&](state& s) {
    if (!s.physical.contains(handle)) return cudaErrorInvalidValue;
    return put(to, allocation_properties{1, handle->shareable ? 1 : 0, {1, 0}});  // pinned, on a device
  });
}
CUDA_API driver_status cuMemMap(device_pointer at, std::size_t bytes, std::size_t offset, physical_memory* handle,
                                unsigned long long) {
  return driver_call([&](state& s) { return map_physical(s, at, bytes, offset, handle); });
}
CUDA_API driver_status cuMemUnmap(device_pointer at, std::size_t bytes) {
  return driver_call([&](state& s) { return unmap_physical(s, at, bytes); });
}
CUDA_API driver_status cuMemSetAccess(device_pointer at, std::size_t bytes, const access_description* who,
                                      std::size_t count) {
  return driver_call([&](state& s) {
    if (who == nullptr || count == 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (const error e = set_access(s, at, bytes, who[i].flags); e != cudaSuccess) return e;
    return cudaSuccess;
  });
}
CUDA_API driver_status cuMemGetAccess(unsigned long long* flags, const memory_location*, device_pointer at) {
  return driver_call([&](state& s) {
    int access = 0;
    const error e = get_access(s, at, &access);
    return e == cudaSuccess ? put(flags, static_cast<unsigned long long>(access)) : e;
  });
}
