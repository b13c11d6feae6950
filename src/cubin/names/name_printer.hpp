// Prints a parsed name in the same form as __cxa_demangle.
#pragma once

#include <optional>
#include <string>

#include "cubin/names/name_tree.hpp"

namespace bankwise::cubin::names {

// Returns nothing if the text exceeds `most_characters` characters, or if printing takes too many steps.
std::optional<std::string> print(const node& n, std::size_t most_characters);

}  // namespace bankwise::cubin::names
