// Names of operations on global memory: from PTX, from SASS, and CUDA's atomic functions.
//
//     ld.global.nc.v4.f32   LDG.E.128   st   red.add.v4.f32   atom.cas.b128   atomicAdd   cp.async.cg
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/names/operation_names.hpp"

namespace bankwise {

// Does the same as parse_operation for operations on global memory. Only this function accepts red.add.v4.f32,
// atom.exch.b128, ld.v8.b32 and ld.nc. Only parse_operation accepts ldmatrix and popc.inc.
result<named_operation> parse_global_operation(std::string_view name, std::uint32_t width_bytes = 4);
// Whether the name implies global memory, such as ld.global.f32 and LDG.E.64.
bool names_global_memory(std::string_view name);
// Returns the names that parse_global_operation accepts, without widths.
std::vector<std::string> global_operation_names();

}  // namespace bankwise
