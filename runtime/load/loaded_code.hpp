// The code of this process, whose bytes in memory equal its file: where it is, and how to write to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace bankwise::cuda {

struct mapping {
  std::uint64_t first = 0, last = 0;  // first address, and the address after the last
  int protection = 0;                 // a combination of PROT_*
};
// Reads the mappings of this process from /proc/self/maps, by address.
std::vector<mapping> read_mappings();
// The executable mapping that contains the whole range of addresses.
std::optional<mapping> find_code(const std::vector<mapping>& all, std::uint64_t address, std::uint64_t size);

struct code_change {
  std::uint64_t address = 0;
  byte_span before, after;  // must have the same size
};
// Writes all changes or none; the changes are in the order of their addresses. None is written if the memory differs
// from the expected bytes. During the write, no thread may run this code: the pages are writable and not executable, so
// that no page is ever both. Returns an error, or an empty string.
std::string change_code(const mapping& where, const std::vector<code_change>& changes);

}  // namespace bankwise::cuda
