// A trap: a TOML text that toml++ 3.3 does not handle. toml++ compares every character outside of strings and comments
// with a blank. This comparison requires ASCII, and TOML allows no other letters there. Multi-line strings and inline
// tables are refused as well, because they make the beginning of a string hard to find.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace bankwise {

// Returns the error for the first trap in the text. `hint` says how to write what has braces. Call this function before
// toml::parse.
std::optional<diagnostic> find_toml_trap(std::string_view text, const std::string& name, const std::string& hint);

}  // namespace bankwise
