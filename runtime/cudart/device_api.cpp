// Entry points: devices, limits, errors, versions.
#include <cstdio>
#include <cstring>

#include "runtime/cudart/properties.hpp"
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/proc_address.hpp"
#include "runtime/stream/stream.hpp"

using namespace bankwise::cuda;

constinit thread_local error bankwise::cuda::last_error = cudaSuccess;

namespace {

struct error_row {
  int code;
  const char* name;
  const char* text;
};
constexpr error_row errors[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "runtime/device/errors.def"
#undef ERROR
};

const error_row& row_of(int code) {
  static constexpr error_row none{-1, "unrecognized error code", "unrecognized error code"};
  for (const error_row& e : errors)
    if (e.code == code) return e;
  return none;
}

constexpr int version = BANKWISE_CUDART == 12 ? 12090 : 13000;

// Answers about the device do not depend on what went wrong on it, and need no context; the driver is initialised behind them.
template <class Body>
error about_device(Body body, const char* entry = __builtin_FUNCTION()) {
  state& s = the_state();
  const thread_call_end end;
  const std::lock_guard lock(s.mutex);
  s.driver_ready = true;
  const error e = body();
  note_call(s, entry, e);
  return e == cudaSuccess ? e : last_error = e;
}
template <class T>
error answer(T* where, T value, const char* entry = __builtin_FUNCTION()) {
  return about_device([&] { return where == nullptr ? cudaErrorInvalidValue : (*where = value, cudaSuccess); }, entry);
}
// The same of one device, of which there is one.
template <class Body>
error about(int device, Body body, const char* entry = __builtin_FUNCTION()) {
  return about_device([&] { return device == 0 ? body() : cudaErrorInvalidDevice; }, entry);
}

// Versions are told without the driver.
error tell_version(int* where, int number, const char* entry = __builtin_FUNCTION()) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  const error e = where == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  note_call(s, entry, e);
  if (e != cudaSuccess) return last_error = e;
  *where = number;
  return cudaSuccess;
}

}  // namespace

CUDA_API const char* cudaGetErrorName(error e) { return row_of(e).name; }
CUDA_API const char* cudaGetErrorString(error e) { return row_of(e).text; }

CUDA_API error cudaGetLastError() {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  const error e = s.sticky != cudaSuccess ? s.sticky : last_error;
  last_error = cudaSuccess;
  return e;
}
CUDA_API error cudaPeekAtLastError() {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  return s.sticky != cudaSuccess ? s.sticky : last_error;
}

CUDA_API error cudaDriverGetVersion(int* v) { return tell_version(v, driver_version); }
CUDA_API error cudaRuntimeGetVersion(int* v) { return tell_version(v, version); }

CUDA_API error cudaGetDeviceCount(int* count) { return answer(count, 1); }
CUDA_API error cudaGetDevice(int* device) { return answer(device, 0); }
CUDA_API error cudaGetDeviceFlags(unsigned* flags) { return answer(flags, 0u); }
CUDA_API error cudaSetDevice(int device) {
  return guarded([&](state&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}
CUDA_API error cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
CUDA_API error cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
CUDA_API error cudaSetValidDevices(int* devices, int count) {
  for (int i = 0; i < count; ++i)
    if (devices == nullptr || devices[i] != 0) return last_error = cudaErrorInvalidDevice;
  return cudaSuccess;
}
CUDA_API error cudaChooseDevice(int* device, const device_properties*) { return answer(device, 0); }

CUDA_API error cudaGetDeviceProperties(device_properties* p, int device) {
  return about(device, [&] {
    if (p == nullptr) return cudaErrorInvalidValue;
    describe(*p);
    return cudaSuccess;
  });
}
#if BANKWISE_CUDART == 12
CUDA_API error cudaGetDeviceProperties_v2(device_properties* p, int device) {
  return cudaGetDeviceProperties(p, device);
}
#endif
CUDA_API error cudaDeviceGetAttribute(int* value, int number, int device) {
  return about(device,
               [&] { return value != nullptr && attribute(number, *value) ? cudaSuccess : cudaErrorInvalidValue; });
}
CUDA_API error cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  return about(device, [&] {
    if (text == nullptr || bytes < static_cast<int>(sizeof device_bus_id)) return cudaErrorInvalidValue;
    std::memcpy(text, device_bus_id, sizeof device_bus_id);
    return cudaSuccess;
  });
}
CUDA_API error cudaDeviceGetByPCIBusId(int* device, const char* text) {
  if (text == nullptr || !is_bus_id(text)) return last_error = cudaErrorInvalidValue;
  return answer(device, 0);
}

CUDA_API error cudaDeviceSynchronize() {
  return guarded([](state& s) { return wait_for_all(s); });
}
CUDA_API error cudaDeviceReset() {
  return guarded([](state& s) {
    reset(s);
    return cudaSuccess;
  });
}

CUDA_API error cudaGetDriverEntryPointByVersion(const char* symbol, void** address, unsigned cuda,
                                                unsigned long long flags, proc_status* status) {
  return about_device([&] {
    if (symbol == nullptr || address == nullptr) return cudaErrorInvalidValue;
    find_proc(symbol, address, static_cast<int>(cuda), status,
              (flags & per_thread_default_stream) != 0 || (flags == 0 && is_thread_call()));
    return cudaSuccess;
  });
}
CUDA_API error cudaGetDriverEntryPoint(const char* symbol, void** address, unsigned long long flags,
                                       proc_status* status) {
  return cudaGetDriverEntryPointByVersion(symbol, address, version, flags, status);
}

CUDA_API error cudaDeviceSetLimit(int which, std::size_t value) {
  return guarded([&](state& s) { return set_limit(s, which, value); });
}
CUDA_API error cudaDeviceGetLimit(std::size_t* value, int which) {
  return guarded([&](state& s) { return get_limit(s, which, value); });
}
CUDA_API error cudaDeviceGetCacheConfig(int* config) { return answer(config, 0); }
CUDA_API error cudaDeviceSetCacheConfig(int) { return cudaSuccess; }
CUDA_API error cudaDeviceGetSharedMemConfig(int* config) { return answer(config, 1); }  // banks of four bytes
CUDA_API error cudaDeviceSetSharedMemConfig(int) { return cudaSuccess; }
CUDA_API error cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

CUDA_API error cudaDeviceCanAccessPeer(int* can, int, int) { return answer(can, 0); }
CUDA_API error cudaDeviceEnablePeerAccess(int, unsigned) { return last_error = cudaErrorInvalidDevice; }
CUDA_API error cudaDeviceDisablePeerAccess(int) { return last_error = cudaErrorPeerAccessNotEnabled; }
CUDA_API error cudaDeviceGetP2PAttribute(int*, int, int, int) { return last_error = cudaErrorInvalidDevice; }

CUDA_API error cudaProfilerStart() { return cudaSuccess; }
CUDA_API error cudaProfilerStop() { return cudaSuccess; }
#if BANKWISE_CUDART == 12
CUDA_API error cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
CUDA_API error cudaThreadExit() { return cudaDeviceReset(); }
#endif
