// Entry points of the runtime (libcudart) that forward to a function of the driver with another name: batches of copies
// and advice, pools, logs, managed variables.
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/driver/abi.hpp"

using namespace bankwise::cuda;

struct pool_of_memory;

extern "C" {
driver_status cuLibraryGetManaged(device_pointer*, std::size_t*, module*, const char*);
driver_status cuLibraryGetUnifiedFunction(void**, module*, const char*);
driver_status cuMemcpyBatchAsync_v2(const device_pointer*, const device_pointer*, const std::size_t*, std::size_t,
                                    void*, std::size_t*, std::size_t, stream*);
driver_status cuMemcpy3DBatchAsync_v2(std::size_t, box_copy*, unsigned long long, stream*);
driver_status cuMemDiscardBatchAsync(device_pointer*, std::size_t*, std::size_t, unsigned long long, stream*);
driver_status cuMemPrefetchBatchAsync(device_pointer*, std::size_t*, std::size_t, memory_location*, std::size_t*,
                                      std::size_t, unsigned long long, stream*);
driver_status cuMemDiscardAndPrefetchBatchAsync(device_pointer*, std::size_t*, std::size_t, memory_location*,
                                                std::size_t*, std::size_t, unsigned long long, stream*);
driver_status cuMemAdvise_v2(device_pointer, std::size_t, int, memory_location);
driver_status cuMemPrefetchAsync_v2(device_pointer, std::size_t, memory_location, unsigned, stream*);
driver_status cuMemRangeGetAttribute(void*, std::size_t, int, device_pointer, std::size_t);
driver_status cuMemRangeGetAttributes(void**, std::size_t*, int*, std::size_t, device_pointer, std::size_t);
driver_status cuMemPoolGetAccess(int*, pool_of_memory*, const memory_location*);
driver_status cuMemGetDefaultMemPool(pool_of_memory**, memory_location*, int);
driver_status cuMemGetMemPool(pool_of_memory**, memory_location*, int);
driver_status cuMemSetMemPool(memory_location*, int, pool_of_memory*);
driver_status cuLogsRegisterCallback(void (*)(void*, int, char*, std::size_t), void*, void**);
driver_status cuLogsUnregisterCallback(void*);
driver_status cuLogsCurrent(unsigned*, unsigned);
driver_status cuLogsDumpToFile(unsigned*, const char*, unsigned);
driver_status cuLogsDumpToMemory(unsigned*, char*, std::size_t*, unsigned);
}

namespace {

// The driver's numbers mean the same here.
template <class Call>
error ask(Call call, const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state&) { return static_cast<error>(call()); }, entry);
}

}  // namespace

CUDA_API error cudaLibraryGetManaged(device_pointer* address, std::size_t* bytes, module* handle, const char* name) {
  return ask([&] { return cuLibraryGetManaged(address, bytes, handle, name); });
}
CUDA_API error cudaLibraryGetUnifiedFunction(void** to, module* handle, const char* name) {
  return ask([&] { return cuLibraryGetUnifiedFunction(to, handle, name); });
}

#if BANKWISE_CUDART == 12
CUDA_API error cudaMemcpyBatchAsync(device_pointer* to, device_pointer* from, std::size_t* bytes, std::size_t count,
                                    void* attributes, std::size_t* first, std::size_t attribute_count,
                                    std::size_t* failed, stream* on) {
  if (failed != nullptr) *failed = ~std::size_t{0};
  return ask([&] { return cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, first, attribute_count, on); });
}
CUDA_API error cudaMemcpy3DBatchAsync(std::size_t count, box_copy* all, std::size_t* failed, unsigned long long flags,
                                      stream* on) {
  if (failed != nullptr) *failed = ~std::size_t{0};
  return ask([&] { return cuMemcpy3DBatchAsync_v2(count, all, flags, on); });
}
#else
CUDA_API error cudaMemcpyBatchAsync(const device_pointer* to, const device_pointer* from, const std::size_t* bytes,
                                    std::size_t count, void* attributes, std::size_t* first,
                                    std::size_t attribute_count, stream* on) {
  return ask([&] { return cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, first, attribute_count, on); });
}
CUDA_API error cudaMemcpy3DBatchAsync(std::size_t count, box_copy* all, unsigned long long flags, stream* on) {
  return ask([&] { return cuMemcpy3DBatchAsync_v2(count, all, flags, on); });
}
#endif
// --- advice

