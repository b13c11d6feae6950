// Names of the CUDA types that an access can have, and the names of these types in libraries and other tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/parse/scope.hpp"

namespace bankwise {

// Finds a CUDA type by its name. For example, "float4" has 16 bytes, an alignment of 16 bytes, and components of 4
// bytes. The name may contain blanks, const, volatile and namespaces.
std::optional<expr::element_type> find_type(std::string_view name);
// Returns the bytes of a CUDA type that a single access moves, such as 16 for "float4". Returns nothing for float3,
// which needs three accesses.
std::optional<std::uint32_t> type_bytes(std::string_view name);
// Returns the bits of a type whose elements are smaller than a byte, and are packed: 4 for "e2m1" and "int4b_t". Returns 0
// for all other types. int4 is a vector of four int, as in CUDA.
std::uint32_t packed_bits(std::string_view name);
// Whether the type has floating-point arithmetic.
bool is_float_type(std::string_view name);
// Returns the types that a single access moves.
std::vector<std::string> type_names();
// Returns also the types that need several accesses. The result is used to suggest a similar name.
std::vector<std::string> all_type_names();

}  // namespace bankwise
