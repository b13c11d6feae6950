// Finds and changes the machine code of this process in memory. Before a change, the bytes in memory equal the bytes in
// the file that contains the code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace bankwise::cuda {

struct mapping {
  std::uint64_t first = 0, last = 0;  // first address, and the address after the last byte
  int protection = 0;                 // a combination of PROT_*
};
// Reads the mappings of this process from /proc/self/maps, in the order of addresses.
std::vector<mapping> read_mappings();
// Returns the executable mapping that contains the whole range.
std::optional<mapping> find_code(const std::vector<mapping>& all, std::uint64_t address, std::uint64_t size);

struct code_change {
  std::uint64_t address = 0;
  byte_span before, after;  // old and new bytes, which have the same size
};
// Applies all changes or none. `changes` is sorted by address. If the memory differs from the expected bytes `before`,
// nothing is changed. During the change, the pages of the code are writable but not executable, so no thread may run
// this code. A page is never writable and executable at the same time. Returns an error, or an empty string.
std::string change_code(const mapping& where, const std::vector<code_change>& changes);

}  // namespace bankwise::cuda
