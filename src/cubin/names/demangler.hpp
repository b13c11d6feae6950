// Mangled names of C++ as text, with bounds: a name of 300 characters can mean gigabytes, since its parts refer to each other,
// and neither the C++ library's demangler nor another that is packaged can be told to stop. What is printed is what
// __cxa_demangle prints.
//
//     _Z6kernelIsEvPT_PKS0_     void kernel<short>(short*, short const*)
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bankwise::cubin {

inline constexpr std::size_t most_mangled_bytes = 1024;  // as the C++ library has it
inline constexpr std::size_t most_demangled_bytes = std::size_t{1} << 14;

// Nothing: it is no mangled name, it is longer than that, or it has something that no kernel's name had yet.
std::optional<std::string> demangled(std::string_view mangled);

}  // namespace bankwise::cubin
