// A question to `bankwise explain` and the explorer, with the flags of the command line, and the access that it
// describes.
//
//     --array 'float tile[32][32]' --pad 128:4 'tile[t][0]'
//
//     access    ld.b32, lane t at byte t * 132: rows of 128 bytes with 4 free bytes after each
#pragma once

#include <string>
#include <vector>

#include "base/flag_values.hpp"
#include "expr/expression.hpp"
#include "expr/named_access.hpp"

namespace bankwise {

// A question can have these flags: op width type array let block warp mask where pad swizzle source zfill arch phases.
// An error names the flag.
//   source   EXPR          for cp.async.ca: each lane's global address, in the units of EXPR
//   zfill                  for cp.async.cg: the copy can fill lanes with zeros, even if it does not
//   pad      EVERY:BYTES   BYTES are left free after every EVERY bytes: address + address / EVERY * BYTES
//   swizzle  B,M,S         CuTe's Swizzle<B,M,S> of the byte address, after the padding

// The names that --block, --warp, --let and --array define. With `of_global`, arrays are in global memory.
result<expr::scope> read_scope(const flag_values& flags, std::uint32_t warp_lanes = 32, bool of_global = false);

// Reads a question. `text`: a line of a kernel, a lane expression, or a list of up to 32 byte addresses (64 for waves)
// such as "0,128,-,384", with - for an inactive lane. With `list_name`, which errors use, `text` must be a list.
result<named_access> read_question(const flag_values& flags, const std::string& text,
                                   const std::string& list_name = {});

}  // namespace bankwise
