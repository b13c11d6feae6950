// Reads reports that were saved as JSON.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

// Reads a file that `run --format json` wrote.
result<report> load_report(const std::string& file);
// Reads a report of a complete run. Fails if the run was stopped before its end.
result<report> load_whole_report(const std::string& file);
std::optional<diagnostic> refuse_partial(const report& r, const std::string& file);

}  // namespace bankwise::cli
