// Entry points of the driver: contexts, the primary one among them.
#include "runtime/driver/device_call.hpp"
#include "runtime/stream/stream.hpp"

using namespace bankwise::cuda;

namespace {

constexpr unsigned api_version = 3020;  // of every context since CUDA 3.2

driver_status create_context(context** made, unsigned flags, int device, const char* entry = __builtin_FUNCTION()) {
  return with_device(
      device,
      [&](state& s) {
        if (made == nullptr) return cudaErrorInvalidValue;
        *made = make_context(s, flags);
        push_context(*made);
        return cudaSuccess;
      },
      entry);
}

// The given context, or the current one; null: neither.
context* context_or_current(state& s, context* c) {
  if (c == nullptr) return current_context();
  return is_context(s, c) ? c : nullptr;
}

driver_status destroy(context* c) {
  return driver_call([&](state& s) {
    if (c == nullptr) return cudaErrorInvalidValue;
    return destroy_context(s, c) ? cudaSuccess : cudaErrorDeviceUninitialized;
  });
}
driver_status push(context* c) {
  return driver_call([&](state& s) {
    if (!is_context(s, c)) return cudaErrorDeviceUninitialized;
    push_context(c);
    return cudaSuccess;
  });
}
driver_status pop(context** c) {
  return context_call([&](state&) {
    context* popped = pop_context();
    if (c != nullptr) *c = popped;
    return cudaSuccess;
  });
}

driver_status release_primary(int device) {
  return with_device(device, [](state& s) {
    if (s.primary.retained == 0) return cudaErrorDeviceUninitialized;
    --s.primary.retained;
    return cudaSuccess;
  });
}
driver_status reset_primary(int device) {
  return with_device(device, [](state& s) {
    reset(s);
    s.primary.retained = 0;
    return cudaSuccess;
  });
}
driver_status set_primary_flags(unsigned flags, int device) {
  return with_device(device, [&](state& s) {
    s.primary.flags = flags;
    return cudaSuccess;
  });
}

}  // namespace

// --- the primary context

CUDA_API driver_status cuDevicePrimaryCtxRetain(context** c, int device) {
  return with_device(device, [&](state& s) {
    ++s.primary.retained;
    return put(c, &s.primary);
  });
}
CUDA_API driver_status cuDevicePrimaryCtxRelease(int device) { return release_primary(device); }
CUDA_API driver_status cuDevicePrimaryCtxRelease_v2(int device) { return release_primary(device); }
CUDA_API driver_status cuDevicePrimaryCtxReset(int device) { return reset_primary(device); }
CUDA_API driver_status cuDevicePrimaryCtxReset_v2(int device) { return reset_primary(device); }
CUDA_API driver_status cuDevicePrimaryCtxSetFlags(int device, unsigned flags) {
  return set_primary_flags(flags, device);
}
CUDA_API driver_status cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return set_primary_flags(flags, device);
}
CUDA_API driver_status cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  return with_device(device, [&](state& s) {
    if (flags != nullptr) *flags = s.primary.flags;
    return put(active, s.primary.retained != 0 || s.primary.in_use ? 1 : 0);
  });
}

// --- contexts

