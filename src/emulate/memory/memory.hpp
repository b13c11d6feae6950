// Device memory: the allocations of a program, found by address, and the windows of generic addresses.
//
//     0x0000'7000'0000'0000   allocations, each followed by a gap; each one over 1 MiB has its own pages
//     0x0000'7a00 ...         code, variables, external functions (cubin/program.hpp)
//     0x0000'7d80'0000'0000   parameters of the running launch
//     0x0000'7e00'0000'0000   the shared window: generic address = base + shared offset
//     0x0000'7f00'0000'0000   the local window
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "emulate/memory/written_bytes.hpp"
#include "emulate/texture/texture.hpp"

namespace bankwise::emulate {

inline constexpr std::uint64_t allocation_base = 0x0000'7000'0000'0000;
inline constexpr std::uint64_t parameter_base = 0x0000'7d80'0000'0000;
inline constexpr std::uint64_t shared_window = 0x0000'7e00'0000'0000;
inline constexpr std::uint64_t local_window = 0x0000'7f00'0000'0000;
inline constexpr std::uint64_t window_bytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t most_device_bytes = std::uint64_t{1} << 36;
// The size of the pages that a GPU maps. An access does not fault if its page contains a byte of any allocation.
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << 21;

struct region {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;
  std::string name;  // a text such as "argument 0" or "__device__ table"
  // True for managed memory. device_memory does not own this memory, but the GPU maps it in pages of page_bytes.
  bool in_device_pages = false;
  // The call stacks at which the program allocated and freed the memory, as addresses in the program's code. The
  // innermost call is first.
  std::vector<std::uint64_t> made_at = {}, freed_at = {};
};

// Memory for malloc() in device code. The heap is one region. An allocation uses the first gap that is large enough.
class device_heap {
 public:
  void grow(std::uint64_t address, std::uint64_t bytes) { free_.emplace(address, bytes); }
  std::uint64_t allocate(std::uint64_t bytes);  // returns 0 if the heap is full
  // returns false unless the address came from allocate() and is still in use
  bool release(std::uint64_t address);
  // The memory that allocate() returned with the largest address up to `address`. Its size is 0 if there is none.
  struct block {
    std::uint64_t address = 0, bytes = 0;
  };
  block last_at(std::uint64_t address) const;

 private:
  struct used {
    std::uint64_t room = 0, bytes = 0;  // `bytes` as they were asked for, and the bytes that they occupy
  };
  std::map<std::uint64_t, std::uint64_t> free_;  // the key is an address; the value is the number of bytes
  std::map<std::uint64_t, used> used_;
  // Copies of a heap share the mutex.
  std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
};

class device_memory {
 public:
  // Allocates zeroed memory at a new address, which is a multiple of 256. Fails if the limit is exceeded or there is
  // not enough memory.
  result<std::uint64_t> allocate(std::uint64_t bytes, std::string name, std::vector<std::uint64_t> made_at = {});
  // Allocates zeroed memory at this address, for variables.
  result<done> place(std::uint64_t address, std::uint64_t bytes, std::string name);
  // Adds memory that another owner frees: constants, or memory of the host that the device may access.
  result<done> attach(std::uint64_t address, std::uint64_t bytes, std::byte* data, std::string name,
                      std::vector<std::uint64_t> made_at = {}, bool in_device_pages = false);
  // Frees the region that begins at this address, if there is one. The addresses are not reused, and messages about
  // later accesses name the freed region.
  bool release(std::uint64_t address, std::vector<std::uint64_t> freed_at = {});

