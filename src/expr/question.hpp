// A question about shared memory, and the access that the question describes. `bankwise explain` and the explorer ask a
// question with flags of the command line:
//
//     --array 'float tile[32][32]' --pad 128:4 'tile[t][0]'
//
// The access is ld.b32, lane t at byte t * 132. Rows have 128 bytes, with 4 free bytes after each row.
#pragma once

#include <string>
#include <vector>

#include "base/flag_values.hpp"
#include "expr/named_access.hpp"
#include "expr/parse/expression.hpp"

namespace bankwise {

// A question can have these flags: op width type array let block warp mask where pad swizzle source zfill arch phases.
// An error contains the name of the flag.
//   source   EXPR          for cp.async.ca: each lane's global address, in the units of EXPR
//   zfill                  for cp.async.cg: the copy can fill lanes with zeros, even if it does not
//   pad      EVERY:BYTES   BYTES are left free after every EVERY bytes: address + address / EVERY * BYTES
//   swizzle  B,M,S         CuTe's Swizzle<B,M,S> of the byte address, after the padding

// Returns the names that --block, --warp, --let and --array define. If `of_global` is set, arrays are in global memory.
result<expr::scope> read_scope(const flag_values& flags, std::uint32_t warp_lanes = 32, bool of_global = false);

// Reads a question. `text` is a line of a kernel, a lane expression, or a list of up to 32 byte addresses (64 for
// waves). In a list such as "0,128,-,384", - marks an inactive lane. If `list_name` is given, `text` must be a list,
// and errors contain this name.
result<named_access> read_question(const flag_values& flags, const std::string& text,
                                   const std::string& list_name = {});

}  // namespace bankwise
