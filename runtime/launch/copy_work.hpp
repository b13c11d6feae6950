// Performs copies and fills whose parameters are checked.
#pragma once

#include "runtime/device/copied_box.hpp"

namespace bankwise::cuda {

struct state;

void perform_copy(state& s, const copy& c);
void perform_fill(state& s, const fill& f);

}  // namespace bankwise::cuda
