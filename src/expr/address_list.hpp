// A list of addresses, one for each lane: up to 32 addresses, or 64 for a wave. A - or x marks an inactive lane.
//
//     0, 128, -, 384        lanes 0, 1 and 3
#pragma once

#include <string>
#include <string_view>

#include "bankwise/config.hpp"
#include "base/result.hpp"

namespace bankwise {

struct address_list {
  u32 count = 0;  // number of lanes in the list, including inactive lanes
  u64 lanes = 0;  // mask of the lanes with an address
  u64 address[2 * lanes_per_warp] = {};
};

result<address_list> read_addresses(const std::string& text, const std::string& name, u32 most = lanes_per_warp,
                                    u64 most_address = 0xffffffff);
// Whether a text is a list. A list begins with a number, - or x, followed by a comma.
bool is_address_list(std::string_view text);

}  // namespace bankwise
