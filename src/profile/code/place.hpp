// The place of an instruction in the code and in the source.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cubin/program.hpp"
#include "model/parts/instruction_place.hpp"

namespace bankwise {

// Returns the source line of the instruction at a device address. Returns nothing if the line is unknown.
std::optional<cubin::program::place> source_at(const cubin::program& p, std::uint64_t pc);

// Sets the pc, the text and the source line of the instruction at a device address. Returns the bytes of its section,
// and its offset in the section. Returns nothing if no section contains the address.
std::optional<std::pair<byte_span, std::uint64_t>> set_place(instruction_place& s, const cubin::program& p,
                                                             const cubin::kernel& k, std::uint64_t pc);

}  // namespace bankwise
