// The PTX in a cubin, with -lineinfo, and the line numbers of its line table.
#pragma once

#include <string>

#include "cubin/elf_image.hpp"
#include "cubin/line_table.hpp"

namespace bankwise::cubin {

// A cubin that was linked from several cubins has a text of each, ".nv_debug_ptx_txt.1251242543", and its line table
// names the right one. Otherwise the line table names none. The texts are joined in order, and `lines` counts in the
// joined text. Every line ends with a zero byte. Empty if the cubin has no PTX, or far too much: then `lines` is not
// changed.
std::string join_ptx_texts(const elf_image& elf, line_table& ptx);

// Whether nvlink made this file, from objects of -rdc=true.
bool is_linked(const elf_image& elf);

}  // namespace bankwise::cubin
