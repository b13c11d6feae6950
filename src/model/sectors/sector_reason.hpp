// The reason why an instruction touches more sectors of global memory than its bytes fill, the remedy, and the sectors
// that remain with it.
//
//     a[t].x of float3   a struct    lanes 12 bytes apart, 4 bytes each; 3 instructions touch the same sectors
//                                    a struct of arrays: 4 sectors an access instead of 12
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/launch.hpp"

namespace bankwise {

enum class sector_problem : std::uint8_t {
  none,
  misaligned,  // adjacent lanes, but the first one is in the middle of a sector
  stride,      // lanes a few elements apart: each sector is only partly used
  column,      // lanes a sector or more apart
  scattered,   // any other addresses
  parts,       // several instructions of a warp use parts of the same sectors, such as members of a struct
  again,       // several loads of a warp touch the same sectors; no layout makes them fewer
  local,       // the threads' own stacks
  local_in_loop,
};

struct sector_reason {
  sector_problem is = sector_problem::none;
  std::string why;           // "lanes 12 bytes apart, 4 bytes each"
  std::string remedy;        // "a struct of arrays", "an aligned base"
  std::uint64_t leaves = 0;  // sectors of the launch if the remedy is applied

  explicit operator bool() const { return is != sector_problem::none; }
};

sector_reason reason_of(const launch_report& l, const global_site& s);
inline bool has_reason(const launch_report& l, const global_site& s) { return static_cast<bool>(reason_of(l, s)); }

// "struct of arrays: 4,096 sectors instead of 12,288"
std::string remedy_sentence(const global_site& s, const sector_reason& r);

// The distance from each lane to the next, in bytes, if it is the same for all lanes of the worst access. A single lane
// has no distance.
std::optional<std::int64_t> stride_of(const global_sample& s);

// Whether it is a register that the compiler keeps in local memory; otherwise it is an array, whose address is
// computed.
bool is_spill(const global_site& s);

}  // namespace bankwise
