// Exchanges columns within their rows.
//
//     column ^ row          tile[ty][tx] = in[i];             tile[ty][tx ^ ty] = in[i];
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// The numbers in an xor are only right for these extents, and other instances of a template have other extents.
void doubt_template(draft& d);

// The column becomes column ^ something, within rows of 2^n bytes.
void xor_columns(draft& d);

}  // namespace bankwise::edit
