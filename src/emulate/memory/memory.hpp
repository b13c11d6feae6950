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
// The unit that a GPU maps: an access in a page with a byte of some allocation does not fault, whichever allocation it
// is.
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << 21;

struct region {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;
  std::string name;  // "argument 0", "__device__ table"
  // Mapped in pages as the device's own memory is, though it is somebody else's: managed memory.
  bool in_device_pages = false;
  // Where the program asked for it, and where it freed it: addresses of its own code, innermost first.
  std::vector<std::uint64_t> made_at = {}, freed_at = {};
};

// What device malloc hands out: pieces of one region, first fit.
class device_heap {
 public:
  void grow(std::uint64_t address, std::uint64_t bytes) { free_.emplace(address, bytes); }
  std::uint64_t allocate(std::uint64_t bytes);  // 0: it is full
  bool release(std::uint64_t address);          // false: not an address that allocate() gave and that is not free

 private:
  std::map<std::uint64_t, std::uint64_t> free_, used_;  // bytes by address
};

class device_memory {
 public:
  // Zeroed memory at an address of our choice, 256-byte aligned. Errors: more than the limit, no memory.
  result<std::uint64_t> allocate(std::uint64_t bytes, std::string name, std::vector<std::uint64_t> made_at = {});
  // Zeroed memory at a given address, for variables.
  result<done> place(std::uint64_t address, std::uint64_t bytes, std::string name);
  // Memory of somebody else, who frees it: a host pointer that the device may use, constants.
  result<done> attach(std::uint64_t address, std::uint64_t bytes, std::byte* data, std::string name,
                      std::vector<std::uint64_t> made_at = {}, bool in_device_pages = false);
  // Releases the region that begins at this address, if there is one. Its addresses are not used again, and later
  // accesses get a message with its old use.
  bool release(std::uint64_t address, std::vector<std::uint64_t> freed_at = {});

  // The region that holds this byte, or null.
  const region* find(std::uint64_t address) const;
  // The bytes [address, address + count), or nothing if they are not inside one allocation, or several in one piece.
  std::byte* bytes_at(std::uint64_t address, std::uint64_t count) const;
  // The bytes [address, address + count), a multiple of count, of which some belong to nobody, but in a page that an
  // allocation is in: zero at first, and what is written stays. Null: a GPU faults there. For several threads at a
  // time.
  std::byte* beside(std::uint64_t address, std::uint64_t count);
  // "4 bytes past the end of argument 0 (4096 bytes at 0x...)", for a byte that nobody owns.
  std::string describe_nearest(std::uint64_t address) const;
  // Where that was allocated, and freed: "allocated in main, at app+0x1b40". Lines; empty: not known.
  std::vector<std::string> history_of_nearest(std::uint64_t address) const;
  // Call sites in words, the first after a verb: "allocated in main, at app+0x1b40". Set by the code that sets made_at
  // and freed_at.
  std::function<std::vector<std::string>(const std::string& verb, const std::vector<std::uint64_t>& sites)> name_calls;
  std::uint64_t allocated_bytes() const { return total_; }
  // The same allocations at the same addresses, with the same bytes.
  bool same_bytes(const device_memory& other) const;

  // What handles of textures and surfaces stand for: who makes objects puts them here.
  std::map<std::uint32_t, texture> textures;

  // The heap of device malloc, which lives as long as the memory: made when a kernel that uses it is launched first.
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;
  result<done> make_heap();
  device_heap& heap() { return heap_; }
  // Where pointers to __constant__ variables find a copy of these, the constant bank of a program; made at each launch.
  result<std::uint64_t> place_constants(const void* program, std::span<const std::byte> bank);
  // Where pointers to parameters find them: a copy of constant bank 0 at parameter_base. Each launch sets it.
  result<done> place_parameters(std::span<const std::byte> bank);
  // Where the blocks of a cooperative launch meet; zeroed at each call.
  result<std::uint64_t> grid_workspace();
  // The launch that has the workspace is not done when another begins: that gets one of its own.
  void keep_workspace() { workspace_ = 0; }

 private:
  using storage = std::unique_ptr<std::byte[], void (*)(void*)>;
  result<done> add(std::uint64_t address, std::uint64_t bytes, std::string name, std::vector<std::uint64_t> made_at);
  void insert(region r, storage owned);
  // For all regions, including freed ones.
  struct neighbour {
    const region* what = nullptr;  // null: there is none
    std::uint64_t distance = 0;    // bytes to it; 0: the address is inside
    bool is_before = false;        // the address is before it
    bool is_freed = false;
  };
  neighbour nearest(std::uint64_t address) const;
  // The last region that begins here or before; regions_.size(): there is none.
  std::size_t last_at(std::uint64_t address) const;
  bool is_mapped(std::uint64_t address) const;

  std::vector<region> regions_;   // by address
  std::vector<storage> storage_;  // of each region; null if it is somebody else's
  std::deque<region> freed_;      // the last ones, without their bytes
  // What belongs to nobody and was touched, by its first address.
  std::map<std::uint64_t, std::unique_ptr<std::byte[]>> beside_;
  std::mutex beside_mutex_;
  std::uint64_t next_ = allocation_base;
  std::uint64_t total_ = 0;
  device_heap heap_;
  std::uint64_t heap_address_ = 0, workspace_ = 0;  // 0: not there yet
  std::map<std::pair<const void*, std::size_t>, std::uint64_t> constants_;
  std::vector<std::byte> parameters_;
};

}  // namespace bankwise::emulate