#if BANKWISE_CUDART == 12
namespace {

memory_location location_of(int device) { return device >= 0 ? memory_location{1, device} : memory_location{2, 0}; }

}  // namespace

CUDA_API error cudaMemAdvise(device_pointer at, std::size_t bytes, int advice, int device) {
  return ask([&] { return cuMemAdvise_v2(at, bytes, advice, location_of(device)); });
}
CUDA_API error cudaMemPrefetchAsync(device_pointer at, std::size_t bytes, int device, stream* on) {
  return ask([&] { return cuMemPrefetchAsync_v2(at, bytes, location_of(device), 0, on); });
}
#define WITH_LOCATION(name) name##_v2
#else
#define WITH_LOCATION(name) name
#endif
CUDA_API error WITH_LOCATION(cudaMemAdvise)(device_pointer at, std::size_t bytes, int advice, memory_location where) {
  return ask([&] { return cuMemAdvise_v2(at, bytes, advice, where); });
}
CUDA_API error WITH_LOCATION(cudaMemPrefetchAsync)(device_pointer at, std::size_t bytes, memory_location where,
                                                   unsigned flags, stream* on) {
  return ask([&] { return cuMemPrefetchAsync_v2(at, bytes, where, flags, on); });
}
CUDA_API error cudaMemDiscardBatchAsync(device_pointer* at, std::size_t* bytes, std::size_t count,
                                        unsigned long long flags, stream* on) {
  return ask([&] { return cuMemDiscardBatchAsync(at, bytes, count, flags, on); });
}
CUDA_API error cudaMemPrefetchBatchAsync(device_pointer* at, std::size_t* bytes, std::size_t count,
                                         memory_location* where, std::size_t* first, std::size_t locations,
                                         unsigned long long flags, stream* on) {
  return ask([&] { return cuMemPrefetchBatchAsync(at, bytes, count, where, first, locations, flags, on); });
}
CUDA_API error cudaMemDiscardAndPrefetchBatchAsync(device_pointer* at, std::size_t* bytes, std::size_t count,
                                                   memory_location* where, std::size_t* first, std::size_t locations,
                                                   unsigned long long flags, stream* on) {
  return ask([&] { return cuMemDiscardAndPrefetchBatchAsync(at, bytes, count, where, first, locations, flags, on); });
}
CUDA_API error cudaMemRangeGetAttribute(void* to, std::size_t room, int which, device_pointer at, std::size_t bytes) {
  return ask([&] { return cuMemRangeGetAttribute(to, room, which, at, bytes); });
}
CUDA_API error cudaMemRangeGetAttributes(void** to, std::size_t* rooms, int* which, std::size_t count,
                                         device_pointer at, std::size_t bytes) {
  return ask([&] { return cuMemRangeGetAttributes(to, rooms, which, count, at, bytes); });
}
CUDA_API error cudaMemPoolGetAccess(int* access, pool_of_memory* p, const memory_location* where) {
  return ask([&] { return cuMemPoolGetAccess(access, p, where); });
}
CUDA_API error cudaMemGetDefaultMemPool(pool_of_memory** p, memory_location* where, int type) {
  return ask([&] { return cuMemGetDefaultMemPool(p, where, type); });
}
CUDA_API error cudaMemGetMemPool(pool_of_memory** p, memory_location* where, int type) {
  return ask([&] { return cuMemGetMemPool(p, where, type); });
}
CUDA_API error cudaMemSetMemPool(memory_location* where, int type, pool_of_memory* p) {
  return ask([&] { return cuMemSetMemPool(where, type, p); });
}
CUDA_API error cudaLogsRegisterCallback(void (*called)(void*, int, char*, std::size_t), void* data, void** handle) {
  return ask([&] { return cuLogsRegisterCallback(called, data, handle); });
}
CUDA_API error cudaLogsUnregisterCallback(void* handle) {
  return ask([&] { return cuLogsUnregisterCallback(handle); });
}
CUDA_API error cudaLogsCurrent(unsigned* at, unsigned flags) {
  return ask([&] { return cuLogsCurrent(at, flags); });
}
CUDA_API error cudaLogsDumpToFile(unsigned* at, const char* path, unsigned flags) {
  return ask([&] { return cuLogsDumpToFile(at, path, flags); });
}
CUDA_API error cudaLogsDumpToMemory(unsigned* at, char* buffer, std::size_t* bytes, unsigned flags) {
  return ask([&] { return cuLogsDumpToMemory(at, buffer, bytes, flags); });
}
