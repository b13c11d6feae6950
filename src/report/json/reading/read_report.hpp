// Reads a report from the JSON that run --format json writes.
//
// The reader checks the whole JSON, so that other code can rely on the result. Accesses have a valid width, are inside
// shared memory, and have as many addresses as lanes. Sums are consistent. The rule and its evidence are those of this
// version of bankwise. The JSON does not have the code of kernels.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise {

// `name` is the name of the report in errors. Fails if the text is not valid JSON (the error has line and column), has
// another schema, or has an invalid value. The error names an invalid value by its path, such as
// launches[0].sites[3].worst.mask.
result<report> read_report(std::string_view text, const std::string& name);

}  // namespace bankwise
