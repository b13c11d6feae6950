// The answer of `bankwise compare`, as text and as JSON.
#pragma once

#include <string>

#include "check/comparison.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// With `all`, also shows equal rows.
std::string to_text(const check::comparison& c, const style& s, bool all);
// Schema bankwise.compare/1.
std::string to_json(const check::comparison& c);

}  // namespace bankwise
