// NVML for the one emulated device: its identity, and the facts that are known without a GPU. Nothing here starts CUDA:
// a program that only queries gets no report.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/device/cuda_abi.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/abi.hpp"

using bankwise::cuda::device_bus_id;
using bankwise::cuda::is_bus_id;
using bankwise::cuda::the_device;

namespace {

enum nvml_result : int {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  not_found = 6,
  insufficient_size = 7
};

struct device_handle {};  // the handle that programs use
device_handle the_handle;

struct pci_info {
  char legacy_bus_id[16];
  unsigned domain, bus, device, pci_device, pci_subsystem;
  char bus_id[32];
};
struct memory_info {
  unsigned long long total, free, used;
};
struct memory_info_2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct utilization {
  unsigned gpu, memory;
};

constexpr const char* driver_version = "580.65.06";
constexpr unsigned cuda_driver_version = 13000;

int put(char* to, unsigned room, const std::string& text) {
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

// "GPU-62616e6b-7769-7365-2073-6d5f39302020"
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
// Lists no process: the running process does not own the device.
int list_processes(const device_handle* d, unsigned* count) { return put_of(d, count, 0u); }

}  // namespace

// --- the library

CUDA_API int nvmlInit_v2() { return success; }
CUDA_API int nvmlInit() { return success; }
CUDA_API int nvmlInitWithFlags(unsigned) { return success; }
CUDA_API int nvmlShutdown() { return success; }
CUDA_API const char* nvmlErrorString(int result) {
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
CUDA_API int nvmlSystemGetDriverVersion(char* to, unsigned room) { return put(to, room, driver_version); }
CUDA_API int nvmlSystemGetNVMLVersion(char* to, unsigned room) {
  return put(to, room, std::string("13.") + driver_version);
}
CUDA_API int nvmlSystemGetCudaDriverVersion(int* to) { return put(to, static_cast<int>(cuda_driver_version)); }
CUDA_API int nvmlSystemGetCudaDriverVersion_v2(int* to) { return put(to, static_cast<int>(cuda_driver_version)); }

// --- which device

CUDA_API int nvmlDeviceGetCount_v2(unsigned* to) { return put(to, 1u); }
CUDA_API int nvmlDeviceGetCount(unsigned* to) { return put(to, 1u); }
CUDA_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, device_handle** to) {
  return index == 0 ? find(to, true) : invalid_argument;
}
CUDA_API int nvmlDeviceGetHandleByIndex(unsigned index, device_handle** to) {
  return nvmlDeviceGetHandleByIndex_v2(index, to);
}
CUDA_API int nvmlDeviceGetHandleByUUID(const char* uuid, device_handle** to) {
  return uuid == nullptr ? invalid_argument : find(to, uuid == uuid_text());
}
CUDA_API int nvmlDeviceGetHandleByPciBusId_v2(const char* id, device_handle** to) {
  return id == nullptr ? invalid_argument : find(to, is_bus_id(id));
}
CUDA_API int nvmlDeviceGetHandleByPciBusId(const char* id, device_handle** to) {
  return nvmlDeviceGetHandleByPciBusId_v2(id, to);
}
CUDA_API int nvmlDeviceGetIndex(device_handle* d, unsigned* to) { return put_of(d, to, 0u); }
CUDA_API int nvmlDeviceGetMinorNumber(device_handle* d, unsigned* to) { return put_of(d, to, 0u); }
CUDA_API int nvmlDeviceGetName(device_handle* d, char* to, unsigned room) {
  return is_device(d) ? put(to, room, bankwise::cuda::device_name()) : invalid_argument;
}
CUDA_API int nvmlDeviceGetUUID(device_handle* d, char* to, unsigned room) {
  return is_device(d) ? put(to, room, uuid_text()) : invalid_argument;
}
CUDA_API int nvmlDeviceGetPciInfo_v3(device_handle* d, pci_info* to) { return tell_pci(d, to); }
CUDA_API int nvmlDeviceGetPciInfo_v2(device_handle* d, pci_info* to) { return tell_pci(d, to); }
CUDA_API int nvmlDeviceGetPciInfo(device_handle* d, pci_info* to) { return tell_pci(d, to); }

// --- its identity

CUDA_API int nvmlDeviceGetCudaComputeCapability(device_handle* d, int* major, int* minor) {
  const int sm = static_cast<int>(the_device().sm);
  if (const int e = put_of(d, major, sm / 10); e != success) return e;
  return put(minor, sm % 10);
}
CUDA_API int nvmlDeviceGetArchitecture(device_handle* d, unsigned* to) {
  const unsigned sm = the_device().sm;
  return put_of(d, to, sm >= 100 ? 10u : sm >= 90 ? 9u : sm >= 89 ? 8u : sm >= 80 ? 7u : 6u);
}
CUDA_API int nvmlDeviceGetNumGpuCores(device_handle* d, unsigned* to) {
  const unsigned lanes = the_device().sm == 75 || the_device().sm == 80 ? 64 : 128;
  return put_of(d, to, static_cast<unsigned>(the_device().gpu.multiprocessors) * lanes);
}
CUDA_API int nvmlDeviceGetMemoryInfo(device_handle* d, memory_info* to) {
  const unsigned long long all = bankwise::cuda::device_memory_bytes();
  return put_of(d, to, memory_info{all, all, 0});
}
CUDA_API int nvmlDeviceGetMemoryInfo_v2(device_handle* d, memory_info_2* to) {
  if (!is_device(d) || to == nullptr) return invalid_argument;
  const unsigned long long all = bankwise::cuda::device_memory_bytes();
  *to = {to->version, all, 0, all, 0};
  return success;
}
CUDA_API int nvmlDeviceGetBAR1MemoryInfo(device_handle* d, memory_info* to) { return nvmlDeviceGetMemoryInfo(d, to); }
CUDA_API int nvmlDeviceGetClockInfo(device_handle* d, int, unsigned* to) { return tell_clock(d, to); }
CUDA_API int nvmlDeviceGetMaxClockInfo(device_handle* d, int, unsigned* to) { return tell_clock(d, to); }
CUDA_API int nvmlDeviceGetUtilizationRates(device_handle* d, utilization* to) {
  return put_of(d, to, utilization{0, 0});
}
CUDA_API int nvmlDeviceGetPersistenceMode(device_handle* d, int* to) { return put_of(d, to, 1); }
CUDA_API int nvmlDeviceGetComputeMode(device_handle* d, int* to) { return put_of(d, to, 0); }
CUDA_API int nvmlDeviceGetDisplayMode(device_handle* d, int* to) { return put_of(d, to, 0); }
CUDA_API int nvmlDeviceGetDisplayActive(device_handle* d, int* to) { return put_of(d, to, 0); }
CUDA_API int nvmlDeviceGetPerformanceState(device_handle* d, int* to) { return put_of(d, to, 0); }
CUDA_API int nvmlDeviceGetComputeRunningProcesses(device_handle* d, unsigned* n, void*) { return list_processes(d, n); }
CUDA_API int nvmlDeviceGetComputeRunningProcesses_v2(device_handle* d, unsigned* n, void*) {
  return list_processes(d, n);
}
CUDA_API int nvmlDeviceGetComputeRunningProcesses_v3(device_handle* d, unsigned* n, void*) {
  return list_processes(d, n);
}
CUDA_API int nvmlDeviceGetGraphicsRunningProcesses(device_handle* d, unsigned* n, void*) {
  return list_processes(d, n);
}
CUDA_API int nvmlDeviceGetGraphicsRunningProcesses_v2(device_handle* d, unsigned* n, void*) {
  return list_processes(d, n);
}
CUDA_API int nvmlDeviceGetGraphicsRunningProcesses_v3(device_handle* d, unsigned* n, void*) {
  return list_processes(d, n);
}
CUDA_API int nvmlDeviceIsMigDeviceHandle(device_handle* d, unsigned* to) { return put_of(d, to, 0u); }
CUDA_API int nvmlDeviceGetMaxMigDeviceCount(device_handle* d, unsigned* to) { return put_of(d, to, 0u); }

// --- other devices, which do not exist

CUDA_API int nvmlDeviceGetNvLinkState(device_handle* d, unsigned, int* to) { return put_of(d, to, 0); }
CUDA_API int nvmlDeviceGetP2PStatus(device_handle* a, device_handle* b, int, int* to) {
  return is_device(b) ? put_of(a, to, 0) : invalid_argument;
}
CUDA_API int nvmlDeviceGetTopologyCommonAncestor(device_handle* a, device_handle* b, int* to) {
  return is_device(b) ? put_of(a, to, 0) : invalid_argument;
}
CUDA_API int nvmlDeviceOnSameBoard(device_handle* a, device_handle* b, int* to) {
  return is_device(b) ? put_of(a, to, 1) : invalid_argument;
}
