// CUDA's types by name, as far as an access can be of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

// Bytes of a CUDA type by name, at most 16: "float4" -> 16.
std::optional<std::uint32_t> type_bytes(std::string_view name);
std::vector<std::string> type_names();

}  // namespace bankwise
