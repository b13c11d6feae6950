// An access in the JSON of a report: written, and read back with all checks (a valid width, inside shared memory, an
// address for each lane of the mask).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/report.hpp"
#include "report/json/reading/json_reader.hpp"

namespace bankwise {

// Bytes of shared memory that an address may be in.
inline constexpr std::uint64_t shared_memory_limit = std::uint64_t{1} << 18;

// The operation as in the JSON: "ld", "cp.async.ca", "ldmatrix.x4", "wgmma". width_of() has its bytes.
std::string op_of(const site& s);
u32 width_of(const site& s);
// null for lanes that do not take part.
nlohmann::ordered_json addresses_json(u32 mask, const u32 (&address)[lanes_per_warp]);

// Reads an object with "op" and "width_bytes".
named_operation read_operation(json_reader& r, const node& n, const machine& on);
// The "mask" of an object: 8 hexadecimal digits.
u32 read_mask(json_reader& r, const node& n);
// Reads an object with "mask" and "addresses".
access read_access(json_reader& r, const node& n, operation op);
// For a copy, with "sources" and "may_fill". Older reports do not have them: then the source is contiguous.
copy_source read_source(json_reader& r, const node& n, const access& a);

}  // namespace bankwise
