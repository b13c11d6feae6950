// The driver's functions for the device, and for features that need real hardware or several devices.
#include <algorithm>
#include <cstring>
#include <optional>

#include "bankwise/ability.hpp"
#include "base/format.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/call.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/stream/graph.hpp"

using namespace bankwise::cuda;

namespace {

// Attributes that only the driver has. An attribute that is not in the table is 0, if its number is not larger than the
// last number.
struct attribute_row {
  int number, value;
  std::optional<bankwise::ability> needs = {};
};
constexpr attribute_row driver_attributes[] = {
    {102, 1},                                  // attribute 102: virtual memory management is supported
    {103, 1},                                  // attribute 103: memory can be shared as file descriptors
    {127, 1, bankwise::ability::tensor_copy},  // attribute 127: tensor maps are supported
};
constexpr int last_attribute = 148;

error tell_device_attribute(int* value, int number) {
  if (value == nullptr || number <= 0 || number > last_attribute) return cudaErrorInvalidValue;
  if (attribute(number, *value)) return cudaSuccess;
  const attribute_row* row = std::find_if(std::begin(driver_attributes), std::end(driver_attributes),
                                          [&](const attribute_row& a) { return a.number == number; });
  const bool has = row != std::end(driver_attributes) && (!row->needs || bankwise::can(the_device().sm, *row->needs));
  *value = has ? row->value : 0;
  return cudaSuccess;
}
error tell_name(char* to, int bytes) {
  if (to == nullptr || bytes <= 0) return cudaErrorInvalidValue;
  const std::string whole = device_name();
  const std::size_t n = std::min(whole.size(), static_cast<std::size_t>(bytes) - 1);
  std::memcpy(to, whole.data(), n);
  to[n] = '\0';
  return cudaSuccess;
}
error tell_uuid(uuid* to) {
  if (to == nullptr) return cudaErrorInvalidValue;
  std::memcpy(to->bytes, device_uuid(), sizeof to->bytes);
  return cudaSuccess;
}
error tell_capability(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return cudaErrorInvalidValue;
  *major = static_cast<int>(the_device().sm / 10);
  *minor = static_cast<int>(the_device().sm % 10);
  return cudaSuccess;
}
error tell_bus_id(char* text, int bytes) {
  if (text == nullptr || bytes < static_cast<int>(sizeof device_bus_id)) return cudaErrorInvalidValue;
  std::memcpy(text, device_bus_id, sizeof device_bus_id);
  return cudaSuccess;
}
error find_by_bus_id(int* device, const char* text) {
  if (text == nullptr) return cudaErrorInvalidValue;
  return is_bus_id(text) ? put(device, 0) : cudaErrorInvalidDevice;
}
error tell_no_atomics(unsigned* to, const int* operations, unsigned count) {
  if (to == nullptr || operations == nullptr || count == 0) return cudaErrorInvalidValue;
  std::memset(to, 0, count * sizeof *to);
  return cudaSuccess;
}

constexpr char no_multicast[] = "multicast objects need several devices, but bankwise emulates only one device";
constexpr char no_checkpoint[] = "bankwise cannot checkpoint a process, because a checkpoint needs a GPU";
error refuse(const char* entry, const char* why) {
  say(bankwise::formatted("{}: {}", entry, why));
  return cudaErrorNotSupported;
}

}  // namespace

#define ENTRIES "runtime/driver/entries/device_api.def"
#include "runtime/driver/entries/entry_functions.def"
