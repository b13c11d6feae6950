// Entry points of the driver: start, versions, errors, devices, contexts, profiler.
#include <algorithm>
#include <cstring>
#include <optional>

#include "bankwise/ability.hpp"
#include "device.hpp"
#include "driver_call.hpp"
#include "emulate/launch.hpp"
#include "proc_address.hpp"
#include "stream.hpp"

using namespace bankwise::cuda;

namespace {

constexpr int version = 13000;
constexpr unsigned api_version = 3020;  // of every context since CUDA 3.2

struct status_row {
  int code;
  const char *name, *text;
};
constexpr status_row statuses[] = {
#define STATUS(code, name) {code, #name, nullptr},
#include "driver_statuses.def"
#undef STATUS
};
constexpr status_row meanings[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "errors.def"
#undef ERROR
    {CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "", "context already current"},
    {CUDA_ERROR_KEY_ROTATION, "", "key rotation"},
};

template <std::size_t n>
const status_row* row_of(const status_row (&rows)[n], int code) {
  const status_row* row = std::find_if(rows, rows + n, [&](const status_row& r) { return r.code == code; });
  return row == rows + n ? nullptr : row;
}

// What only the driver asks of a device, by number; every other one up to the last is 0 here.
struct attribute_row {
  int number, value;
  std::optional<bankwise::ability> needs = {};
};
constexpr attribute_row driver_attributes[] = {
    {102, 1},                                  // virtual memory management
    {127, 1, bankwise::ability::tensor_copy},  // tensor maps
};
constexpr int last_attribute = 148;

template <class Body>
driver_status with_device(int device, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call([&](state& s) { return device == 0 ? body(s) : cudaErrorInvalidDevice; }, entry);
}

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

driver_status total_memory(std::size_t* bytes, int device, const char* entry = __builtin_FUNCTION()) {
  return with_device(
      device, [&](state&) { return put(bytes, device_memory_bytes()); }, entry);
}

driver_status tell_uuid(uuid* to, int device) {
  return with_device(device, [&](state&) {
    if (to == nullptr) return cudaErrorInvalidValue;
    std::memcpy(to->bytes, device_uuid(), sizeof to->bytes);
    return cudaSuccess;
  });
}

}  // namespace

CUDA_API driver_status cuInit(unsigned flags) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  s.driver_ready = true;
  note_call(s, "cuInit", CUDA_SUCCESS);
  return CUDA_SUCCESS;
}
CUDA_API driver_status cuDriverGetVersion(int* v) { return status_of(put(v, version)); }