  const region* find(std::uint64_t address) const;
  // The region whose bytes contain this byte of the host's memory. Null if there is none.
  const region* holding(const std::byte* at) const;
  // The region that began at this address and was freed last, or null.
  const region* find_freed(std::uint64_t address) const;
  // The bytes [address, address + count). Null unless the bytes are in one allocation or in several adjacent
  // allocations.
  std::byte* bytes_at(std::uint64_t address, std::uint64_t count) const;
  // The bytes [address, address + count) if some of these bytes are outside all allocations but in a page with an
  // allocation. Bytes outside allocations are zero at first, and keep the values that are written to them. `address`
  // must be a multiple of `count`. Null if a GPU would fault. Safe to call from several threads.
  std::byte* beside(std::uint64_t address, std::uint64_t count);
  // Describes a byte outside all allocations, for example "4 bytes past the end of argument 0 (4096 bytes at 0x...)".
  std::string describe_nearest(std::uint64_t address) const;
  // Describes where the nearest region was allocated and freed, in lines such as "allocated in main, at app+0x1b40".
  // Empty if unknown.
  std::vector<std::string> history_of_nearest(std::uint64_t address) const;
  // Describes call sites. A verb precedes the first call site: "allocated in main, at app+0x1b40". The code that sets
  // made_at and freed_at also sets this function.
  std::function<std::vector<std::string>(const std::string& verb, const std::vector<std::uint64_t>& sites)> name_calls;
  std::uint64_t allocated_bytes() const { return total_; }
  // Whether both memories have the same allocations at the same addresses, with the same bytes.
  bool same_bytes(const device_memory& other) const;

  // The bytes that have been written, if a run looks for reads of other bytes. Null otherwise.
  std::unique_ptr<written_bytes> written;
  // The first address of the heap of malloc() in device code. 0 if there is no heap.
  std::uint64_t heap_address() const { return heap_address_; }

  // The objects of texture and surface handles. The code that creates an object adds it to this map.
  std::map<std::uint32_t, texture> textures;

  // The heap for malloc() in device code. make_heap() allocates the heap before the first launch of a module that uses
  // the heap. The heap exists as long as this object.
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;
  result<done> make_heap();
  device_heap& heap() { return heap_; }
  bool is_heap(std::uint64_t address) const { return heap_address_ != 0 && address - heap_address_ < heap_bytes; }
  // Copies the constant bank and returns the address of the copy. Pointers to __constant__ variables point into this
  // copy. Must be called at each launch.
  result<std::uint64_t> place_constants(const void* program, std::span<const std::byte> bank);
  // Copies constant bank 0 to parameter_base. Pointers to parameters point into this copy. Must be called at each
  // launch.
  result<done> place_parameters(std::span<const std::byte> bank);
  // Zeroes the barrier for the blocks of a cooperative launch, and returns the address of the barrier.
  result<std::uint64_t> grid_workspace();
  // Must be called if another launch begins before the launch with the workspace has ended. The new launch then gets
  // its own workspace.
  void keep_workspace() { workspace_ = 0; }

 private:
  using storage = std::unique_ptr<std::byte[], void (*)(void*)>;
  result<done> add(std::uint64_t address, std::uint64_t bytes, std::string name, std::vector<std::uint64_t> made_at);
  void insert(region r, storage owned);
  // The region nearest to an address. Freed regions are included.
  struct neighbour {
    const region* what = nullptr;  // null if there are no regions
    std::uint64_t distance = 0;    // distance in bytes; 0 if the address is inside the region
    bool is_before = false;
    bool is_freed = false;
  };
  neighbour nearest(std::uint64_t address) const;
  // The index of the last region that begins at or before the address. regions_.size() if there is no such region.
  std::size_t last_at(std::uint64_t address) const;
  bool is_mapped(std::uint64_t address) const;

  std::vector<region> regions_;   // sorted by address
  std::vector<storage> storage_;  // for each region: its memory; null if the region has another owner
  std::deque<region> freed_;      // the regions that were freed last, without their bytes
  // Accessed memory outside all allocations. The key is an address.
  std::map<std::uint64_t, std::unique_ptr<std::byte[]>> beside_;
  std::mutex beside_mutex_;
  std::uint64_t next_ = allocation_base;
  std::uint64_t total_ = 0;
  device_heap heap_;
  // addresses of the heap and of the workspace; 0 before they exist
  std::uint64_t heap_address_ = 0, workspace_ = 0;
  std::map<std::pair<const void*, std::size_t>, std::uint64_t> constants_;
  std::vector<std::byte> parameters_;
};

}  // namespace bankwise::emulate
