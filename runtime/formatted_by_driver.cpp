// formatted() of a stand-in other than libcuda.so.1: the driver has fmt, and the others link nothing else.
#include "runtime/formatted_by_driver.hpp"

namespace bankwise::format_detail {

std::string join(std::string_view pattern, const value* values, std::size_t count) {
  return cuda::formatted_values(pattern, values, count);
}

}  // namespace bankwise::format_detail
