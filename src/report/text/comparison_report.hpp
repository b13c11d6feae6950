// The answer of `bankwise compare`, as text and as JSON.
#pragma once

#include <string>

#include "check/comparison.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// With `all`, also shows rows without a difference.
std::string to_text(const check::comparison& c, const style& s, bool all);
// Writes the answer as JSON. Its schema is bankwise.compare/1.
std::string to_json(const check::comparison& c);

}  // namespace bankwise
