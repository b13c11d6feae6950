// Addresses one by one: up to 32, or 64 of a wave, one a lane; - or x for a lane that takes no part.
//
//     0, 128, -, 384        lanes 0, 1 and 3
#pragma once

#include <string>
#include <string_view>

#include "bankwise/config.hpp"
#include "base/result.hpp"

namespace bankwise {

struct address_list {
  u32 count = 0;  // lanes that the list names, including those that take no part
  u64 lanes = 0;  // a mask: those that have an address
  u64 address[2 * lanes_per_warp] = {};
};

// The list, or the words of a file; `name` is what errors call it.
result<address_list> read_addresses(const std::string& text, const std::string& name, u32 most = lanes_per_warp,
                                    u64 most_address = 0xffffffff);
// A list is what starts with a number, - or x and has a comma before anything else.
bool is_address_list(std::string_view text);

}  // namespace bankwise
