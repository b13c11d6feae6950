// CUDA's types by name, if an access can have them, and their names in libraries and other tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/parse/scope.hpp"

namespace bankwise {

// A CUDA type by name: "float4" -> 16 bytes, aligned to 16, components of 4. The name may contain blanks, const,
// volatile and namespaces.
std::optional<expr::element_type> find_type(std::string_view name);
// Bytes of a CUDA type by name, if one access moves it: "float4" -> 16. Nothing for float3, which takes three accesses.
std::optional<std::uint32_t> type_bytes(std::string_view name);
// Whether it has floating-point arithmetic.
bool is_float_type(std::string_view name);
// Types that one access moves.
std::vector<std::string> type_names();
// The same, including types that take several accesses, for "did you mean".
std::vector<std::string> all_type_names();

}  // namespace bankwise
