// A question to `bankwise explain` and the explorer, in the words of the command line, and the access that it
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

// The flags of a question: op width type array let block warp mask where pad swizzle source zfill arch phases. An error
// names the flag.
//   source   EXPR          of cp.async.ca: each lane's global address, in the units of EXPR
//   zfill                  of cp.async.cg: the copy may fill lanes with zeros, whether it does or not
//   pad      EVERY:BYTES   BYTES are left free after every EVERY bytes: address + address / EVERY * BYTES
//   swizzle  B,M,S         CuTe's Swizzle<B,M,S>, over the byte address, after the padding

// The names that --block, --warp, --let and --array define; with `of_global`, arrays are in global memory.
result<expr::scope> read_scope(const flag_values& flags, std::uint32_t warp_lanes = 32, bool of_global = false);

// `text`: a line of a kernel, a lane expression, or a list of up to 32 byte addresses (64 for waves) such as
// "0,128,-,384", with - for an inactive lane. With `list_name`, which is for errors, it is always a list.
result<named_access> read_question(const flag_values& flags, const std::string& text,
                                   const std::string& list_name = {});

}  // namespace bankwise
