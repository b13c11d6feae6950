// The source of each machine instruction: the line programs of a cubin.
//
// `.debug_line` has lines of the CUDA source, `.nv_debug_line_sass` lines of the PTX text in `.nv_debug_ptx_txt`. Both
// are DWARF line programs (versions 2 to 4) without a compilation unit. Each function is a separate sequence that
// starts at address 0 with a relocation to its symbol. libdw sorts the sequences of a file by address, which would mix
// them up, so this file reads them itself. NVIDIA's extended opcode 0x90 applies to the following rows, which belong to
// an inlined function. It has the earlier row of the sequence that called the function, and the position of the
// function's name in `.debug_str`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cubin/elf_image.hpp"

namespace bankwise::cubin {

// A call that was inlined.
struct inlined_call {
  std::uint32_t function = 0;  // the called function, an index into line_table::functions; 0 if unknown
  std::uint32_t file = 0;      // place of the call
  std::uint32_t line = 0;
  std::uint32_t outer = 0;  // the call that inlined these lines, an index into line_table::calls; 0 if there is none
};

struct line_row {
  std::uint64_t pc = 0;    // byte offset in the function's section
  std::uint32_t file = 0;  // index into line_table::files; 0: none
  std::uint32_t line = 0;
  // The line in the kernel's own function into which it was inlined, through any number of calls; the same line if it
  // was not inlined.
  std::uint32_t outer_file = 0;
  std::uint32_t outer_line = 0;
  std::uint32_t call = 0;  // the call that inlined it, an index into line_table::calls; 0 if it was not inlined
};

struct line_table {
  std::vector<std::string> files;                             // index 0 is empty
  std::vector<std::string> functions;                         // as C++ writes them; index 0 is empty
  std::vector<inlined_call> calls;                            // index 0 means none; each comes after its outer one
  std::map<std::uint32_t, std::vector<line_row>> by_section;  // ELF section index of the code; rows by pc

  // The row that covers this instruction, or null. If calls were inlined, several rows have one address, from the
  // outermost line to the innermost. Nsight Compute uses the first row, the call; a call stack begins at the last.
  const line_row* find(std::uint32_t section, std::uint64_t pc) const;
  const line_row* find_innermost(std::uint32_t section, std::uint64_t pc) const;
};

// The path of a source, from the folder and the name in its table. nvcc writes bytes that are not ASCII as "\\303", and
// ptxas splits the path at the last of these backslashes.
std::string source_path(std::string_view directory, std::string_view file);

// Reads the line programs of one section. Damaged programs are an error; a missing section is an empty table.
result<line_table> read_line_table(const elf_image& image, std::string_view section_name, const std::string& name);

}  // namespace bankwise::cubin
