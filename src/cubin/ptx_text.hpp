// Reads the PTX in a cubin, which exists with -lineinfo. Corrects the line numbers in the cubin's line table.
#pragma once

#include <string>

#include "cubin/elf_image.hpp"
#include "cubin/line_table.hpp"

namespace bankwise::cubin {

// Joins the PTX texts of a cubin. A cubin that was linked from several cubins has a text from each of them, in sections
// such as ".nv_debug_ptx_txt.1251242543". The line table of such a cubin names the text of each line. Every other cubin
// has one text, and its line table does not name this text. Changes the line numbers in `ptx` to lines of the joined
// text. Every line ends with a zero byte. If the cubin has no PTX or too much of it, returns an empty text and does not
// change `ptx`.
std::string join_ptx_texts(const elf_image& elf, line_table& ptx);

// Whether nvlink made this file from objects of -rdc=true.
bool is_linked(const elf_image& elf);

}  // namespace bankwise::cubin
