// Errors for verbs and flags that do not exist, with the verb or flag that the user may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace bankwise::cli {

// The error for an unknown flag before the verb.
diagnostic unknown_first_flag(const std::string& name);
// `rest` are the words after the unknown verb.
diagnostic unknown_verb(std::string_view name, const std::vector<std::string>& rest);
diagnostic unknown_flag(std::string_view name, std::string_view verb);

}  // namespace bankwise::cli
