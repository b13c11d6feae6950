// Reads a report from the JSON that run --format json writes.
//
// All of the JSON is read and checked, so that renderers and searches can rely on the result. Accesses have a valid
// width, are inside shared memory, and have as many addresses as lanes. Sums are consistent. The rule and its evidence
// are those of this version of bankwise. The JSON does not contain the code of kernels.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise {

// `name` is the report's name in errors. Errors are invalid JSON (with line and column), another schema, and invalid
// values. An invalid value is named by its path, such as launches[0].sites[3].worst.mask.
result<report> read_report(std::string_view text, const std::string& name);

}  // namespace bankwise
