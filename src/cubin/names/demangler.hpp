// Converts mangled C++ names to text, with limits. The parts of a name refer to each other, so a name of 300 characters
// can expand to gigabytes. Other available demanglers have no limits. The result is the same as that of __cxa_demangle.
//
//     _Z6kernelIsEvPT_PKS0_     void kernel<short>(short*, short const*)
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bankwise::cubin {

inline constexpr std::size_t most_mangled_bytes = 1024;  // the C++ library has the same limit
inline constexpr std::size_t most_demangled_bytes = std::size_t{1} << 14;

// Returns nothing if the name is not mangled, is longer than most_mangled_bytes, or contains something that no known
// kernel name contains.
std::optional<std::string> demangled(std::string_view mangled);

}  // namespace bankwise::cubin
