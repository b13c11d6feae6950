// Why an instruction touches more sectors of global memory than its bytes fill. Also, the remedy, and the number of
// sectors with the remedy.
//
//     a[t].x of float3   a struct    lanes 12 bytes apart, 4 bytes each; 3 instructions touch the same sectors
//                                    a struct of arrays: 4 sectors per access instead of 12
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/launch.hpp"

namespace bankwise {

enum class sector_problem : std::uint8_t {
  none,
  misaligned,  // lanes access adjacent elements, but the first lane is in the middle of a sector
  stride,      // lanes are a few elements apart, so that each sector is only partly used
  column,      // lanes are a sector or more apart
  scattered,   // any other addresses
  parts,       // several instructions of a warp access different parts of the same sectors, such as members of a struct
  again,       // several loads of a warp touch the same sectors, and no layout reduces the number of sectors
  local,       // instructions access the threads' own stacks
  local_in_loop,
};

struct sector_reason {
  sector_problem is = sector_problem::none;
  std::string why;           // text for the reason, for example "lanes 12 bytes apart, 4 bytes each"
  std::string remedy;        // text for the remedy, for example "a struct of arrays", "an aligned base"
  std::uint64_t leaves = 0;  // sectors of the launch with the remedy
  // Whether the remedy also exchanges values between lanes, for example through shared memory, because each lane needs
  // what is now next to each other in its own row.
  bool exchanges = false;
  // Whether the remedy needs other data, such as sorted indices. Nobody knows what it saves.
  bool is_of_data = false;

  explicit operator bool() const { return is != sector_problem::none; }
};

sector_reason reason_of(const launch_report& l, const global_site& s);
inline bool has_reason(const launch_report& l, const global_site& s) { return static_cast<bool>(reason_of(l, s)); }

// Returns a sentence such as "struct of arrays: 4,096 sectors instead of 12,288".
std::string remedy_sentence(const global_site& s, const sector_reason& r);

// Returns the distance in bytes from each lane to the next lane, in the access with the most sectors. Returns nothing
// if the distances differ, or if only one lane is active.
std::optional<std::int64_t> stride_of(const global_sample& s);

// The distances in bytes between threads that are neighbours along an axis of the block.
struct axis_strides {
  std::int64_t x = 0;
  std::optional<std::int64_t> y;  // nothing if the warp has only one row of threads
};
// Returns the distances in the access with the most sectors. Returns nothing if they differ, or if the rows of threads
// do not begin with lanes.
std::optional<axis_strides> axis_strides_of(const global_sample& s, const xyz& block);
// Whether lanes that are so many bytes apart never share a sector.
bool is_distant(std::int64_t stride);

// Whether the site accesses a register that the compiler stores in local memory. If false, the site accesses an array
// at a computed address.
bool is_spill(const global_site& s);

}  // namespace bankwise
