// Converts between paths of files and URIs of the protocol.
//
//     file:///home/me/some%20kernels      /home/me/some kernels
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bankwise::lsp {

// Returns nothing if the URI is not valid or is not a file of this machine.
std::optional<std::string> path_of_uri(std::string_view uri);
std::string file_uri(std::string_view path);

}  // namespace bankwise::lsp
