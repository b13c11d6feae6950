// Address ranges, and physical memory that is mapped to parts of them (cuMemAddressReserve, cuMemCreate, cuMemMap). The
// same memory may be mapped to several parts.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

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

inline constexpr std::uint64_t mapping_granularity = std::uint64_t{2} << 20;

error reserve_addresses(state& s, std::uint64_t* address, std::size_t bytes, std::size_t alignment);
error free_addresses(state& s, std::uint64_t address, std::size_t bytes);
error make_physical(state& s, physical_memory** handle, std::size_t bytes, bool shareable);
error release_physical(state& s, physical_memory* handle);
// Returns the memory that is mapped at an address. Counts one more handle of the program for this memory.
error retain_physical(state& s, physical_memory** handle, std::uint64_t address);
error map_physical(state& s, std::uint64_t address, std::size_t bytes, std::size_t offset, physical_memory* handle);
error unmap_physical(state& s, std::uint64_t address, std::size_t bytes);
error set_access(state& s, std::uint64_t address, std::size_t bytes, int access);
error get_access(state& s, std::uint64_t address, int* access);

}  // namespace bankwise::cuda
