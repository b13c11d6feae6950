// Reads a report from the JSON of run --format json.
//
// The reader checks the whole JSON, so that all other code can rely on the result. Accesses have a valid width, are
// inside shared memory, and have as many addresses as lanes. Sums are consistent. The rule and its evidence are those
// of this version of bankwise. The JSON does not have the code of kernels.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise {

// Errors contain `name`. Fails if the text is not valid JSON, and reports the line and column. Also fails if the schema
// is wrong or a value is invalid. The error contains the path of the value, such as launches[0].sites[3].worst.mask.
//
// `goes_on` is called after each launch. If it returns false, the result has the launches up to there.
result<report> read_report(std::string_view text, const std::string& name, const std::function<bool()>& goes_on = {});

}  // namespace bankwise
