// Padding that is a named constant in the source: the edit changes the value of the constant.
//
//     (BN + extra) in the extent and in every index       const int extra = 5;      const int extra = 4;
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Refused if the constant has another use.
void change_named_padding(draft& d);

}  // namespace bankwise::edit