CUDA_API driver_status cuGetErrorName(driver_status status, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const status_row* row = row_of(statuses, status);
  *text = row != nullptr ? row->name : nullptr;
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUDA_API driver_status cuGetErrorString(driver_status status, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const status_row* row = row_of(statuses, status) != nullptr ? row_of(meanings, status) : nullptr;
  *text = row != nullptr ? row->text : nullptr;
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDA_API driver_status cuGetProcAddress(const char* name, void** address, int cuda, std::uint64_t) {
  return find_proc(name, address, cuda, nullptr);
}
CUDA_API driver_status cuGetProcAddress_v2(const char* name, void** address, int cuda, std::uint64_t,
                                           proc_status* status) {
  return find_proc(name, address, cuda, status);
}

// NVIDIA's own libraries ask for tables that are documented nowhere. NVRTC does without; a CUDA runtime that is linked into
// a program or a library does not.
CUDA_API driver_status cuGetExportTable(const void** table, const uuid* which) {
  static constexpr unsigned char of_nvrtc[16] = {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41,
                                                 0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28};
  if (table == nullptr || which == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  if (std::memcmp(which->bytes, of_nvrtc, sizeof of_nvrtc) != 0)
    say("cuGetExportTable: a CUDA runtime that is linked statically, into the program or a library such as cuBLAS, "
        "needs "
        "tables of NVIDIA's driver that bankwise does not have; it returns CUDA_ERROR_NOT_FOUND");
  return CUDA_ERROR_NOT_FOUND;
}

// --- devices

CUDA_API driver_status cuDeviceGet(int* device, int ordinal) {
  return with_device(ordinal, [&](state&) { return put(device, 0); });
}
CUDA_API driver_status cuDeviceGetCount(int* count) {
  return driver_call([&](state&) { return put(count, 1); });
}
CUDA_API driver_status cuDeviceGetName(char* to, int bytes, int device) {
  return with_device(device, [&](state&) {
    if (to == nullptr || bytes <= 0) return cudaErrorInvalidValue;
    const std::string whole = device_name();
    const std::size_t n = std::min(whole.size(), static_cast<std::size_t>(bytes) - 1);
    std::memcpy(to, whole.data(), n);
    to[n] = '\0';
    return cudaSuccess;
  });
}
CUDA_API driver_status cuDeviceGetUuid(uuid* to, int device) { return tell_uuid(to, device); }
CUDA_API driver_status cuDeviceGetUuid_v2(uuid* to, int device) { return tell_uuid(to, device); }
CUDA_API driver_status cuDeviceTotalMem(unsigned* bytes, int device) {
  return with_device(device, [&](state&) {
    return put(bytes, static_cast<unsigned>(std::min<std::size_t>(device_memory_bytes(), ~0u)));
  });
}
CUDA_API driver_status cuDeviceTotalMem_v2(std::size_t* bytes, int device) { return total_memory(bytes, device); }
CUDA_API driver_status cuDeviceGetAttribute(int* value, int number, int device) {
  return with_device(device, [&](state&) {
    if (value == nullptr || number <= 0 || number > last_attribute) return cudaErrorInvalidValue;
    if (attribute(number, *value)) return cudaSuccess;
    const attribute_row* row = std::find_if(std::begin(driver_attributes), std::end(driver_attributes),
                                            [&](const attribute_row& a) { return a.number == number; });
    const bool has = row != std::end(driver_attributes) && (!row->needs || bankwise::can(the_device().sm, *row->needs));
    *value = has ? row->value : 0;
    return cudaSuccess;
  });
}
CUDA_API driver_status cuDeviceComputeCapability(int* major, int* minor, int device) {
  return with_device(device, [&](state&) {
    if (major == nullptr || minor == nullptr) return cudaErrorInvalidValue;
    *major = static_cast<int>(the_device().sm / 10);
    *minor = static_cast<int>(the_device().sm % 10);
    return cudaSuccess;
  });
}
CUDA_API driver_status cuDeviceGetPCIBusId(char* text, int bytes, int device) {
  return with_device(device, [&](state&) {
    if (text == nullptr || bytes < static_cast<int>(sizeof device_bus_id)) return cudaErrorInvalidValue;
    std::memcpy(text, device_bus_id, sizeof device_bus_id);
    return cudaSuccess;
  });
}
CUDA_API driver_status cuDeviceGetByPCIBusId(int* device, const char* text) {
  return driver_call([&](state&) {
    if (text == nullptr) return cudaErrorInvalidValue;
    return std::strcmp(text, device_bus_id) == 0 ? put(device, 0) : cudaErrorInvalidDevice;
  });
}
CUDA_API driver_status cuDeviceCanAccessPeer(int* can, int device, int) {
  return with_device(device, [&](state&) { return put(can, 0); });
}
CUDA_API driver_status cuCtxEnablePeerAccess(context*, unsigned) {
  return driver_call([](state&) { return cudaErrorDeviceUninitialized; });
}
CUDA_API driver_status cuCtxDisablePeerAccess(context*) {
  return driver_call([](state&) { return cudaErrorPeerAccessNotEnabled; });
}

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
    return put(active, s.primary.retained != 0 || current_context() == &s.primary ? 1 : 0);
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
// Everything ran at its call.
CUDA_API driver_status cuCtxSynchronize() {
  return context_call([](state&) { return cudaSuccess; });
}
CUDA_API driver_status cuCtxSynchronize_v2(context* c) {
  return driver_call(
      [&](state& s) { return context_or_current(s, c) != nullptr ? cudaSuccess : cudaErrorDeviceUninitialized; });
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

CUDA_API driver_status cuProfilerInitialize(const char*, const char*, int) { return CUDA_SUCCESS; }
CUDA_API driver_status cuProfilerStart() { return CUDA_SUCCESS; }
CUDA_API driver_status cuProfilerStop() { return CUDA_SUCCESS; }
