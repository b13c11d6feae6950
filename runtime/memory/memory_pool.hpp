// Memory pools: they allocate as cudaMalloc does, and count the bytes in use of each pool.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct pool {
  std::map<int, std::uint64_t> attributes;  // attributes that the program set: what may be reused, and how much is kept
  int handle_types = 0;                     // the kinds of handles with which other processes can open the pool
  // Bytes that the program uses, and bytes that the pool has reserved in large units.
  std::uint64_t used = 0, most_used = 0, reserved = 0, most_reserved = 0;
};

pool* default_pool();
// The pool of allocations that name no pool: the default pool, until the program sets another.
pool* current_pool();
error set_current_pool(pool* p);
error make_pool(pool** p, int handle_types);
error make_pool(pool** p, const pool_properties* properties);
// Destroys a pool. Its object stays in memory for allocations that still name it. If the pool was current, the default
// pool becomes current.
error destroy_pool(pool* p);

// Counts the bytes of an allocation, or of its release.
void take_from(pool& p, std::uint64_t bytes);
void give_to(pool& p, std::uint64_t bytes);
// Reduces the reserved bytes to this number, but not below the bytes in use.
error trim_pool(pool* p, std::uint64_t bytes);

error set_pool_attribute(pool* p, int which, const void* value);
error pool_attribute(const pool* p, int which, void* value);

}  // namespace bankwise::cuda
