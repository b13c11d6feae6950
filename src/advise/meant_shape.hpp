// The intended shape of an array, without its existing padding.
//
//     float tile[16][17], columns 0 to 15 are used          meant: tile[16][16]; as it is: 4 free bytes after every 64
//     float temp[528], words 32, 65, 98 ... are never used  meant: 512 words; as it is: 4 free bytes after every 128
//
// Layouts are searched for the intended shape: padding on top of existing padding is not useful.
#pragma once

#include "advise/problem.hpp"
#include "expr/expression.hpp"

namespace bankwise::advise {

// Removes the padding from the offsets, the rows and `array`, and stores it in problem::as_it_is. Changes nothing if
// there is no padding. Declared rows show the unused columns; without declared rows, the gaps between accessed bytes
// do.
void take_padding_out(problem& p, expr::array_decl& array);

}  // namespace bankwise::advise
