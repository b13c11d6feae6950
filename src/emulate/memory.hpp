// Device memory: the allocations of a program, found by address, and the windows of generic addresses.
//
//     0x0000'7000'0000'0000   allocations, each with a gap behind it
//     0x0000'7a00 ...         code, variables, external functions (cubin/program.hpp)
//     0x0000'7e00'0000'0000   the shared window: generic address = base + shared offset
//     0x0000'7f00'0000'0000   the local window
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::emulate {

inline constexpr std::uint64_t allocation_base = 0x0000'7000'0000'0000;
inline constexpr std::uint64_t shared_window = 0x0000'7e00'0000'0000;
inline constexpr std::uint64_t local_window = 0x0000'7f00'0000'0000;
inline constexpr std::uint64_t window_bytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t most_device_bytes = std::uint64_t{1} << 36;

struct region {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;
  std::string name;  // "argument 0", "__device__ table"
};

class device_memory {
 public:
  // Zeroed memory at an address of our choice, 256-byte aligned. Errors: more than the limit, no memory.
  result<std::uint64_t> allocate(std::uint64_t bytes, std::string name);
  // Zeroed memory at a given address, for variables.
  result<done> place(std::uint64_t address, std::uint64_t bytes, std::string name);
  // Memory of somebody else, who frees it: a host pointer that the device may use, constants.
  result<done> attach(std::uint64_t address, std::uint64_t bytes, std::byte* data, std::string name);
  // Gives up the region that begins at this address, if one does. Its addresses are not used again.
  bool release(std::uint64_t address);

  // The region that holds this byte, or null.
  const region* find(std::uint64_t address) const;
  // The bytes [address, address + count), or nothing if they are not inside one allocation.
  std::byte* at(std::uint64_t address, std::uint64_t count) const;
  // "4 bytes past the end of argument 0 (4096 bytes at 0x...)", for a byte that nobody owns.
  std::string describe_nearest(std::uint64_t address) const;
  std::uint64_t allocated_bytes() const { return total_; }

 private:
  using storage = std::unique_ptr<std::byte[], void (*)(void*)>;
  result<done> add(std::uint64_t address, std::uint64_t bytes, std::string name);
  void insert(region r, storage owned);

  std::vector<region> regions_;   // by address
  std::vector<storage> storage_;  // of each region; null if it is somebody else's
  std::uint64_t next_ = allocation_base;
  std::uint64_t total_ = 0;
};

}  // namespace bankwise::emulate
