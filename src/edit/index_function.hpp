// Adds a function after the declaration of an array without rows. The function returns the new index of an element:
//
//     2 after every 32     __shared__ double T[2048];        __shared__ double T[2048 + 2048 / 32 * 2];
//                                                          const auto T_at = [](unsigned i) { return i + i / 32 * 2; };
//                          x = T[a * 8 + b];                 x = T[T_at(a * 8 + b)];
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Replaces every index by a call of the function.
void move_elements(draft& d);

}  // namespace bankwise::edit
