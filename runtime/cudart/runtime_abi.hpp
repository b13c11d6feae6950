// What differs between the CUDA runtimes of version 12 and 13, which are built from one source: BANKWISE_CUDART says which.
#pragma once

#include "runtime/device/cuda_abi.hpp"

#if BANKWISE_CUDART != 12 && BANKWISE_CUDART != 13
#error "BANKWISE_CUDART is 12 or 13"
#endif

namespace bankwise::cuda {

struct device_properties {
#define BOTH(type, name, count) type name[count];
#if BANKWISE_CUDART == 12
#define ONLY_12(type, name, count) type name[count];
#define ONLY_13(type, name, count)
#else
#define ONLY_12(type, name, count)
#define ONLY_13(type, name, count) type name[count];
#endif
#include "runtime/cudart/device_properties.def"
#undef BOTH
#undef ONLY_12
#undef ONLY_13
};
static_assert(sizeof(device_properties) == (BANKWISE_CUDART == 12 ? 1032 : 1008));

struct pointer_attributes {
  memory_type type;
  int device;
  void* device_pointer;
  void* host_pointer;
#if BANKWISE_CUDART == 13
  long reserved[8];
#endif
};
}  // namespace bankwise::cuda
