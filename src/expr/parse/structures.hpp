// Parses structs as declared in a kernel, and several declarations on one line.
//
//     struct P { float x, y, z; char c[4]; };      16 bytes: x at 0, y at 4, z at 8, c at 12
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise::expr {

// Reads the struct at the beginning of the text into `names`. Returns the text without the struct's body: "P p[4];" for
// "struct P { ... } p[4];". If the text does not begin with a struct, returns it unchanged.
result<std::string> take_structure(const std::string& text, scope& names);

}  // namespace bankwise::expr
