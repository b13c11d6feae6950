// Makes rows longer. The free elements follow each row, or certain columns of each row.
//
//     rows of BM + 4        __shared__ float As[BK][BM];      __shared__ float As[BK][BM + 4];
//     4 after 32 columns    s[k][n] = x;                      s[k][n + n / 32u * 4] = x;
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Sets the number of free elements at the end of each row in the declaration.
void set_pitch(draft& d, std::uint64_t gap);

// Checks all uses of the name. An access with all indices does not change. Other uses change, or are doubts.
void check_pitch_uses(draft& d, std::uint64_t gap);

// Adds free elements inside of rows, by changing the column.
void pad_columns(draft& d);

}  // namespace bankwise::edit
