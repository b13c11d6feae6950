#include "cli/line/error_form.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/printable.hpp"
#include "report/json/diagnostic_json.hpp"
#include "report/json/syntax/json_text.hpp"

namespace bankwise::cli {

void tell_error(const diagnostic& d) {
  const char* form = std::getenv("BANKWISE_ERRORS");
  if (form != nullptr && std::string_view(form) == "json")
    std::fprintf(stderr, "%s", json_text(json_value(d)).c_str());
  else
    tell(to_text(d));
}

}  // namespace bankwise::cli
