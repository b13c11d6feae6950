// An access with what is said of it: what a question means, and what a report has.
#pragma once

#include <string>
#include <vector>

#include "expr/machine_names.hpp"
#include "expr/operation_names.hpp"

namespace bankwise {

struct named_access {
  std::string title;  // the expression, or "32 addresses of FILE", and how it is padded and swizzled
  named_operation op;
  machine on;
  access what{};
  bool has_source = false;  // of a cp.async: `from` says more than the access
  copy_source from{};
  std::vector<std::string> notes;  // what the asker should know beside the answer
};

}  // namespace bankwise
