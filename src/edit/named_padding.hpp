// Changes a padding that is a named constant in the source. The edit changes only the value of the constant:
//
//     (BN + extra) in the extent and in every index       const int extra = 5;      const int extra = 4;
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Refuses the edit if the constant also has uses outside of this padding.
void change_named_padding(draft& d);

}  // namespace bankwise::edit
