// GPUs by the names that people give them: a product, a generation, a compute capability.
//
//     RTX 4090, ada, 8.9, sm89, compute_89      sm_89
//     MI300X, gfx942                            cdna3
//     gfx1151                                   the rule of rdna3, as an assumption
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "expr/names/machine_names.hpp"

namespace bankwise {

// The name that bankwise has for it: "sm_89", "cdna3", "gfx1151". Nothing: no such GPU is known. An error: the name is
// that of several GPUs which differ, or of a GPU of which no rule is known.
result<std::optional<std::string>> usual_name(std::string_view name);
// A GPU of another maker that is taken to follow another's rule: "gfx1151".
std::optional<machine> assumed_machine(std::string_view name);

}  // namespace bankwise
