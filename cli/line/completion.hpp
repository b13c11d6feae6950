// Completion for shells, from the tables of flags.hpp. `bankwise --completion bash` writes the script that is
// installed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bankwise::cli {

// `shell` is bash, zsh or fish.
result<std::string> completion(std::string_view shell);

}  // namespace bankwise::cli
