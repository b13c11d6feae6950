// Reads a report from the JSON that run --format json writes.
//
// Everything in the JSON is read and checked, so that the assumptions of renderers and searches are true for the
// result: accesses with a valid width, inside shared memory, with as many addresses as lanes; consistent sums. The rule
// and its evidence come from this version. The code of kernels is not in the JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise {

// `name` is for errors: invalid JSON (with line and column), another schema, and invalid values, which are named like
// launches[0].sites[3].worst.mask.
result<report> read_report(std::string_view text, const std::string& name);

}  // namespace bankwise
