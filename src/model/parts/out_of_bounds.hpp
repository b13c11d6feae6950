// Accesses to global memory that are outside all allocations, but in a page with an allocation, so that a GPU permits
// them. They are listed by instruction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parts/place.hpp"

namespace bankwise {

enum class access_direction : std::uint8_t { read, write, update };
std::string_view name_of(access_direction d);  // for example "read"
bool parse_direction(std::string_view name, access_direction& d);
// "reads", "writes" or "updates".
const char* verb_of(access_direction d);

struct out_of_bounds_access {
  access_direction direction = access_direction::read;
  code_place place;
  std::uint32_t bytes = 0;             // bytes that one lane accesses
  std::uint64_t count = 0, lanes = 0;  // number of warp instructions with such a lane, and number of such lanes
  // The members below describe the first such access.
  std::array<std::uint32_t, 3> block{}, thread{};
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t address = 0;
  std::string nearest;             // for example "right after the end of argument 1 (128 bytes at 0x700000000000)"
  std::vector<std::string> trail;  // the call path, and where the nearest allocation was made, as lines of text

  friend bool operator==(const out_of_bounds_access&, const out_of_bounds_access&) = default;
};

// Whether two entries are equal, not counting the nearest allocation.
bool same_but_for_memory(const out_of_bounds_access& a, const out_of_bounds_access& b);

}  // namespace bankwise
