// Merged results: the JSON files of several shards of one search, as one result.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tune/tuned.hpp"

namespace bankwise::cli {

result<tune::tuned> merge_tuned_files(const std::vector<std::string>& files);
// Whether a file has the result of a search, and not a report.
bool is_tuned_file(const std::string& file);

}  // namespace bankwise::cli
