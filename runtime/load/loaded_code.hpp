// Code of this process whose memory equals its file: its address, and how to write to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace bankwise::cuda {

struct mapping {
  std::uint64_t first = 0, last = 0;  // the address after it
  int protection = 0;                 // PROT_*
};
// From /proc/self/maps, by address.
std::vector<mapping> read_mappings();
// What is executed and holds all of these addresses.
std::optional<mapping> find_code(const std::vector<mapping>& all, std::uint64_t address, std::uint64_t size);

struct code_change {
  std::uint64_t address = 0;
  byte_span before, after;  // of the same size
};
// Writes all or nothing, by address: nothing where the memory does not hold what it should. Meanwhile the pages can be
// written and not executed, so that no page is ever both: nobody may be in this code. Empty: done, or what went wrong.
std::string change_code(const mapping& where, const std::vector<code_change>& changes);

}  // namespace bankwise::cuda
