// Converts mangled C++ names to text, with limits: a name of 300 characters can expand to gigabytes, because its parts
// refer to each other, and the available demanglers have no limit. The result equals that of __cxa_demangle.
//
//     _Z6kernelIsEvPT_PKS0_     void kernel<short>(short*, short const*)
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bankwise::cubin {

inline constexpr std::size_t most_mangled_bytes = 1024;  // as in the C++ library
inline constexpr std::size_t most_demangled_bytes = std::size_t{1} << 14;

// Nothing if the name is not mangled, is longer than that, or contains something that no known kernel name contains.
std::optional<std::string> demangled(std::string_view mangled);

}  // namespace bankwise::cubin
