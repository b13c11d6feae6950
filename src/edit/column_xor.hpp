// Exchanges columns within their rows.
//
//     column ^ row          tile[ty][tx] = in[i];             tile[ty][tx ^ ty] = in[i];
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Adds a doubt for templates: the numbers in an xor are right only for these extents, and other instances may have
// others.
void doubt_template(draft& d);

// Makes the column `column ^ ...`, in rows of 2^n bytes.
void xor_columns(draft& d);

}  // namespace bankwise::edit
