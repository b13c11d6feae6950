#include "runtime/memory/virtual_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/device/state.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/sharing.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::uint64_t first_address = 0x0000'7500'0000'0000;

bool is_whole(std::uint64_t n) { return n != 0 && n % mapping_granularity == 0; }

// Returns the reservation that contains the whole range, or null.
std::pair<std::uint64_t, reservation*> reservation_of(state& s, std::uint64_t address, std::uint64_t bytes) {
  auto it = s.reservations.upper_bound(address);
  if (it == s.reservations.begin()) return {0, nullptr};
  --it;
  const std::uint64_t offset = address - it->first;
  if (offset >= it->second.bytes || bytes > it->second.bytes - offset) return {0, nullptr};
  return {it->first, &it->second};
}

// Returns the mappings that cover the whole range, in order. Returns an empty list if a part of the range is not
// mapped, or if the range begins or ends inside a mapping.
std::vector<std::map<std::uint64_t, mapping>::iterator> mappings_of(reservation& r, std::uint64_t address,
                                                                    std::uint64_t bytes) {
  std::vector<std::map<std::uint64_t, mapping>::iterator> found;
  const std::uint64_t end = address + bytes;
  for (auto it = r.mappings.find(address); it != r.mappings.end() && it->first == address; ++it) {
    found.push_back(it);
    address += it->second.bytes;
    if (address == end) return found;
    if (address > end) break;
  }
  return {};
}

void forget_if_unused(state& s, physical_memory* what) {
  if (what->handles == 0 && what->mappings == 0) s.physical.erase(what);
}

std::uint64_t physical_bytes(const state& s) {
  std::uint64_t bytes = 0;
  for (const auto& [handle, memory] : s.physical) bytes += memory->bytes;
  return bytes;
}

}  // namespace

physical_memory::~physical_memory() {
  if (file >= 0) ::close(file);
}

error reserve_addresses(state& s, std::uint64_t* address, std::size_t bytes, std::size_t alignment) {
  static std::uint64_t next = first_address;
  if (address == nullptr || !is_whole(bytes) || bytes > emulate::most_device_bytes ||
      (alignment & (alignment - 1)) != 0 || alignment > emulate::most_device_bytes)
    return cudaErrorInvalidValue;
  const std::uint64_t unit = std::max<std::uint64_t>(alignment, mapping_granularity);
  void* host = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED) return cudaErrorMemoryAllocation;
  *address = (next + unit - 1) / unit * unit;
  next = *address + bytes + mapping_granularity;
  s.reservations[*address] = {bytes, static_cast<std::byte*>(host), {}};
  return cudaSuccess;
}

error free_addresses(state& s, std::uint64_t address, std::size_t bytes) {
  const auto it = s.reservations.find(address);
  if (it == s.reservations.end() || it->second.bytes != bytes || !it->second.mappings.empty())
    return cudaErrorInvalidValue;
  ::munmap(it->second.host, bytes);
  s.reservations.erase(it);
  return cudaSuccess;
}

error make_physical(state& s, physical_memory** handle, std::size_t bytes, bool shareable) {
  if (handle == nullptr || !is_whole(bytes)) return cudaErrorInvalidValue;
  const std::uint64_t used = physical_bytes(s), room = free_bytes(s);
  if (used > room || bytes > room - used) return cudaErrorMemoryAllocation;
  auto made = std::make_unique<physical_memory>();
  made->bytes = bytes;
  made->file = make_shared_file(bytes);
  made->shareable = shareable;
  if (made->file < 0) return cudaErrorMemoryAllocation;
  *handle = made.get();
  s.physical[*handle] = std::move(made);
  return cudaSuccess;
}

error release_physical(state& s, physical_memory* handle) {
  if (!s.physical.contains(handle) || handle->handles == 0) return cudaErrorInvalidValue;
  --handle->handles;
  forget_if_unused(s, handle);
  return cudaSuccess;
}

error retain_physical(state& s, physical_memory** handle, std::uint64_t address) {
  const auto [begin, r] = reservation_of(s, address, 1);
  if (handle == nullptr || r == nullptr) return cudaErrorInvalidValue;
  for (auto& [at, m] : r->mappings)
    if (address - at < m.bytes) {
      ++m.what->handles;
      *handle = m.what;
      return cudaSuccess;
    }
  return cudaErrorInvalidValue;
}

error map_physical(state& s, std::uint64_t address, std::size_t bytes, std::size_t offset, physical_memory* handle) {
  const auto [begin, r] = reservation_of(s, address, bytes);
  if (r == nullptr || !s.physical.contains(handle) || !is_whole(bytes) || address % mapping_granularity != 0 ||
      offset % mapping_granularity != 0 || offset > handle->bytes || bytes > handle->bytes - offset)
    return cudaErrorInvalidValue;
  for (const auto& [at, m] : r->mappings)
    if (address < at + m.bytes && at < address + bytes) return cudaErrorInvalidValue;
  void* at = ::mmap(r->host + (address - begin), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, handle->file,
                    static_cast<off_t>(offset));
  if (at == MAP_FAILED) return cudaErrorMemoryAllocation;
  ++handle->mappings;
  r->mappings[address] = {bytes, handle, 0};
  return cudaSuccess;
}

error unmap_physical(state& s, std::uint64_t address, std::size_t bytes) {
  const auto [begin, r] = reservation_of(s, address, bytes);
  if (r == nullptr) return cudaErrorInvalidValue;
  const auto all = mappings_of(*r, address, bytes);
  if (all.empty()) return cudaErrorInvalidValue;
  settle_all(s);
  for (const auto& it : all) {
    const void* const empty = ::mmap(r->host + (it->first - begin), it->second.bytes, PROT_NONE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (empty == MAP_FAILED) return cudaErrorMemoryAllocation;
    s.memory.release(it->first);
    --it->second.what->mappings;
    forget_if_unused(s, it->second.what);
    r->mappings.erase(it);
  }
  return cudaSuccess;
}

error set_access(state& s, std::uint64_t address, std::size_t bytes, int access) {
  const auto [begin, r] = reservation_of(s, address, bytes);
  if (r == nullptr || (access != 0 && access != 1 && access != 3)) return cudaErrorInvalidValue;
  const auto all = mappings_of(*r, address, bytes);
  if (all.empty()) return cudaErrorInvalidValue;
  settle_all(s);
  for (const auto& it : all) {
    if (it->second.access == 0 && access != 0 &&
        !s.memory.attach(it->first, it->second.bytes, r->host + (it->first - begin), "cuMemMap memory"))
      return cudaErrorMemoryAllocation;
    if (it->second.access != 0 && access == 0) s.memory.release(it->first);
    it->second.access = access;
  }
  return cudaSuccess;
}

error get_access(state& s, std::uint64_t address, int* access) {
  const auto [begin, r] = reservation_of(s, address, 1);
  if (access == nullptr || r == nullptr) return cudaErrorInvalidValue;
  *access = 0;
  for (const auto& [at, m] : r->mappings)
    if (address - at < m.bytes) *access = m.access;
  return cudaSuccess;
}

}  // namespace bankwise::cuda
