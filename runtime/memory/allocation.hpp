// Allocations of programs: memory of the device, memory of the host, and memory of both.
//
// As on a GPU, the host cannot use the addresses of the device's own memory. Memory that both use (pinned, managed,
// registered) has an address of the host. The emulator accesses this memory at this address.
#pragma once

#include "runtime/device/state.hpp"
#include "runtime/memory/copy.hpp"
#include "runtime/memory/memory_pool.hpp"

namespace bankwise::cuda {

// Rounds a size up to a multiple of 4096 bytes, the page size of the host.
inline std::uint64_t pages(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

std::size_t free_bytes(const state& s);
// Allocates device memory. The first function is cudaMalloc, whose call takes time on the timeline.
error allocate_on_device(state& s, void** pointer, std::size_t bytes);
error place_on_device(state& s, void** pointer, std::size_t bytes);
// Adds the time of cudaFree for an allocation.
void add_free_call(state& s, const allocation& a);
// Allocates device memory for the stand-in itself. The program does not see this allocation. Sets `address`.
error allocate_region(state& s, std::size_t bytes, const char* name, std::uint64_t& address);
// Allocates `height` rows of `width` bytes. Sets `pitch` to the bytes from the start of a row to the start of the next.
error allocate_rows(state& s, void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
error allocate_for_both(state& s, void** pointer, std::size_t bytes, allocation_kind kind, unsigned flags);
error release(state& s, void* pointer, bool of_host);
void release_all_of(state& s, const context* c);  // releases all allocations of the context `c`
error register_host(state& s, void* pointer, std::size_t bytes, unsigned flags);

// The facts that cudaPointerGetAttributes returns about an address.
struct pointer_facts {
  bool known = false, on_host = false;
  allocation_kind kind = allocation_kind::device;
  std::uint64_t begin = 0, bytes = 0;
  const context* owner = nullptr;
};
pointer_facts facts_of(const state& s, std::uint64_t at);
// Chooses an address range for memory that is mapped later (virtual_memory.hpp).
error next_address(state& s, std::size_t bytes, std::uint64_t& address);

copy rectangle(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
               std::size_t height, copy_kind kind);
fill fill_of(void* to, unsigned value, std::size_t count, unsigned element_bytes = 1);
fill fill_of(void* to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height,
             unsigned element_bytes = 1);
fill fill_of(const pitched_pointer& to, unsigned value, const extent& size);
// The fill of a call without the suffix Async.
inline fill waiting_fill(fill f) {
  f.waits = true;
  return f;
}

}  // namespace bankwise::cuda
