// The part of NVML's interface that the stand-in uses: results, and the structures that programs pass.
#pragma once

namespace bankwise::nvml {

enum nvml_result : int {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  not_found = 6,
  insufficient_size = 7
};

struct device_handle {};  // the program's handle is the address of this object
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

}  // namespace bankwise::nvml
