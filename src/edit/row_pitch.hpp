// Rows that become longer: free elements behind them, or at the same columns of each.
//
//     rows of BM + 4        __shared__ float As[BK][BM];      __shared__ float As[BK][BM + 4];
//     4 behind 32 columns   s[k][n] = x;                      s[k][n + n / 32u * 4] = x;
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Gives the declaration so many free elements behind each row, in place of those that it has.
void set_pitch(draft& d, std::uint64_t gap);

// Then accesses with all indices stay as they are. What else the name is used for changes, or is a doubt.
void check_pitch_uses(draft& d, std::uint64_t gap);

// Free elements within rows: the column is what changes.
void pad_columns(draft& d);

}  // namespace bankwise::edit
