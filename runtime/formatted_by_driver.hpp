// Formats sentences for stand-ins that are linked with the stand-in driver but not with base/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/format.hpp"

namespace bankwise::cuda {

std::string formatted_values(std::string_view pattern, const format_detail::value* values, std::size_t count);

}  // namespace bankwise::cuda
