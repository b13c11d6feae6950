// Accesses out of bounds after which a launch continues: just outside an allocation, or past the shared memory of the
// block.
#pragma once

#include <cstdint>
#include <string>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// Counts accesses to memory just outside an allocation by lanes of the instruction at this address. Keeps the first
// access.
void note_out_of_bounds(worker& m, std::uint64_t pc, access_direction does, std::uint32_t bytes, std::uint32_t lanes,
                        std::uint64_t address);
// Counts the accesses of m.past by the instruction at this address, and clears them.
void note_past_the_end(worker& m, std::uint64_t pc);
// Advice for an access outside the block's shared memory.
std::string shared_size_hint(const launch& l);

}  // namespace bankwise::emulate
