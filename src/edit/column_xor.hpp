// Exchanges the columns of an array within their rows:
//
//     column ^ row          tile[ty][tx] = in[i];             tile[ty][tx ^ ty] = in[i];
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Adds a doubt for templates. The numbers in an xor are right only for these extents, and other instances of the
// template may have other extents.
void doubt_template(draft& d);

// Replaces the column by `column ^ ...`, in rows of 2^n bytes.
void xor_columns(draft& d);

}  // namespace bankwise::edit
