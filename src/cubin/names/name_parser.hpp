// Mangled names of the Itanium C++ ABI, in one pass without a way back.
#pragma once

#include <optional>
#include <string_view>

#include "cubin/names/name_tree.hpp"

namespace bankwise::cubin::names {

// `text`: the part after _Z. Nothing if it is not a name, if it is too deep, or if it has something that no kernel's
// name had yet.
std::optional<tree> parse(std::string_view text);

}  // namespace bankwise::cubin::names
