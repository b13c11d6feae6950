// The usual names of GPUs: products, generations, compute capabilities.
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

// Returns bankwise's name for a GPU: "sm_89", "cdna3", "gfx1151". Returns nothing if no known GPU has this name. Fails
// if several different GPUs have this name, or if no rule is known for the GPU.
result<std::optional<std::string>> usual_name(std::string_view name);
// Finds a GPU that is assumed to follow another GPU's rule, such as "gfx1151" and "sm_107".
std::optional<machine> assumed_machine(std::string_view name);

}  // namespace bankwise
