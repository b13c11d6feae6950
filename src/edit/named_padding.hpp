// Changes padding that is a named constant in the source, by changing the value of the constant.
//
//     (BN + extra) in the extent and in every index       const int extra = 5;      const int extra = 4;
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Refuses the edit if the constant has another use.
void change_named_padding(draft& d);

}  // namespace bankwise::edit
