// The parts of the CUDA driver's C ABI that the stand-in supports, without those that the runtime also uses. If
// NVIDIA's header is installed, tests/runtime/driver_abi_test.cpp compares the structures with it.
#pragma once

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

enum driver_status : int {
#define STATUS(code, name) name = code,
#include "runtime/device/statuses.def"
#undef STATUS
};

using device_pointer = std::uint64_t;
// A handle of physical memory. Such memory has no address until it is mapped.
using physical_handle = unsigned long long;

enum driver_memory_type : unsigned { on_host = 1, on_device, in_array, unified };

struct driver_copy_2d {
  std::size_t from_x, from_y;
  driver_memory_type from_type;
  const void* from_host;
  device_pointer from_device;
  void* from_array;
  std::size_t from_pitch;
  std::size_t to_x, to_y;
  driver_memory_type to_type;
  void* to_host;
  device_pointer to_device;
  void* to_array;
  std::size_t to_pitch;
  std::size_t width, height;
};

struct driver_copy_3d {
  std::size_t from_x, from_y, from_z, from_level;
  driver_memory_type from_type;
  const void* from_host;
  device_pointer from_device;
  void* from_array;
  void* reserved0;
  std::size_t from_pitch, from_height;
  std::size_t to_x, to_y, to_z, to_level;
  driver_memory_type to_type;
  void* to_host;
  device_pointer to_device;
  void* to_array;
  void* reserved1;
  std::size_t to_pitch, to_height;
  std::size_t width, height, depth;
};

// Enumerators of the driver. The runtime's enumerators are computed from the driver's enumerators.
enum array_format : unsigned {
  unsigned_8 = 1,
  unsigned_16,
  unsigned_32,
  signed_8 = 8,
  signed_16,
  signed_32,
  half_float = 16,
  float_32 = 32
};
enum array_flag : unsigned { is_layered = 1, has_surfaces = 2, is_cubemap = 4, has_gather = 8 };
struct array_descriptor {
  std::size_t width, height;
  array_format format;
  unsigned channels;
};
struct array_3d_descriptor {
  std::size_t width, height, depth;
  array_format format;
  unsigned channels, flags;
};

enum resource_kind : int { array_resource, mipmapped_resource, linear_resource, pitch_2d_resource };
struct resource_descriptor {
  resource_kind kind;
  union {
    void* array;
    struct {
      device_pointer at;
      array_format format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    struct {
      device_pointer at;
      array_format format;
      unsigned channels;
      std::size_t width, height, pitch;
    } pitch_2d;
    int reserved[32];
  };
  unsigned flags;
};
enum texture_flag : unsigned {
  reads_integers = 1,
  normalized_coordinates = 2,
  is_srgb = 16,
  no_trilinear_optimization = 32,
  is_seamless = 64
};
struct texture_descriptor {
  int address_mode[3];  // values: 0 wrap, 1 clamp, 2 mirror, 3 border
  int is_linear;
  unsigned flags, most_anisotropy;
  int between_levels_linear;
  float level_bias, first_level, last_level;
  float border[4];
  int reserved[12];
};
struct view_descriptor {
  int format;
  std::size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
  unsigned reserved[16];
};
// The runtime's resource descriptor. The runtime has the same view descriptor as the driver.
struct runtime_resource {
  resource_kind kind;
  union {
    void* array;
    struct {
      void* at;
      channel_format format;
      std::size_t bytes;
    } linear;
    struct {
      void* at;
      channel_format format;
      std::size_t width, height, pitch;
    } pitch_2d;
    int reserved[32];
  };
  unsigned flags;
};
struct runtime_texture {
  int address_mode[3];
  int is_linear, reads_floats, is_srgb;
  float border[4];
  int normalized;
  unsigned most_anisotropy;
  int between_levels_linear;
  float level_bias, first_level, last_level;
  int no_trilinear_optimization, is_seamless;
};

struct driver_kernel_parameters {
  struct function* what;
  dim3 grid, block;
  unsigned dynamic_shared_bytes;
  void** arguments;
  void** extra;
  // Only newer versions of the structure have these members.
  struct function* kernel;  // kernel to launch if `what` is null
  struct context* in;
};
// The first version of driver_kernel_parameters.
struct first_kernel_parameters {
  struct function* what;
  dim3 grid, block;
  unsigned dynamic_shared_bytes;
  void** arguments;
  void** extra;
};
struct driver_copy_node_parameters {
  int flags, reserved;
  struct context* in;
  driver_copy_3d parameters;
};

// An operation of a stream on a word of memory.
enum memory_operation_kind : int {
  wait_32 = 1,
  write_32,
  flush_writes,
  wait_64,
  write_64,
  memory_barrier,
};
enum wait_condition : unsigned { at_least, equal, any_bit, any_bit_missing };
union memory_operation {
  memory_operation_kind kind;
  struct {
    memory_operation_kind kind;
    std::uint64_t address, value;  // 32-bit operations use the lower half of `value`
    unsigned flags;
    std::uint64_t alias;
  } word;
  std::uint64_t padding[6];
};
struct memory_operation_parameters {
  struct context* in;
  unsigned count;
  memory_operation* operations;
  unsigned flags;
};

struct driver_node_parameters {
  node_type type;
  int reserved0[3];
  union {
    long long reserved1[29];
    driver_kernel_parameters kernel;
    driver_copy_node_parameters copy;
    fill_node_parameters fill;
    host_node_parameters host;
    struct graph* child;
    struct event* event;
    allocation_node_parameters allocation;
    device_pointer release;
    memory_operation_parameters memory_operations;
    conditional_parameters conditional;
  };
  long long reserved2;
};

enum class proc_status : int { found, not_there, version_too_old };

struct driver_launch_config {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes;
  struct stream* on;
  launch_attribute* attributes;
  unsigned attribute_count;
};
// Keys in the array `extra` of a launch. After each key except launch_end, the array has a pointer to the value.
inline constexpr std::uintptr_t launch_end = 0, launch_buffer = 1, launch_buffer_size = 2;

struct allocation_properties {
  int type, handle_types;
  memory_location location;
  void* windows;
  unsigned char compression, direct_access;
  unsigned short usage;
  unsigned char reserved[4];
};
struct access_description {
  memory_location location;
  int flags;  // values: 0 none, 1 read, 3 read and write
};

// Returns the bytes of dynamic shared memory that a block with `threads` threads needs.
using shared_of_block = std::size_t (*)(int threads);

struct uuid {
  char bytes[16];
};

enum driver_function_attribute : int {
  most_threads_attribute,
  static_shared_attribute,
  constant_attribute,
  local_attribute,
  registers_attribute,
  ptx_version_attribute,
  binary_version_attribute,
  caching_attribute,
  max_dynamic_shared_attribute,
  carveout_attribute,
  driver_function_attributes = 16,
};

enum pointer_attribute : int {
  pointer_context = 1,
  pointer_memory_type,
  pointer_on_device,
  pointer_on_host,
  pointer_buffer_id = 7,
  pointer_is_managed,
  pointer_device,
  pointer_begin = 11,
  pointer_bytes,
  pointer_is_mapped,
  pointer_access = 16,
};

enum jit_option : int {
  jit_max_registers = 0,
  jit_wall_time = 2,
  jit_info_buffer,
  jit_info_bytes,
  jit_error_buffer,
  jit_error_bytes,
  jit_optimization,
  jit_debug_info = 11,
  jit_line_info = 13,
};
enum jit_input : int { input_cubin, input_ptx, input_fatbin, input_object, input_library, input_nvvm };

}  // namespace bankwise::cuda
