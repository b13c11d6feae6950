// The words that modifier fields print as: tables by name, as opcodes.def refers to them.
#pragma once

#include <span>
#include <string_view>

#include "sass/isa.hpp"

namespace bankwise::sass {

// The entries of the table of this name; an index past the end, or an empty entry where one is required, is an encoding nobody uses.
std::span<const std::string_view> words(std::string_view name, isa set);
// SR_TID.X and the like, for S2R, S2UR and CS2R.
std::string_view special_register(unsigned number, isa set);

}  // namespace bankwise::sass
