// Faults of a program's calls of CUDA that no kernel makes: memory that is freed wrongly or never, and copies of bytes
// that were never written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

enum class program_fault_kind : std::uint8_t { freed_twice, bad_free, leak, unwritten_copy };

// Equal faults of calls at one place.
struct program_fault {
  program_fault_kind kind = program_fault_kind::leak;
  std::string function;            // the function that was called: cudaFree. Empty for a leak
  std::string memory;              // the memory that the first of these calls named
  std::uint64_t bytes = 0;         // of a leak or a copy: number of bytes that leaked, or were never written
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
