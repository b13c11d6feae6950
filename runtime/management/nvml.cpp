// NVML for the one emulated device: its identity, and facts that need no GPU. These functions do not start CUDA. So a
// program that only calls NVML gets no report.
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/device/cuda_abi.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/driver_abi.hpp"
#include "runtime/management/nvml_abi.hpp"

using bankwise::cuda::device_bus_id;
using bankwise::cuda::is_bus_id;
using bankwise::cuda::the_device;
using namespace bankwise::nvml;

namespace {

device_handle the_handle;

constexpr const char* driver_version = "580.65.06";
constexpr int cuda_driver_version = 13000;

int put_text(char* to, unsigned room, const std::string& text) {
  if (to == nullptr) return invalid_argument;
  if (text.size() >= room) return insufficient_size;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return success;
}
template <class T>
int put(T* to, T value) {
  if (to == nullptr) return invalid_argument;
  *to = value;
  return success;
}
bool is_device(const device_handle* d) { return d == &the_handle; }
template <class T>
int put_of(const device_handle* d, T* to, T value) {
  return is_device(d) ? put(to, value) : invalid_argument;
}

int put_text_of(const device_handle* d, char* to, unsigned room, const std::string& text) {
  return is_device(d) ? put_text(to, room, text) : invalid_argument;
}

// Returns the device's UUID as text, such as "GPU-62616e6b-7769-7365-2073-6d5f39302020".
std::string uuid_text() {
  const char* const bytes = bankwise::cuda::device_uuid();
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
    text += two;
  }
  return text;
}

int find(device_handle** to, bool is_there) {
  if (to == nullptr) return invalid_argument;
  if (!is_there) return not_found;
  *to = &the_handle;
  return success;
}
int tell_pci(const device_handle* d, pci_info* to) {
  if (!is_device(d) || to == nullptr) return invalid_argument;
  *to = {};
  std::sscanf(device_bus_id, "%x:%x:%x", &to->domain, &to->bus, &to->device);
  std::snprintf(to->legacy_bus_id, sizeof to->legacy_bus_id, "%s", device_bus_id);
  std::snprintf(to->bus_id, sizeof to->bus_id, "0000%s", device_bus_id);
  return success;
}
int tell_clock(const device_handle* d, unsigned* to) {
  return put_of(d, to, static_cast<unsigned>(the_device().gpu.clock_kilohertz / 1000));
}
const char* words_of(int result) {
  switch (result) {
    case success: return "Success";
    case uninitialized: return "Uninitialized";
    case invalid_argument: return "Invalid Argument";
    case not_supported: return "Not Supported";
    case not_found: return "Not Found";
    case insufficient_size: return "Insufficient Size";
    default: return "Unknown Error";
  }
}
int find_at(unsigned index, device_handle** to) { return index == 0 ? find(to, true) : invalid_argument; }
int find_by_bus_id(const char* id, device_handle** to) {
  return id == nullptr ? invalid_argument : find(to, is_bus_id(id));
}
int tell_capability(const device_handle* d, int* major, int* minor) {
  const int sm = static_cast<int>(the_device().sm);
  if (const int e = put_of(d, major, sm / 10); e != success) return e;
  return put(minor, sm % 10);
}
int tell_architecture(const device_handle* d, unsigned* to) {
  const unsigned sm = the_device().sm;
  return put_of(d, to, sm >= 100 ? 10u : sm >= 90 ? 9u : sm >= 89 ? 8u : sm >= 80 ? 7u : 6u);
}
int tell_cores(const device_handle* d, unsigned* to) {
  const unsigned lanes = the_device().sm == 75 || the_device().sm == 80 ? 64 : 128;
  return put_of(d, to, static_cast<unsigned>(the_device().gpu.multiprocessors) * lanes);
}
int tell_memory(const device_handle* d, memory_info* to) {
  const unsigned long long all = bankwise::cuda::device_memory_bytes();
  return put_of(d, to, memory_info{all, all, 0});
}
int tell_memory_2(const device_handle* d, memory_info_2* to) {
  if (!is_device(d) || to == nullptr) return invalid_argument;
  const unsigned long long all = bankwise::cuda::device_memory_bytes();
  *to = {to->version, all, 0, all, 0};
  return success;
}
// The list is empty, because no process uses a real device.
int list_processes(const device_handle* d, unsigned* count) { return put_of(d, count, 0u); }

}  // namespace

#define TYPED(type, name, parameters, ...) \
  CUDA_API type name parameters { return __VA_ARGS__; }
#define ENTRY(name, parameters, ...) TYPED(int, name, parameters, __VA_ARGS__)
#include "runtime/management/nvml_entries.def"
