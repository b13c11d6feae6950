// The array that was meant, without the padding that somebody has put into it already.
//
//     float tile[16][17], columns 0 to 15 are used          meant: tile[16][16]; as it is: 4 free bytes after every 64
//     float temp[528], words 32, 65, 98 ... are never used  meant: 512 words; as it is: 4 free bytes after every 128
//
// Layouts are looked for on the shape that was meant: a padding behind a padding is nobody's answer.
#pragma once

#include "advise/problem.hpp"
#include "expr/expression.hpp"

namespace bankwise::advise {

// Takes the padding out of the offsets, the rows and `array`, and puts it into problem::as_it_is; nothing is changed where
// none is found. Declared rows tell what is behind their used columns; without them the gaps of what is touched do.
void take_padding_out(problem& p, expr::array_decl& array);

}  // namespace bankwise::advise
