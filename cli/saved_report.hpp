// Reads saved reports, which are JSON.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

// Reads a file that run --format json wrote.
result<report> load_report(const std::string& file);
// Reads a report. If the run was stopped before its end, returns an error.
result<report> load_whole_report(const std::string& file);
std::optional<diagnostic> refuse_partial(const report& r, const std::string& file);

}  // namespace bankwise::cli
