// The place of an instruction in the code and in the source, and the thread that executed it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace bankwise {

// Identifies an instruction in a launch.
struct instruction_at {
  std::string function;  // the device function that contains the instruction; empty for the kernel itself
  std::uint64_t pc = 0;  // byte offset in the function
};

struct code_place {
  std::uint64_t pc = 0;  // as in instruction_at
  std::string function;  // the device function that contains the instruction; empty for the kernel itself
  std::string sass;
  std::string file;  // path when the file was compiled; empty without a line table
  std::uint32_t line = 0;
  std::string text = {};  // source line without surrounding blanks; read only on request, while the report is made

  friend bool operator==(const code_place&, const code_place&) = default;
};

// A place, with the thread that executed the instruction.
struct thread_place : code_place {
  std::array<std::uint32_t, 3> thread{};

  friend bool operator==(const thread_place&, const thread_place&) = default;
};

}  // namespace bankwise
