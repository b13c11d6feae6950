// The part of the CUDA runtime's ABI that the driver does not share. Versions 12 and 13 are built from the same source.
// The macro BANKWISE_CUDART selects the version.
#pragma once

#include <cstring>

#include "runtime/device/driver_abi.hpp"

#if BANKWISE_CUDART != 12 && BANKWISE_CUDART != 13
#error "BANKWISE_CUDART is 12 or 13"
#endif

// ENTRY_V2(NAME) and FORWARD_V2(NAME) define a function with the name NAME in CUDA 13 and NAME_v2 in CUDA 12. CUDA 12
// also has an older function NAME.
#if BANKWISE_CUDART == 12
#define ENTRY_V2(name, ...) ENTRY(name##_v2, __VA_ARGS__)
#define FORWARD_V2(name, ...) FORWARD(name##_v2, __VA_ARGS__)
#else
#define ENTRY_V2(name, ...) ENTRY(name, __VA_ARGS__)
#define FORWARD_V2(name, ...) FORWARD(name, __VA_ARGS__)
#endif

namespace bankwise::cuda {

struct module;
struct graph_exec;
struct user_object;
struct array;
struct mipmapped_array;
struct batch_attributes;
struct log_listener;
using log_callback = void (*)(void* data, int level, char* message, std::size_t bytes);

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

// A structure that the program passes. CUDA 12's structure only has the first members.
template <class Whole, std::size_t bytes_in_12>
struct alignas(Whole) beginning_of {
  char bytes[BANKWISE_CUDART == 12 ? bytes_in_12 : sizeof(Whole)];

  Whole whole() const {
    Whole all{};
    std::memcpy(static_cast<void*>(&all), bytes, sizeof bytes);
    return all;
  }
  beginning_of& operator=(const Whole& all) {
    std::memcpy(bytes, &all, sizeof bytes);
    return *this;
  }
};
using given_resource = beginning_of<runtime_resource, 64>;
using given_view = beginning_of<view_descriptor, 48>;

// The parameters of a copy between two devices. Both are device 0, because there is only one device.
struct peer_copy_parameters {
  array* from_array;
  position from_position;
  pitched_pointer from;
  int from_device;
  array* to_array;
  position to_position;
  pitched_pointer to;
  int to_device;
  extent size;
};
}  // namespace bankwise::cuda
