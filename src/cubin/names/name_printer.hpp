// A parsed name as __cxa_demangle prints it.
#pragma once

#include <optional>
#include <string>

#include "cubin/names/name_tree.hpp"

namespace bankwise::cubin::names {

// Nothing if the text would have more than this number of characters, or takes too many steps.
std::optional<std::string> print(const node& n, std::size_t most_characters);

}  // namespace bankwise::cubin::names
