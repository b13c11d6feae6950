// An access in the JSON of a report. The reader checks everything: the width is valid, addresses are inside shared
// memory, and each lane of the mask has an address.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/report.hpp"
#include "report/json/reading/json_reader.hpp"

namespace bankwise {

// An address in shared memory must be below this limit, in bytes.
inline constexpr std::uint64_t shared_memory_limit = std::uint64_t{1} << 18;

// The operation as it is written in the JSON: "ld", "cp.async.ca", "ldmatrix.x4", "wgmma". width_of() returns the
// bytes.
std::string op_of(const site& s);
u32 width_of(const site& s);
// Writes the addresses of a mask's lanes, and null for other lanes.
nlohmann::ordered_json addresses_json(u32 mask, const u32 (&address)[lanes_per_warp]);

// Reads an object with "op" and "width_bytes".
named_operation read_operation(json_reader& r, const node& n, const machine& on);
// Reads the "mask" of an object, which has 8 hexadecimal digits.
u32 read_mask(json_reader& r, const node& n);
// Reads an object with "mask" and "addresses".
access read_access(json_reader& r, const node& n, operation op);
// For a copy, reads "sources" and "may_fill". Older reports do not contain these keys: then the source is contiguous.
copy_source read_source(json_reader& r, const node& n, const access& a);

}  // namespace bankwise
