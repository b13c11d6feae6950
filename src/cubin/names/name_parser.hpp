// Mangled names of the Itanium C++ ABI, in one pass without a way back.
#pragma once

#include <optional>
#include <string_view>

#include "cubin/names/name_tree.hpp"

namespace bankwise::cubin::names {

// `text`: what stands behind _Z. Nothing: it is no name, it is too deep, or it has something that no kernel's name had yet.
std::optional<tree> parse(std::string_view text);

}  // namespace bankwise::cubin::names
