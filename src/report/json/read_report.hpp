// A report read back from the JSON that run --format json writes.
//
// Everything that the JSON holds comes back, and is checked: what a renderer or a search takes for granted (an access
// of a width that exists, inside shared memory, with as many addresses as lanes; sums that add up) holds for what is
// read. The rule and its evidence are those of this version. The code of kernels is not in the JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise {

// `name` is for errors: no JSON (with line and column), another schema, and whatever is wrong with a value, which is
// named as in launches[0].sites[3].worst.mask.
result<report> read_report(std::string_view text, const std::string& name);

}  // namespace bankwise
