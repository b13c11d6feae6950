// Completion for shells, made from the tables of flags and verbs. `bankwise --completion bash` writes the script that
// packages install.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bankwise::cli {

// `shell` is bash, zsh or fish.
result<std::string> completion(std::string_view shell);

}  // namespace bankwise::cli
