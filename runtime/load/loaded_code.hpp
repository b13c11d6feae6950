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
// The executable mapping that contains all of these addresses.
std::optional<mapping> find_code(const std::vector<mapping>& all, std::uint64_t address, std::uint64_t size);

struct code_change {
  std::uint64_t address = 0;
  byte_span before, after;  // of the same size
};
// Writes all changes or none, by address: none if the memory differs from the expected bytes. During the write, the
// pages are writable and not executable, so that no page is ever both: no thread may run this code. Empty on success,
// otherwise the error.
std::string change_code(const mapping& where, const std::vector<code_change>& changes);

}  // namespace bankwise::cuda
