// Memory pools: they allocate memory as cudaMalloc does, and count the bytes in use of each pool.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct pool {
  std::map<int, std::uint64_t> attributes;  // as set: what may be reused, and how much is kept
  int handle_types = 0;                     // the kinds of handles by which other processes can open it
  // Bytes that the program uses, and bytes that the pool has reserved, in large pieces.
  std::uint64_t used = 0, most_used = 0, reserved = 0, most_reserved = 0;
};

pool* default_pool();
// The pool of allocations that do not name one: the default pool until the program sets another.
pool* current_pool();
error set_current_pool(pool* p);
error make_pool(pool** p, int handle_types);
error make_pool(pool** p, const pool_properties* properties);
// A destroyed pool stays in memory for allocations that still name it, but is no longer current.
error destroy_pool(pool* p);

// Counts an allocation, or its end.
void take_from(pool& p, std::uint64_t bytes);
void give_to(pool& p, std::uint64_t bytes);
// Reduces the pool to this many bytes, but not below what is in use.
error trim_pool(pool* p, std::uint64_t bytes);

error set_pool_attribute(pool* p, int which, const void* value);
error pool_attribute(const pool* p, int which, void* value);

}  // namespace bankwise::cuda
