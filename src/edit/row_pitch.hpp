// Makes rows longer: free elements after each row, or at the same columns of each row.
//
//     rows of BM + 4        __shared__ float As[BK][BM];      __shared__ float As[BK][BM + 4];
//     4 after 32 columns   s[k][n] = x;                      s[k][n + n / 32u * 4] = x;
#pragma once

#include "edit/draft.hpp"

namespace bankwise::edit {

// Sets the number of free elements after each row of the declaration, instead of the existing ones.
void set_pitch(draft& d, std::uint64_t gap);

// Accesses with all indices do not change. Other uses of the name change, or are doubts.
void check_pitch_uses(draft& d, std::uint64_t gap);

// Adds free elements within rows, by changing the column.
void pad_columns(draft& d);

}  // namespace bankwise::edit
