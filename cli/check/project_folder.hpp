// A folder with a bankwise.toml, as its editor sees it: the reports that there are, what they were made of, and what they say.
#pragma once

#include <cstdint>
#include <string>

#include "check/config.hpp"
#include "lsp/server.hpp"

namespace bankwise::cli {

// Of bankwise.toml; what is wrong with it is an error at its line.
result<check::config> read_project(const std::string& folder);

// Reads every report that is there; makes none.
lsp::loaded_folder load_folder(const std::string& folder);

// The page of a kind of finding, beside the reports of runs. Empty: it could not be written.
std::string page_of_kind(const std::string& folder, std::string_view id);

}  // namespace bankwise::cli
