// GPUs by their usual names: a product, a generation, a compute capability.
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

// bankwise's name for it: "sm_89", "cdna3", "gfx1151". Nothing if no such GPU is known. An error if several different
// GPUs have this name, or if the GPU has no known rule.
result<std::optional<std::string>> usual_name(std::string_view name);
// A GPU that is assumed to follow another GPU's rule: "gfx1151", "sm_107".
std::optional<machine> assumed_machine(std::string_view name);

}  // namespace bankwise
