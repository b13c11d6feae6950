// The families of layouts. The families that change little in a source are first.
#pragma once

#include <cstdint>

namespace bankwise::advise {

enum class family : std::uint8_t {
  as_it_is,
  row_padding,     // longer rows of a declared array
  padding,         // free bytes after every P bytes
  swizzle,         // Swizzle<B,M,S> of CuTe
  tma_box,         // panels as wide as a hardware swizzle of TMA and wgmma, with this swizzle
  padded_swizzle,  // longer rows, and then a Swizzle<B,M,S>
  row_xor,         // any xor that is linear over GF(2), within rows of all banks
  linear,          // any bijection that is linear over GF(2)
};
inline constexpr int families = static_cast<int>(family::linear) + 1;

// The facts about a family that do not depend on an array. advice.cpp contains the search, and
// report/text/layout_code.cpp contains the code for a layout.
struct family_facts {
  family kind = family::as_it_is;
  const char* name = "";
  // How much of a source changes: one declaration, each index in a usual form, or each index in an unusual form.
  // `edit_without_rows` applies if the array's rows are unknown.
  int edit = 0, edit_without_rows = 0;
  bool only_declaration = false;  // whether a source edit changes only the declaration
  bool has_summary = true;        // whether the family has a short description in addition to its name
  const char* xor_text = "";      // text before the terms of the xor
};
const family_facts& facts_of(family f);
inline const char* name_of(family f) { return facts_of(f).name; }

}  // namespace bankwise::advise
