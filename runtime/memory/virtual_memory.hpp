// Address ranges, and physical memory that is mapped to parts of them (cuMemAddressReserve, cuMemCreate, cuMemMap). The
// same memory may be mapped to several parts.
#pragma once

#include <cstdint>

#include "runtime/device/allocations.hpp"

namespace bankwise::cuda {

struct state;

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
