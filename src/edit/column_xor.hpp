// Exchanges the columns of an array within their rows:
//
//     column ^ row          tile[ty][tx] = in[i];             tile[ty][tx ^ ty] = in[i];
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Adds a doubt for templates. The numbers in an xor are right only for these extents, but the extents may differ
// between instances of the template.
void doubt_template(draft& d);

// Replaces the column by `column ^ ...`, in rows of 2^n bytes.
void xor_columns(draft& d);

}  // namespace bankwise::edit
