// A folder with a bankwise.toml, as an editor needs it: the existing reports, their sources and their findings.
#pragma once

#include <cstdint>
#include <string>

#include "check/config.hpp"
#include "lsp/server.hpp"

namespace bankwise::cli {

// Reads bankwise.toml. An error names the line.
result<check::config> read_project(const std::string& folder);

// Reads every existing report. No report is made.
lsp::loaded_folder load_folder(const std::string& folder);

// Writes the page that explains a kind of finding to the folder of the runs' reports. Returns its path, or an empty
// text if it could not be written.
std::string page_of_kind(const std::string& folder, std::string_view id);

}  // namespace bankwise::cli
