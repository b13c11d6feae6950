// Device memory: the allocations of a program, found by address, and the windows of generic addresses.
//
//     0x0000'7000'0000'0000   allocations, each followed by a gap; over 1 MiB, in separate pages
//     0x0000'7a00 ...         code, variables, external functions (cubin/program.hpp)
//     0x0000'7d80'0000'0000   parameters of the launch that runs
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
#include "emulate/texture/texture.hpp"

namespace bankwise::emulate {

inline constexpr std::uint64_t allocation_base = 0x0000'7000'0000'0000;
inline constexpr std::uint64_t parameter_base = 0x0000'7d80'0000'0000;
inline constexpr std::uint64_t shared_window = 0x0000'7e00'0000'0000;
inline constexpr std::uint64_t local_window = 0x0000'7f00'0000'0000;
inline constexpr std::uint64_t window_bytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t most_device_bytes = std::uint64_t{1} << 36;
// The unit that a GPU maps: an access to a page that contains a byte of any allocation does not fault.
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << 21;

struct region {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;
  std::string name;  // "argument 0", "__device__ table"
  // Managed memory: it has another owner, but is mapped in pages like the device's own memory.
  bool in_device_pages = false;
  // Where the program allocated and freed it: addresses in the program's code, the innermost first.
  std::vector<std::uint64_t> made_at = {}, freed_at = {};
};

// Memory for device malloc: pieces of one region, first fit.
class device_heap {
 public:
  void grow(std::uint64_t address, std::uint64_t bytes) { free_.emplace(address, bytes); }
  std::uint64_t allocate(std::uint64_t bytes);  // 0 if it is full
  bool release(std::uint64_t address);          // false unless it is an address from allocate() that is still in use

 private:
  std::map<std::uint64_t, std::uint64_t> free_, used_;  // bytes by address
};

class device_memory {
 public:
  // Allocates zeroed memory at an address that it chooses, 256-byte aligned. Errors: more than the limit, no memory.
  result<std::uint64_t> allocate(std::uint64_t bytes, std::string name, std::vector<std::uint64_t> made_at = {});
  // Allocates zeroed memory at a given address, for variables.
  result<done> place(std::uint64_t address, std::uint64_t bytes, std::string name);
  // Adds memory of another owner, who frees it: memory of a host pointer that the device may use, or constants.
  result<done> attach(std::uint64_t address, std::uint64_t bytes, std::byte* data, std::string name,
                      std::vector<std::uint64_t> made_at = {}, bool in_device_pages = false);
  // Releases the region that begins at this address, if there is one. Its addresses are not reused, and the messages of
  // later accesses name the old region.
  bool release(std::uint64_t address, std::vector<std::uint64_t> freed_at = {});

  // The region that contains this byte, or null.
  const region* find(std::uint64_t address) const;
  // The bytes [address, address + count). Nothing if they are not inside one allocation, or in several that form one
  // piece.
  std::byte* bytes_at(std::uint64_t address, std::uint64_t count) const;
  // The bytes [address, address + count), where address is a multiple of count, if some are outside all allocations but
  // in a page with an allocation. They are zero at first, and writes are kept. Null if a GPU would fault. Several
  // threads may call it at a time.
  std::byte* beside(std::uint64_t address, std::uint64_t count);
  // "4 bytes past the end of argument 0 (4096 bytes at 0x...)", for a byte outside all allocations.
  std::string describe_nearest(std::uint64_t address) const;
  // Where that region was allocated and freed: "allocated in main, at app+0x1b40". Lines; empty if unknown.
  std::vector<std::string> history_of_nearest(std::uint64_t address) const;
  // Describes call sites, with a verb before the first: "allocated in main, at app+0x1b40". Set by the code that sets
  // made_at and freed_at.
  std::function<std::vector<std::string>(const std::string& verb, const std::vector<std::uint64_t>& sites)> name_calls;
  std::uint64_t allocated_bytes() const { return total_; }
  // Whether another memory has the same allocations at the same addresses, with the same bytes.
  bool same_bytes(const device_memory& other) const;

  // The objects of texture and surface handles: the code that creates objects stores them here.
  std::map<std::uint32_t, texture> textures;

  // The heap of device malloc, which exists as long as the memory. It is made when the first kernel that uses it is
  // launched.
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;
  result<done> make_heap();
  device_heap& heap() { return heap_; }
  // The address of a copy of the constant bank for pointers to __constant__ variables; set at each launch.
  result<std::uint64_t> place_constants(const void* program, std::span<const std::byte> bank);
  // The address of a copy of constant bank 0 at parameter_base, for pointers to parameters. Each launch sets it.
  result<done> place_parameters(std::span<const std::byte> bank);
  // The barrier of a cooperative launch's blocks. Each call zeroes it.
  result<std::uint64_t> grid_workspace();
  // If the launch with the workspace has not ended when another one begins, the other one gets its own.
  void keep_workspace() { workspace_ = 0; }

 private:
  using storage = std::unique_ptr<std::byte[], void (*)(void*)>;
  result<done> add(std::uint64_t address, std::uint64_t bytes, std::string name, std::vector<std::uint64_t> made_at);
  void insert(region r, storage owned);
  // The region nearest to an address, among all regions including freed ones.
  struct neighbour {
    const region* what = nullptr;  // null if there is none
    std::uint64_t distance = 0;    // bytes to it; 0 if the address is inside
    bool is_before = false;        // the address is before the region
    bool is_freed = false;
  };
  neighbour nearest(std::uint64_t address) const;
  // The last region that begins at or before the address; regions_.size() if there is none.
  std::size_t last_at(std::uint64_t address) const;
  bool is_mapped(std::uint64_t address) const;

  std::vector<region> regions_;   // by address
  std::vector<storage> storage_;  // for each region; null if it has another owner
  std::deque<region> freed_;      // the last ones, without their bytes
  // Accessed memory outside all allocations, by its first address.
  std::map<std::uint64_t, std::unique_ptr<std::byte[]>> beside_;
  std::mutex beside_mutex_;
  std::uint64_t next_ = allocation_base;
  std::uint64_t total_ = 0;
  device_heap heap_;
  std::uint64_t heap_address_ = 0, workspace_ = 0;  // 0 if it does not exist yet
  std::map<std::pair<const void*, std::size_t>, std::uint64_t> constants_;
  std::vector<std::byte> parameters_;
};

}  // namespace bankwise::emulate
