// Converts paths of files to URIs of the protocol, and back.
//
//     file:///home/me/some%20kernels      /home/me/some kernels
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bankwise::lsp {

// Returns nothing if the URI is invalid, or is not a file on this machine.
std::optional<std::string> path_of_uri(std::string_view uri);
std::string file_uri(std::string_view path);

}  // namespace bankwise::lsp
