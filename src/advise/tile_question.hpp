// A question to `bankwise fix` about a declared array: its accesses, in the words of the command line.
//
//     --array 'half A[64][64]'
//     'store: cp.async.16 A[i * 16 + t / 8][t % 8 * 8] for i < 4'
//     'load * 8: ldmatrix.x4 A[16 * i + t % 16][16 * k + t / 16 * 8] for i < 4, k < 4'
//      |      |  |           |                                           |
//      name   |  operation   lane expression, for every warp of --block  loop variables
//             executed 8 times for each execution of the others
//
// `where COND` after the expression disables lanes. The default operation is a load.
#pragma once

#include <string>
#include <vector>

#include "advise/problem.hpp"
#include "base/flag_values.hpp"
#include "expr/expression.hpp"

namespace bankwise::advise {

struct tile {
  expr::array_decl array;  // without a name, the array is all bytes up to the last accessed byte
  problem what;
  expr::array_decl declared;  // as the user wrote it; `array` and `what` are without existing padding
};

// One tile for each accessed array, in the order of their declaration. Reads these flags: arch array let block warp
// registers shared. Without --warp, every warp of the block executes the access. An error names the access and the
// column.
result<std::vector<tile>> read_tiles(const flag_values& flags, const std::vector<std::string>& accesses);

inline constexpr std::size_t most_instances = 1u << 16;  // limit of accesses in all warps and iterations together

}  // namespace bankwise::advise
