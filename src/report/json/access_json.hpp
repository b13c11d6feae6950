// An access in the JSON of a report. The reader checks that the width is valid, that addresses are inside shared
// memory, and that each lane of the mask has an address.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/report.hpp"
#include "report/json/syntax/json_reader.hpp"

namespace bankwise {

// Addresses in shared memory are below this limit, in bytes.
inline constexpr std::uint64_t shared_memory_limit = std::uint64_t{1} << 18;

// Returns the operation without its width, in the form of the JSON: "ld", "cp.async.ca", "ldmatrix.x4", "wgmma".
// width_of() returns the width.
std::string op_of(const site& s);
u32 width_of(const site& s);
// Writes the addresses of the lanes in a mask, and null for all other lanes.
nlohmann::ordered_json addresses_json(u32 mask, const u32 (&address)[lanes_per_warp]);

named_operation read_operation(json_reader& r, const node& n, const machine& on);
// Reads the "mask" of an object. It has 8 hexadecimal digits.
u32 read_mask(json_reader& r, const node& n);
access read_access(json_reader& r, const node& n, operation op);
// Reads "sources" and "may_fill" of a copy. Older reports lack these keys, and the sources of their copies are
// contiguous.
copy_source read_source(json_reader& r, const node& n, const access& a);

}  // namespace bankwise
