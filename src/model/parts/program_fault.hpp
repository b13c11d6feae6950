// Faults of a program's calls of CUDA that no kernel makes: memory that is freed wrongly or never, copies outside of the
// memory or of bytes that were never written, and operations on the same bytes that nothing orders.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

enum class program_fault_kind : std::uint8_t {
  freed_twice,
  bad_free,
  leak,
  unwritten_copy,
  stream_race,
  host_race,
  bad_copy,
  unawaited,
};

// Equal faults of calls at one place.
struct program_fault {
  program_fault_kind kind = program_fault_kind::leak;
  // the function that was called: cudaFree. For a race, the operation, such as "kernel add". Empty for a leak
  std::string function;
  std::string memory;              // the memory that the first of these calls named
  std::uint64_t bytes = 0;         // number of bytes that leaked, were never written, or race
  std::uint64_t calls = 0;         // number of calls; for a leak: of allocations
  std::vector<std::string> trail;  // lines of text: the places of the first call, and of the memory's allocation
};

struct program_fault_words {
  program_fault_kind kind;
  std::string_view name, title, hint;
  bool is_warning = false;  // whether the fault does not change the exit status
};
const program_fault_words& words_of(program_fault_kind k);
bool parse_program_fault(std::string_view name, program_fault_kind& k);

}  // namespace bankwise
