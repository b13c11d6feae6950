// A padding that the source has as a constant with a name: it changes with that number.
//
//     (BN + extra) in the extent and in every index       const int extra = 5;      const int extra = 4;
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Refused unless nothing else uses the constant.
void change_named_padding(draft& d);

}  // namespace bankwise::edit
