// The source of each machine instruction: the line programs of a cubin.
//
// `.debug_line` contains lines of the CUDA source. `.nv_debug_line_sass` contains lines of the PTX text in
// `.nv_debug_ptx_txt`. Both are DWARF line programs (versions 2 to 4) without a compilation unit. Each function is a
// separate sequence, which starts at address 0 with a relocation to its symbol. This file does not use libdw. libdw
// sorts the sequences of a file by address, and would mix up sequences that all start at 0. The rows after NVIDIA's
// extended opcode 0x90 belong to an inlined function. The opcode has two operands: the earlier row of the sequence that
// called the function, and the position of the function's name in `.debug_str`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cubin/elf_image.hpp"

namespace bankwise::cubin {

struct inlined_call {
  std::uint32_t function = 0;  // the called function, as an index into line_table::functions; 0 if unknown
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t outer = 0;  // the call that contains this call, as an index into line_table::calls; 0 if there is none
};

struct line_row {
  std::uint64_t pc = 0;    // byte offset in the function's section
  std::uint32_t file = 0;  // index into line_table::files; 0 if there is none
  std::uint32_t line = 0;
  // The line in the kernel's own function that contains the outermost inlined call. If nothing was inlined, it equals
  // `line`.
  std::uint32_t outer_file = 0;
  std::uint32_t outer_line = 0;
  // the call that inlined this line, as an index into line_table::calls; 0 if the line was not inlined
  std::uint32_t call = 0;
};

struct line_table {
  std::vector<std::string> files;      // index 0 is empty
  std::vector<std::string> functions;  // names as C++ writes them; index 0 is empty
  // index 0 means no call; a call comes after its outer call
  std::vector<inlined_call> calls;
  // the key is the ELF section index of the code; rows are sorted by pc
  std::map<std::uint32_t, std::vector<line_row>> by_section;

  // Return the row that covers this instruction, or null. If calls were inlined, several rows have the same address.
  // Their order is from the outermost line to the innermost line. find() returns the first row, which is the outermost
  // call, as in Nsight Compute. find_innermost() returns the last row, which begins a call stack.
  const line_row* find(std::uint32_t section, std::uint64_t pc) const;
  const line_row* find_innermost(std::uint32_t section, std::uint64_t pc) const;
};

// Returns the path of a source. The folder and the name come from the line table. nvcc writes bytes that are not ASCII
// as "\\303", and ptxas splits the path at the last of these backslashes.
std::string source_path(std::string_view directory, std::string_view file);

// Reads the line programs of one section. Fails if a program is damaged. If the section is missing, the table is empty.
result<line_table> read_line_table(const elf_image& image, std::string_view section_name, const std::string& name);

}  // namespace bankwise::cubin
