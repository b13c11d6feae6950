// A folder with a bankwise.toml, as its editor sees it: the existing reports, their sources and their findings.
#pragma once

#include <cstdint>
#include <string>

#include "check/config.hpp"
#include "lsp/server.hpp"

namespace bankwise::cli {

// Reads bankwise.toml; an error in it is reported at its line.
result<check::config> read_project(const std::string& folder);

// Reads every existing report, and makes none.
lsp::loaded_folder load_folder(const std::string& folder);

// Writes the page that explains a kind of finding next to the reports of runs. Empty if it could not be written.
std::string page_of_kind(const std::string& folder, std::string_view id);

}  // namespace bankwise::cli
