// The PTX that a cubin carries, with -lineinfo, and the lines that its line table counts in it.
#pragma once

#include <string>

#include "cubin/elf_image.hpp"
#include "cubin/line_table.hpp"

namespace bankwise::cubin {

// A cubin linked from several has a text of each, ".nv_debug_ptx_txt.1251242543", and its line table names the right
// one; otherwise it names none. The texts are joined in order, and `lines` counts in the joined text. Every line ends
// with a zero byte. Empty if the cubin has none, or far too much: then `lines` stays as it is.
std::string join_ptx_texts(const elf_image& elf, line_table& ptx);

// Whether nvlink made this file, from objects of -rdc=true.
bool is_linked(const elf_image& elf);

}  // namespace bankwise::cubin
