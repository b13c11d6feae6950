#include "runtime/memory/memory_pool.hpp"

#include <algorithm>
#include <cstring>

namespace bankwise::cuda {

namespace {

// Numbers of cudaMemPoolAttr.
enum pool_number : int { internal_reuse = 3, kept_bytes, reserved_now, reserved_most, used_now, used_most };

constexpr std::uint64_t piece_bytes = std::uint64_t{32} << 20;  // number of bytes that a pool reserves at a time

std::uint64_t in_pieces(std::uint64_t bytes) { return (bytes + piece_bytes - 1) / piece_bytes * piece_bytes; }

bool is_flag(int which) { return which <= internal_reuse; }
bool is_number(int which) { return which >= 1 && which <= used_most; }

void hold(pool& p, std::uint64_t least) {
  p.reserved = std::max(in_pieces(p.used), std::min(p.reserved, in_pieces(least)));
  p.most_reserved = std::max(p.most_reserved, p.reserved);
}

pool*& chosen_pool() {
  static pool* chosen = nullptr;
  return chosen;
}

}  // namespace

pool* default_pool() {
  static auto* const p = new pool;
  return p;
}

pool* current_pool() { return chosen_pool() != nullptr ? chosen_pool() : default_pool(); }

error set_current_pool(pool* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  chosen_pool() = p;
  return cudaSuccess;
}

error make_pool(pool** p, int handle_types) {
  if (p == nullptr) return cudaErrorInvalidValue;
  *p = new pool;
  (*p)->handle_types = handle_types;
  return cudaSuccess;
}

error make_pool(pool** p, const pool_properties* properties) {
  return properties != nullptr ? make_pool(p, properties->handle_types) : cudaErrorInvalidValue;
}

error destroy_pool(pool* p) {
  if (p == nullptr || p == default_pool()) return cudaErrorInvalidValue;
  if (p == chosen_pool()) chosen_pool() = nullptr;
  return cudaSuccess;
}

bool maps_memory(pool& p, std::uint64_t bytes, std::uint64_t waits) {
  if (p.waits != waits) {
    const auto kept = p.attributes.find(kept_bytes);
    p.mapped = std::max(in_pieces(p.used), std::min(p.mapped, kept != p.attributes.end() ? kept->second : 0));
    p.waits = waits;
  }
  const std::uint64_t before = p.mapped;
  p.mapped = std::max(p.mapped, in_pieces(p.used + bytes));
  return p.mapped != before;
}

void take_from(pool& p, std::uint64_t bytes) {
  p.used += bytes;
  p.most_used = std::max(p.most_used, p.used);
  hold(p, p.reserved);
}

void give_to(pool& p, std::uint64_t bytes) {
  p.used -= std::min(p.used, bytes);
  const auto kept = p.attributes.find(kept_bytes);
  hold(p, kept != p.attributes.end() ? std::min(kept->second, p.reserved) : 0);
}

error trim_pool(pool* p, std::uint64_t bytes) {
  if (p == nullptr) return cudaErrorInvalidValue;
  hold(*p, std::min(bytes, p->reserved));
  return cudaSuccess;
}

error set_pool_attribute(pool* p, int which, const void* value) {
  if (p == nullptr || value == nullptr || !is_number(which)) return cudaErrorInvalidValue;
  std::uint64_t n = 0;
  std::memcpy(&n, value, is_flag(which) ? 4 : 8);
  if (is_flag(which) || which == kept_bytes) {
    p->attributes[which] = n;
    return cudaSuccess;
  }
  // A program can only set a peak to 0. This resets the peak to the current value.
  if (n != 0 || which == reserved_now || which == used_now) return cudaErrorInvalidValue;
  (which == used_most ? p->most_used : p->most_reserved) = which == used_most ? p->used : p->reserved;
  return cudaSuccess;
}

error pool_attribute(const pool* p, int which, void* value) {
  if (p == nullptr || value == nullptr || !is_number(which)) return cudaErrorInvalidValue;
  const auto set = p->attributes.find(which);
  const std::uint64_t n = set != p->attributes.end() ? set->second
                          : is_flag(which)           ? 1
                          : which == reserved_now    ? p->reserved
                          : which == reserved_most   ? p->most_reserved
                          : which == used_now        ? p->used
                          : which == used_most       ? p->most_used
                                                     : 0;
  std::memcpy(value, &n, is_flag(which) ? 4 : 8);
  return cudaSuccess;
}

}  // namespace bankwise::cuda
