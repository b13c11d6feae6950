// Faults that a check finds in the program's calls: memory that is freed wrongly or never, and copies to the host of
// bytes that were never written. operation_races.hpp adds races.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parts/program_fault.hpp"
#include "runtime/device/copied_box.hpp"

namespace bankwise::emulate {
struct region;
}

namespace bankwise::cuda {

struct state;

// Equal faults of one place. The trail is added when the report needs it.
struct noted_fault {
  program_fault what;
  std::vector<std::uint64_t> called_at, made_at, freed_at, other_at;  // call sites
  std::string other;                                                  // of a race: what the call at `other_at` began
  bool has_trail = false;
};

// Adds a fault to those of the state, or counts it if there is an equal one.
void note_fault(state& s, noted_fault f);
// The name, size and address of an allocation.
std::string memory_words(const emulate::region& r);
// Call this if a program frees an address that it cannot free. Does nothing unless the run checks memory.
void note_bad_free(state& s, std::string_view function, std::uint64_t address);
// Call this if a copy does not stay inside the memory at one of its addresses, which is `reach` bytes long.
void note_bad_copy(state& s, std::uint64_t address, std::uint64_t reach);
// Call these before an operation changes memory. They do nothing unless the run looks for unwritten bytes.
void note_written(state& s, std::uint64_t address, std::uint64_t bytes);
void note_written(state& s, const copy& c);
void note_written(state& s, const fill& f);
// Lists the faults in the report. At the end of the program, also lists the memory that was not freed.
void report_faults(state& s);

}  // namespace bankwise::cuda
