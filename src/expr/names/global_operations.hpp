// Operations on global memory by name: those of PTX and of SASS, and CUDA's atomic functions.
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

// Like parse_operation. It accepts other operations than for shared memory: red.add.v4.f32, atom.exch.b128, ld.v8.b32
// and ld.nc exist, ldmatrix and popc.inc do not.
result<named_operation> parse_global_operation(std::string_view name, std::uint32_t width_bytes = 4);
// Whether the name says that it is global memory: ld.global.f32, LDG.E.64.
bool names_global_memory(std::string_view name);
// The names that parse_global_operation accepts, without widths.
std::vector<std::string> global_operation_names();

}  // namespace bankwise
