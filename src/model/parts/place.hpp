// Where an instruction is: in the code, in the source, and which thread executed it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace bankwise {

// The minimum that identifies an instruction in a launch.
struct instruction_at {
  std::string function;  // the device function that contains it; empty for the kernel itself
  std::uint64_t pc = 0;  // byte offset there
};

struct code_place {
  std::uint64_t pc = 0;  // as in a site
  std::string function;  // the device function that contains it; empty for the kernel itself
  std::string sass;
  std::string file;  // as it was compiled; empty without a line table
  std::uint32_t line = 0;
  std::string text = {};  // the text of the line when the report was made, trimmed, if it was requested

  friend bool operator==(const code_place&, const code_place&) = default;
};

// The place, and the thread that executed it.
struct thread_place : code_place {
  std::array<std::uint32_t, 3> thread{};

  friend bool operator==(const thread_place&, const thread_place&) = default;
};

}  // namespace bankwise
