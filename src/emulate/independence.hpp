// Whether blocks can be told apart by their order.
#pragma once

#include "emulate/decode.hpp"

namespace bankwise::emulate {

// Whether nothing in the code lets a block see what another does: then they may run side by side. Functions elsewhere may
// do anything: all code that is not a kernel counts. `needed`: by instruction of the kernel's section, those that are executed; null:
// all.
bool blocks_are_independent(const decoded_section& kernel, const cubin::program& p, code_cache& code,
                            const std::vector<bool>* needed = nullptr);

}  // namespace bankwise::emulate
