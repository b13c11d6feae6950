// The runtime's functions for devices, limits, errors and versions.
#include <cstring>

#include "runtime/cudart/define_entries.hpp"
#include "runtime/cudart/properties.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/entries/proc_address.hpp"
#include "runtime/process/process.hpp"
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

constexpr int runtime_version = BANKWISE_CUDART == 12 ? 12090 : 13000;

error peek_at_last_error() {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  const error e = s.sticky != cudaSuccess ? s.sticky : last_error;
  if (e != cudaSuccess) see_errors(s);
  return e;
}
// The program asks for the name or text of an error, so it has looked at the error.
const error_row& asked_row(error e) {
  if (e != cudaSuccess) {
    state& s = the_state();
    const std::lock_guard lock(s.mutex);
    see_errors(s, e);
  }
  return row_of(e);
}
error take_last_error() {
  const error e = peek_at_last_error();
  last_error = cudaSuccess;
  return e;
}

// Writes a version number to `where`. Does not start the driver.
error tell_version(const char* entry, int* where, int number) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  const error e = put(where, number);
  note_call(s, entry, e);
  return e == cudaSuccess ? e : last_error = e;
}

error check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
error check_devices(const int* devices, int count) {
  for (int i = 0; i < count; ++i)
    if (devices == nullptr || devices[i] != 0) return cudaErrorInvalidDevice;
  return cudaSuccess;
}
error describe_device(device_properties* p, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (p == nullptr) return cudaErrorInvalidValue;
  describe(*p);
  return cudaSuccess;
}
error tell_device_attribute(int* value, int number, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  return value != nullptr && attribute(number, *value) ? cudaSuccess : cudaErrorInvalidValue;
}
error tell_bus_id(char* text, int bytes, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (text == nullptr || bytes < static_cast<int>(sizeof device_bus_id)) return cudaErrorInvalidValue;
  std::memcpy(text, device_bus_id, sizeof device_bus_id);
  return cudaSuccess;
}
error tell_entry_point(const char* symbol, void** address, int cuda, unsigned long long flags, proc_status* status) {
  if (symbol == nullptr || address == nullptr) return cudaErrorInvalidValue;
  find_proc(symbol, address, cuda, status,
            (flags & per_thread_default_stream) != 0 || (flags == 0 && is_thread_call()));
  return cudaSuccess;
}

}  // namespace

#include "runtime/cudart/entries/device.def"
