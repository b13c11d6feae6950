// Entry points of the driver: what there is nothing to do for on one device without hardware, each answered as a driver does
// that has it not, or has nothing to say.
#include <cstring>

#include "base/format.hpp"
#include "runtime/driver/device_call.hpp"

using namespace bankwise::cuda;

namespace {

driver_status refuse(const char* why, const char* entry = __builtin_FUNCTION()) {
  return driver_call(
      [&](state&) {
        say(formatted("{}: {}", entry, why));
        return cudaErrorNotSupported;
      },
      entry);
}
driver_status refuse_multicast(const char* entry = __builtin_FUNCTION()) {
  return refuse("multicast objects join several devices, and there is one", entry);
}
driver_status refuse_checkpoint(const char* entry = __builtin_FUNCTION()) {
  return refuse("processes are not checkpointed without a GPU", entry);
}

}  // namespace

CUDA_API driver_status cuMulticastCreate(void*, const void*) { return refuse_multicast(); }
CUDA_API driver_status cuMulticastAddDevice(unsigned long long, int) { return refuse_multicast(); }
CUDA_API driver_status cuMulticastBindMem(unsigned long long, std::size_t, unsigned long long, std::size_t, std::size_t,
                                          unsigned long long) {
  return refuse_multicast();
}
CUDA_API driver_status cuMulticastBindAddr(unsigned long long, std::size_t, device_pointer, std::size_t,
                                           unsigned long long) {
  return refuse_multicast();
}
CUDA_API driver_status cuMulticastUnbind(unsigned long long, int, std::size_t, std::size_t) {
  return refuse_multicast();
}
CUDA_API driver_status cuMulticastGetGranularity(std::size_t*, const void*, int) { return refuse_multicast(); }

CUDA_API driver_status cuCheckpointProcessGetState(int, int* to) {
  return driver_call([&](state&) { return put(to, 0); });  // it runs
}
CUDA_API driver_status cuCheckpointProcessGetRestoreThreadId(int, int*) { return refuse_checkpoint(); }
CUDA_API driver_status cuCheckpointProcessLock(int, void*) { return refuse_checkpoint(); }
CUDA_API driver_status cuCheckpointProcessCheckpoint(int, void*) { return refuse_checkpoint(); }
CUDA_API driver_status cuCheckpointProcessRestore(int, void*) { return refuse_checkpoint(); }
CUDA_API driver_status cuCheckpointProcessUnlock(int, void*) { return refuse_checkpoint(); }

// A log that nothing is written to: what there is to say stands on standard error.
CUDA_API driver_status cuLogsRegisterCallback(void (*called)(void*, int, char*, std::size_t), void*, void** handle) {
  static int registered;
  return driver_call(
      [&](state&) { return called != nullptr ? put(handle, static_cast<void*>(&registered)) : cudaErrorInvalidValue; });
}
CUDA_API driver_status cuLogsUnregisterCallback(void* handle) {
  return driver_call([&](state&) { return handle != nullptr ? cudaSuccess : cudaErrorInvalidValue; });
}
CUDA_API driver_status cuLogsCurrent(unsigned* at, unsigned flags) {
  return driver_call([&](state&) { return flags == 0 ? put(at, 0u) : cudaErrorInvalidValue; });
}
CUDA_API driver_status cuLogsDumpToFile(unsigned*, const char* path, unsigned flags) {
  return driver_call([&](state&) {
    std::FILE* out = path != nullptr && flags == 0 ? std::fopen(path, "wb") : nullptr;
    return out != nullptr && std::fclose(out) == 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuLogsDumpToMemory(unsigned*, char* buffer, std::size_t* bytes, unsigned flags) {
  return driver_call([&](state&) {
    if (buffer == nullptr || bytes == nullptr || *bytes == 0 || flags != 0) return cudaErrorInvalidValue;
    buffer[0] = '\0';
    *bytes = 0;
    return cudaSuccess;
  });
}

// --- other devices, of which there are none

CUDA_API driver_status cuDeviceGetP2PAttribute(int*, int, int, int) {
  return driver_call([](state&) { return cudaErrorInvalidDevice; });
}
CUDA_API driver_status cuDeviceGetP2PAtomicCapabilities(unsigned*, const int*, unsigned, int, int) {
  return driver_call([](state&) { return cudaErrorInvalidDevice; });
}
CUDA_API driver_status cuDeviceGetHostAtomicCapabilities(unsigned* to, const int* operations, unsigned count,
                                                         int device) {
  return with_device(device, [&](state&) {
    if (to == nullptr || operations == nullptr || count == 0) return cudaErrorInvalidValue;
    std::memset(to, 0, count * sizeof *to);
    return cudaSuccess;
  });
}
CUDA_API driver_status cuDeviceGetLuid(char*, unsigned*, int device) {
  return with_device(device, [](state&) { return cudaErrorNotSupported; });  // of Windows
}
CUDA_API driver_status cuFlushGPUDirectRDMAWrites(int, int) {
  return driver_call([](state&) { return cudaSuccess; });
}
