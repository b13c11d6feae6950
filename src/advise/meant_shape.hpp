// The intended shape of an array, without its existing padding.
//
//     float tile[16][17], columns 0 to 15 are used          intended: tile[16][16]; existing: 4 free bytes after 64
//     float temp[528], words 32, 65, 98 ... are never used  intended: 512 words; existing: 4 free bytes after 128
//
// Layouts are searched for the intended shape, because an array does not need two paddings.
#pragma once

#include "advise/search/problem.hpp"
#include "expr/parse/expression.hpp"

namespace bankwise::advise {

// Removes existing padding from the offsets, the rows and `array`, and stores it in problem::as_it_is. Does nothing if
// there is no padding. If rows are declared, their unused columns are the padding. Otherwise, the gaps between accessed
// bytes are the padding.
void take_padding_out(problem& p, expr::array_decl& array);

}  // namespace bankwise::advise
