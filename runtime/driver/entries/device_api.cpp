// Entry points of the driver: devices.
#include <algorithm>
#include <cstring>
#include <optional>

#include "bankwise/ability.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/device_call.hpp"

using namespace bankwise::cuda;

namespace {

// What only the driver asks of a device, by number; every other one up to the last is 0 here.
struct attribute_row {
  int number, value;
  std::optional<bankwise::ability> needs = {};
};
constexpr attribute_row driver_attributes[] = {
    {102, 1},                                  // virtual memory management
    {103, 1},                                  // memory in files that other processes get
    {127, 1, bankwise::ability::tensor_copy},  // tensor maps
};
constexpr int last_attribute = 148;

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
    return is_bus_id(text) ? put(device, 0) : cudaErrorInvalidDevice;
  });
}
CUDA_API driver_status cuDeviceCanAccessPeer(int* can, int device, int) {
  return with_device(device, [&](state&) { return put(can, 0); });
}
