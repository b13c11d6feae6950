// Memory pools, which allocate like cudaMalloc. Each pool counts its bytes in use.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct pool {
  std::map<int, std::uint64_t> attributes;  // attributes that the program set
  int handle_types = 0;                     // handle types by which other processes can open the pool
  // `used` is the number of bytes that the program uses. `reserved` is the number of bytes that the pool reserves, in
  // large units. `most_used` and `most_reserved` are the largest values of these numbers so far.
  std::uint64_t used = 0, most_used = 0, reserved = 0, most_reserved = 0;
  // Bytes that the device has mapped on the timeline, and the number of waits of the host at that time. At a wait, a GPU
  // gives back what the pool need not keep.
  std::uint64_t mapped = 0, waits = 0;
};

pool* default_pool();
// Returns whether an allocation of these bytes needs memory that is not mapped, after so many waits of the host.
bool maps_memory(pool& p, std::uint64_t bytes, std::uint64_t waits);
// Returns the pool for allocations that name no pool: the pool that the program has set, or otherwise the default pool.
pool* current_pool();
error set_current_pool(pool* p);
error make_pool(pool** p, int handle_types);
error make_pool(pool** p, const pool_properties* properties);
// Destroys a pool. The structure stays in memory while allocations point to it. If the pool was the current pool, the
// default pool becomes current.
error destroy_pool(pool* p);

// Functions that count the bytes of a new allocation and of a released allocation.
void take_from(pool& p, std::uint64_t bytes);
void give_to(pool& p, std::uint64_t bytes);
// Reduces the reserved bytes to this number, but not below the bytes in use.
error trim_pool(pool* p, std::uint64_t bytes);

error set_pool_attribute(pool* p, int which, const void* value);
error pool_attribute(const pool* p, int which, void* value);

}  // namespace bankwise::cuda
