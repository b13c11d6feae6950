// A jump island: a few pages near some code, with jumps from there to any address (x86-64). Each jump has a number, and
// its target is resolved on first use. Intel's control-flow enforcement (IBT and shadow stack) accepts these jumps:
// every jump target begins with endbr64, and every function returns to its caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "runtime/load/loaded_code.hpp"

namespace bankwise::cuda {

struct jump_island {
  std::uint64_t address = 0;
  std::size_t count = 0;
  void* owner = nullptr;
};

// Returns the target of the jump with this number. Every use of the jump calls this function until `settle` sets the
// target.
using ask_address = void* (*)(void* owner, std::size_t number) noexcept;

// Makes an island that all code in `near` can reach. The island's address is 0 if there is no free address range or no
// memory.
jump_island make_jump_island(const mapping& near, const std::vector<mapping>& taken, std::size_t count, void* owner,
                             ask_address ask);
void settle(const jump_island& island, std::size_t number, const void* address);
// Resets the targets of all jumps, so that they are resolved again.
void forget_addresses(const jump_island& island);

// Returns the bytes that replace the beginning of the function at `address`: a jump to jump `number` of the island.
// Returns nothing if the function's code, `code`, is too short.
std::vector<std::byte> jump_to_island(const jump_island& island, std::size_t number, std::uint64_t address,
                                      byte_span code);
bool reaches(const jump_island& island, const mapping& from);

}  // namespace bankwise::cuda
