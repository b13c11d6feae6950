// Whether a launch can be at all: what the hardware or the driver would refuse, and what is not executed.
#pragma once

#include <cstdint>

#include "emulate/launch.hpp"

namespace bankwise::emulate {

inline constexpr std::uint32_t most_local_bytes = 512u << 10;  // of a thread

result<done> check(const launch& l);
result<done> check_cluster(const launch& l);

}  // namespace bankwise::emulate
