// Accesses outside of all allocations of global memory, or after the end of a block's shared memory. A GPU permits such
// an access if its page contains an allocation, or if it is in the last granule of the block's shared memory. The
// accesses are listed by instruction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parts/place.hpp"

namespace bankwise {

enum class access_direction : std::uint8_t { read, write, update };
std::string_view name_of(access_direction d);  // returns a word such as "read"
bool parse_direction(std::string_view name, access_direction& d);
// Returns "reads", "writes" or "updates".
const char* verb_of(access_direction d);

enum class bounded_memory : std::uint8_t { global, shared };
std::string_view name_of(bounded_memory m);  // returns "global" or "shared"
bool parse_bounded_memory(std::string_view name, bounded_memory& m);

// A GPU checks the end of a block's shared memory in granules of this many bytes.
inline constexpr std::uint32_t shared_granule = 128;

struct out_of_bounds_access {
  access_direction direction = access_direction::read;
  bounded_memory memory = bounded_memory::global;
  code_place place;
  std::uint32_t bytes = 0;  // bytes that one lane accesses
  // Number of executed warp instructions with a lane out of bounds, and number of lanes out of bounds.
  std::uint64_t count = 0, lanes = 0;
  // The first access out of bounds. The members below describe this access.
  std::array<std::uint32_t, 3> block{}, thread{};
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t address = 0;
  // for shared memory: distance from the start of the kernel's own shared memory, and the last array before this place;
  // the name is empty if it is not known
  std::uint64_t offset = 0;
  std::string array;
  // the nearest allocation or the last array, for example "right after the end of argument 1 (128 bytes at
  // 0x700000000000)"
  std::string nearest;
  // lines of text with the call path, and with the place where the nearest allocation was made
  std::vector<std::string> trail;

  friend bool operator==(const out_of_bounds_access&, const out_of_bounds_access&) = default;
};

// Whether two entries are equal in everything except the members about allocations.
bool same_but_for_memory(const out_of_bounds_access& a, const out_of_bounds_access& b);

}  // namespace bankwise
