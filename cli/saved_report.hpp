// Reads reports that were written before, as JSON.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

// Reads a file that run --format json wrote.
result<report> load_report(const std::string& file);
// The same, but a report of a run that was stopped before its end is an error.
result<report> load_whole_report(const std::string& file);
std::optional<diagnostic> refuse_partial(const report& r, const std::string& file);

}  // namespace bankwise::cli
