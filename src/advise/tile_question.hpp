// A question to `bankwise fix` about declared arrays. The accesses are those of the command line.
//
//     --array 'half A[64][64]'
//     'store: cp.async.16 A[i * 16 + t / 8][t % 8 * 8] for i < 4'
//     'load * 8: ldmatrix.x4 A[16 * i + t % 16][16 * k + t / 16 * 8] for i < 4, k < 4'
//      |      |  |           |                                           |
//      name   |  operation   lane expression, for every warp of --block  loop variables
//             executed 8 times for each execution of the others
//
// `where COND` after the expression disables lanes whose COND is 0. The default operation is a load.
#pragma once

#include <string>
#include <vector>

#include "advise/search/problem.hpp"
#include "base/flag_values.hpp"
#include "expr/parse/expression.hpp"

namespace bankwise::advise {

struct tile {
  expr::array_decl array;  // if the name is empty, the array is all bytes up to the last accessed byte
  problem what;
  expr::array_decl declared;  // the declaration of the user; existing padding was removed from `array` and `what`
};

// Returns one tile for each accessed array, in the order of the declarations. Reads these flags: arch array let block
// warp registers shared. Without --warp, every warp of the block executes the access. An error contains the access and
// the column.
result<std::vector<tile>> read_tiles(const flag_values& flags, const std::vector<std::string>& accesses);

inline constexpr std::size_t most_instances = 1u << 16;  // limit of the accesses in all warps and iterations together

}  // namespace bankwise::advise
