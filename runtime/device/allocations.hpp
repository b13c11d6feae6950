// What a program has allocated, as plain values: memory, ranges of addresses, textures and surfaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "runtime/device/driver_abi.hpp"

namespace bankwise::cuda {

struct state;
struct context;

inline std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uint64_t>(p); }
inline void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

enum class allocation_kind : std::uint8_t { device, host, managed, registered };
struct allocation {
  std::uint64_t bytes = 0;
  allocation_kind kind = allocation_kind::device;
  unsigned flags = 0;
  const context* owner = nullptr;  // context that was current when the memory was allocated
  bool of_graph = false;
  std::uint64_t device_bytes = 0;  // of managed memory: bytes whose pages have migrated on the timeline
  bool uses_room = false;          // whether it is a part of a slab (state::mapped_room, pinned_room)
  bool of_shared_pool = false;
  struct pool* from = nullptr;  // pool that counts the bytes of this allocation
  // The file and its mapping, for memory that other processes may use.
  int file = -1;
  std::byte* host = nullptr;
};

// Returns the first address of the allocation that contains the given address, and the allocation. The pointer is null
// if there is no such allocation.
std::pair<std::uint64_t, const allocation*> allocation_of(const state& s, const void* pointer);

// Memory that has no address until it is mapped.
struct physical_memory {
  std::uint64_t bytes = 0;
  int file = -1;         // descriptor of the file that contains the memory
  unsigned handles = 1;  // number of handles that the program has
  unsigned mappings = 0;
  bool shareable = false;  // whether other processes may open the memory

  physical_memory() = default;
  physical_memory(const physical_memory&) = delete;
  physical_memory& operator=(const physical_memory&) = delete;
  ~physical_memory();
};

struct mapping {
  std::uint64_t bytes = 0;
  physical_memory* what = nullptr;
  int access = 0;  // access of the device: 0 none yet, 1 read, 3 read and write
};

// A range of device addresses. The stand-in reserves a range of the same size on the host, so that adjacent mappings
// are also adjacent on the host.
struct reservation {
  std::uint64_t bytes = 0;
  std::byte* host = nullptr;
  std::map<std::uint64_t, mapping> mappings;  // key: first device address of the mapping
};

// Memory of another process that this process has opened.
struct imported_memory {
  std::uint64_t bytes = 0;
  std::byte* host = nullptr;
  // Device number, inode and offset, which together identify the memory.
  std::uint64_t device_of_file = 0, file = 0, offset = 0;
  unsigned opened = 1;
  bool from_pool = false;  // whether the program frees the memory like memory of a pool
};

// The descriptors from which the program made a texture or surface object.
struct object_descriptors {
  resource_descriptor resource{};
  texture_descriptor texture{};
  view_descriptor view{};  // view of an array; all zero if there is no view
  bool is_surface = false;
};

}  // namespace bankwise::cuda
