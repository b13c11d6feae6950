// Defines formatted() for all stand-ins except libcuda.so.1. The function calls the driver, because only the driver is
// linked with fmt.
#include "runtime/formatted_by_driver.hpp"

namespace bankwise::format_detail {

std::string join(std::string_view pattern, const value* values, std::size_t count) {
  return cuda::formatted_values(pattern, values, count);
}

}  // namespace bankwise::format_detail
