// The part of the CUDA C ABI that the driver and the runtime of the stand-ins share. The declarations are our own, so
// that the stand-ins build without a toolkit. If NVIDIA's headers are installed, tests/runtime/cuda_abi_layout.cpp
// compares the structures with these headers.
#pragma once

#include <cstddef>
#include <cstdint>

// Marks a function that programs call. All other functions are hidden.
#define CUDA_API extern "C" __attribute__((visibility("default")))

namespace bankwise::cuda {

enum error : int {
#define ERROR(code, name, text) name = code,
#include "runtime/device/errors.def"
#undef ERROR
};

struct dim3 {
  unsigned x, y, z;
};
struct extent {
  std::size_t width, height, depth;
};
struct position {
  std::size_t x, y, z;
};
struct pitched_pointer {
  void* pointer;
  std::size_t pitch, width, height;
};

struct channel_format {
  int x, y, z, w;  // number of bits of each channel
  int kind;
};

enum copy_kind : int { host_to_host, host_to_device, device_to_host, device_to_device, by_address };

struct copy_3d_parameters {
  void* from_array;
  position from_position;
  pitched_pointer from;
  void* to_array;
  position to_position;
  pitched_pointer to;
  extent size;
  copy_kind kind;
};

struct function_attributes {
  std::size_t static_shared_bytes, constant_bytes, local_bytes;
  int max_threads, registers, ptx_version, binary_version, caches_loads, max_dynamic_shared_bytes, carveout;
  int needs_cluster, cluster_width, cluster_height, cluster_depth, cluster_policy, large_clusters;
  int reserved[16];
};
// Function attributes have the same numbers in the runtime and in the driver.
enum function_attribute : int {
  max_dynamic_shared = 8,
  carveout,
  needs_cluster_attribute,
  cluster_width_attribute,
  cluster_height_attribute,
  cluster_depth_attribute,
  large_clusters_attribute,
  cluster_policy_attribute,
};

enum memory_type : int { unregistered_memory, host_memory, device_memory_type, managed_memory };
struct memory_location {
  int type, id;
};

enum launch_attribute_id : int { launch_cooperative = 2, launch_cluster = 4, launch_early = 6 };
struct launch_attribute {
  launch_attribute_id id;
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
    int early;  // whether the kernel may begin before the end of the kernel before it
    dim3 cluster;
  };
};
struct launch_config {
  dim3 grid, block;
  std::size_t dynamic_shared_bytes;
  struct stream* stream;
  launch_attribute* attributes;
  unsigned attribute_count;
};

enum node_type : int {
  kernel_node,
  copy_node,
  fill_node,
  host_node,
  graph_node_type,
  empty_node,
  wait_node,
  record_node,
  external_signal_node,
  external_wait_node,
  allocation_node,
  release_node,
  memory_operation_node,
  conditional_node,
};
using host_function = void (*)(void*);
using stream_callback = void (*)(struct stream*, error, void*);

struct kernel_node_parameters {
  void* function;
  dim3 grid, block;
  unsigned dynamic_shared_bytes;
  void** arguments;
  void** extra;
};
struct fill_node_parameters {
  void* to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};
struct host_node_parameters {
  host_function function;
  void* data;
};
struct pool_properties {
  int allocation_type, handle_types;
  memory_location location;
  void* security;
  std::size_t most_bytes;
  unsigned short usage;
  unsigned char reserved[54];
};
struct allocation_node_parameters {
  pool_properties pool;
  const void* access;
  std::size_t access_count;
  std::size_t bytes;
  void* pointer;
};
struct copy_node_parameters {
  int flags, reserved[3];
  copy_3d_parameters parameters;
};
enum conditional_type : int { condition_if, condition_while, condition_switch };
struct conditional_parameters {
  unsigned long long handle;
  conditional_type type;
  unsigned size;          // number of `bodies`
  struct graph** bodies;  // array of graphs; the driver sets this pointer
};
// The condition under which a node may start: an earlier node has ended. If the earlier node is a kernel, the kernel
// may also trigger the start before it ends.
struct edge_data {
  unsigned char from_port, to_port, type, reserved[5];
};
// A part of a device, for green contexts.
struct device_resource {
  int type;
  unsigned char padding[92];
  struct {
    unsigned count;  // number of multiprocessors
  } sm;
  unsigned char rest[44];
};
struct execution_affinity {
  int type;
  unsigned multiprocessors;
};
// One copy in a list of copies.
struct box_copy {
  enum side_type : int { in_memory = 1, in_an_array };
  struct side {
    side_type type;
    std::uint64_t address;
    std::size_t row_length, layer_height;
    memory_location hint;
  } from, to;
  extent size;
  int order;
  unsigned flags;
};
// The value of a launch attribute, as bytes.
struct attribute_value {
  alignas(8) char bytes[64];
};
struct node_parameters {
  node_type type;
  int reserved0[3];
  union {
    long long reserved1[29];
    kernel_node_parameters kernel;
    copy_node_parameters copy;
    fill_node_parameters fill;
    host_node_parameters host;
    struct graph* child;
    struct event* event;
    allocation_node_parameters allocation;
    void* release;
    conditional_parameters conditional;
  };
  long long reserved2;
};
struct update_result {
  int result;
  struct node *error_node, *from_node;
};
struct instantiate_parameters {
  unsigned long long flags;
  struct stream* upload;
  struct node* error_node;
  int result;
};

}  // namespace bankwise::cuda