CUDA_API driver_status cuCtxCreate(context** c, unsigned flags, int device) { return create_context(c, flags, device); }
CUDA_API driver_status cuCtxCreate_v2(context** c, unsigned flags, int device) {
  return create_context(c, flags, device);
}
CUDA_API driver_status cuCtxCreate_v3(context** c, void*, int, unsigned flags, int device) {
  return create_context(c, flags, device);
}
CUDA_API driver_status cuCtxCreate_v4(context** c, void*, unsigned flags, int device) {
  return create_context(c, flags, device);
}
CUDA_API driver_status cuCtxDestroy(context* c) { return destroy(c); }
CUDA_API driver_status cuCtxDestroy_v2(context* c) { return destroy(c); }
CUDA_API driver_status cuCtxPushCurrent(context* c) { return push(c); }
CUDA_API driver_status cuCtxPushCurrent_v2(context* c) { return push(c); }
CUDA_API driver_status cuCtxPopCurrent(context** c) { return pop(c); }
CUDA_API driver_status cuCtxPopCurrent_v2(context** c) { return pop(c); }
CUDA_API driver_status cuCtxSetCurrent(context* c) {
  return driver_call([&](state& s) {
    if (c != nullptr && !is_context(s, c)) return cudaErrorDeviceUninitialized;
    set_context(c);
    return cudaSuccess;
  });
}
CUDA_API driver_status cuCtxGetCurrent(context** c) {
  return driver_call([&](state&) { return put(c, current_context()); });
}
CUDA_API driver_status cuCtxGetDevice(int* device) {
  return context_call([&](state&) { return put(device, 0); });
}
CUDA_API driver_status cuCtxGetDevice_v2(int* device, context* c) {
  return driver_call(
      [&](state& s) { return context_or_current(s, c) != nullptr ? put(device, 0) : cudaErrorDeviceUninitialized; });
}
CUDA_API driver_status cuCtxGetId(context* c, unsigned long long* id) {
  return driver_call([&](state& s) {
    const context* known = context_or_current(s, c);
    return known != nullptr ? put(id, known->id) : cudaErrorDeviceUninitialized;
  });
}
CUDA_API driver_status cuCtxGetApiVersion(context* c, unsigned* v) {
  return driver_call([&](state& s) {
    return context_or_current(s, c) != nullptr ? put(v, api_version) : cudaErrorDeviceUninitialized;
  });
}
CUDA_API driver_status cuCtxGetFlags(unsigned* flags) {
  return context_call([&](state&) { return put(flags, current_context()->flags); });
}
CUDA_API driver_status cuCtxSetFlags(unsigned flags) {
  return context_call([&](state&) {
    current_context()->flags = flags;
    return cudaSuccess;
  });
}
CUDA_API driver_status cuCtxSynchronize() {
  return context_call([](state& s) { return wait_for_all(s); });
}
CUDA_API driver_status cuCtxSynchronize_v2(context* c) {
  return driver_call(
      [&](state& s) { return context_or_current(s, c) != nullptr ? wait_for_all(s) : cudaErrorDeviceUninitialized; });
}
CUDA_API driver_status cuCtxSetLimit(int which, std::size_t value) {
  return context_call([&](state& s) { return set_limit(s, which, value); });
}
CUDA_API driver_status cuCtxGetLimit(std::size_t* value, int which) {
  return context_call([&](state& s) { return get_limit(s, which, value); });
}
CUDA_API driver_status cuCtxGetCacheConfig(int* config) {
  return context_call([&](state&) { return put(config, current_context()->cache_config); });
}
CUDA_API driver_status cuCtxSetCacheConfig(int config) {
  return context_call([&](state&) {
    current_context()->cache_config = config;
    return cudaSuccess;
  });
}
CUDA_API driver_status cuCtxGetSharedMemConfig(int* config) {
  return context_call([&](state&) { return put(config, 1); });  // banks of four bytes
}
CUDA_API driver_status cuCtxSetSharedMemConfig(int) {
  return context_call([](state&) { return cudaSuccess; });
}
CUDA_API driver_status cuCtxResetPersistingL2Cache() {
  return context_call([](state&) { return cudaSuccess; });
}
CUDA_API driver_status cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return context_call([&](state&) {
    if (least != nullptr) *least = least_priority;
    if (greatest != nullptr) *greatest = greatest_priority;
    return cudaSuccess;
  });
}

CUDA_API driver_status cuCtxEnablePeerAccess(context*, unsigned) {
  return driver_call([](state&) { return cudaErrorDeviceUninitialized; });
}
CUDA_API driver_status cuCtxDisablePeerAccess(context*) {
  return driver_call([](state&) { return cudaErrorPeerAccessNotEnabled; });
}
