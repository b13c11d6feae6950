// Finds reads of unwritten shared memory whose values no result needs, so that they do not count. Merges of sorted
// lists read such values: the threads of a block load one element past their part, and do not take it.
//
//     words before they are written    0 0 0 0    3f1c 90ab ...    77e0 1d45 ...
//     results                          r          r                r               equal: no result needs these words
//
// Some blocks of the launch are rehearsed, and memory is restored. If a rehearsal finds such reads, the blocks are
// rehearsed again with other words in their shared memory. In case of doubt, the reads stay findings.
#pragma once

#include <cstdint>
#include <set>

#include "emulate/launch/launch.hpp"

namespace bankwise {

// The device addresses of the instructions. Only some launches of a kernel are rehearsed, and the others get the
// addresses found before. Must be called before the launch.
std::set<std::uint64_t> unused_unwritten_reads(const emulate::launch& l, emulate::device_memory& memory,
                                               const emulate::launch_hooks& hooks);

}  // namespace bankwise
