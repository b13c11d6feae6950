// An error as JSON. It is for programs that show errors themselves: the page, Python, and programs that set
// BANKWISE_ERRORS=json.
//
//     {"error": {"message": "unknown name 'tt'", "flag": "expr", "file": "expression", "line": 1, "column": 2, ...}}
#pragma once

#include <nlohmann/json.hpp>

#include "base/diagnostic.hpp"

namespace bankwise {

inline nlohmann::ordered_json json_value(const diagnostic& d) {
  nlohmann::ordered_json error{{"message", d.message},
                               {"flag", d.flag},
                               {"file", d.where.file},
                               {"line", d.where.line},
                               {"column", d.where.column},
                               {"length", d.where.length},
                               {"source_line", d.where.source_line},
                               {"hint", d.hint}};
  if (!d.trail.empty()) error["trail"] = d.trail;
  return {{"error", error}};
}

}  // namespace bankwise
