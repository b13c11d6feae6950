// Formats with fmt. Only this file includes fmt. It uses only fmt's headers, because our libraries are loaded into
// other programs, which must not need a further library.
#include "base/format.hpp"

#define FMT_HEADER_ONLY 1
#include <fmt/args.h>
#include <fmt/format.h>

namespace bankwise::format_detail {

std::string join(std::string_view pattern, const value* values, std::size_t count) {
  fmt::dynamic_format_arg_store<fmt::format_context> list;
  list.reserve(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const value& v = values[i];
    switch (v.is) {
      case value::form::text: list.push_back(fmt::string_view(v.as_text.data(), v.as_text.size())); break;
      case value::form::character: list.push_back(static_cast<char>(v.as_number)); break;
      case value::form::natural: list.push_back(v.as_number); break;
      case value::form::whole: list.push_back(static_cast<std::int64_t>(v.as_number)); break;
    }
  }
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), list);
}

}  // namespace bankwise::format_detail
