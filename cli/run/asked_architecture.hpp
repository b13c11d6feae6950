// The architecture that --arch asks for, in the forms that nvcc and the loader of cubins need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace bankwise::cli {

// Returns the value of --arch as nvcc spells it, such as "sm_90" or "sm_90a". A name that only `explain` accepts is
// returned unchanged.
std::string arch_as_nvcc_has_it(const std::string& arch);

// Returns the number of the architecture in --arch, or 0 without the flag. Fails if the emulator cannot execute its
// code.
result<std::uint32_t> number_of(const std::optional<std::string>& arch);

}  // namespace bankwise::cli
