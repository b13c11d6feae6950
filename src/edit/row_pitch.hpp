// Makes rows longer. Adds free elements at the end of each row, or after groups of columns in each row:
//
//     rows of BM + 4        __shared__ float As[BK][BM];      __shared__ float As[BK][BM + 4];
//     4 after 32 columns    s[k][n] = x;                      s[k][n + n / 32u * 4] = x;
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Changes the declaration so that each row ends with `gap` free elements.
void set_pitch(draft& d, std::uint64_t gap);

// Checks all uses of the name. A use with an index for every dimension stays the same. All other uses are changed or
// become doubts.
void check_pitch_uses(draft& d, std::uint64_t gap);

// Adds free elements inside of rows. The column of each access changes.
void pad_columns(draft& d);

}  // namespace bankwise::edit
