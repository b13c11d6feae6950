// Formats sentences for the stand-ins that link only the driver's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/format.hpp"

namespace bankwise::cuda {

std::string formatted_values(std::string_view pattern, const format_detail::value* values, std::size_t count);

}  // namespace bankwise::cuda
