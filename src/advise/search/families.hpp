// The families of layouts, from the one that changes least of a source to the one that changes most.
#pragma once

#include <cstdint>

namespace bankwise::advise {

// In the order of how much of a kernel's source must change.
enum class family : std::uint8_t {
  as_it_is,
  row_padding,     // rows of a declared array become longer
  padding,         // bytes after every P bytes stay unused
  swizzle,         // CuTe's Swizzle<B,M,S>
  tma_box,         // panels as wide as a hardware swizzle of TMA and wgmma, with that swizzle
  padded_swizzle,  // rows become longer, then a Swizzle<B,M,S>
  row_xor,         // any xor within rows of all banks that is linear over GF(2)
  linear,          // any bijection that is linear over GF(2)
};
inline constexpr int families = static_cast<int>(family::linear) + 1;

// Facts about a family that do not depend on an array. Its search is in advice.cpp, its code in
// report/forms/layout_code.cpp.
struct family_facts {
  family kind = family::as_it_is;
  const char* name = "";
  // How much of a source changes: one declaration, each index in a usual form, or each index in another form. The
  // second number is for arrays whose rows are unknown.
  int edit = 0, edit_without_rows = 0;
  bool only_declaration = false;  // only the declaration changes
  bool has_summary = true;        // its layout has a short description; otherwise only its name
  const char* xor_text = "";      // the text before its xor terms
};
const family_facts& facts_of(family f);
inline const char* name_of(family f) { return facts_of(f).name; }

}  // namespace bankwise::advise
