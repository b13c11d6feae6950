// The data that an editor needs from a folder with a bankwise.toml: the existing reports, their sources and their
// findings.
#pragma once

#include <cstdint>
#include <string>

#include "check/config.hpp"
#include "lsp/server.hpp"

namespace bankwise::cli {

// Reads bankwise.toml. Errors name the line.
result<check::config> read_project(const std::string& folder);

// Reads all existing reports of the folder. Makes no report.
lsp::loaded_folder load_folder(const std::string& folder);

// Writes the page that explains a kind of finding. The page is in the folder with the reports of the runs. Returns the
// path of the page, or an empty string after an error.
std::string page_of_kind(const std::string& folder, std::string_view id);

}  // namespace bankwise::cli
