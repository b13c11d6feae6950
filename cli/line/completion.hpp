// Completion for shells, made from the tables of flags.hpp: `bankwise --completion bash` and so on write the scripts
// that are installed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bankwise::cli {

// `shell` is bash, zsh or fish.
result<std::string> completion(std::string_view shell);

}  // namespace bankwise::cli
