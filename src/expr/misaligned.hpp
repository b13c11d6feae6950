// Advice about an element that is misaligned for its access.
#pragma once

#include <string>

#include "expr/parse/scope.hpp"

namespace bankwise {

// Returns advice for an access of `width` bytes whose address is not a multiple of `width`.
std::string aligned_hint(const expr::scope& names, std::uint64_t address, std::uint32_t width);

}  // namespace bankwise
