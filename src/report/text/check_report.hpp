// The answer of `bankwise check`, as text and as JSON.
#pragma once

#include <string>

#include "check/verdict.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// With `all`, also shows known and suppressed findings.
std::string to_text(const check::verdict& v, const style& s, bool all);
// Writes the answer as JSON. Its schema is bankwise.check/1, docs/reference/check.schema.json.
std::string to_json(const check::verdict& v);

}  // namespace bankwise
