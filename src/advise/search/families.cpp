#include "advise/search/families.hpp"

#include <cstddef>
#include <iterator>

namespace bankwise::advise {

namespace {

// one row for each family, in the order of the enumerators
constexpr const char* of_rows = "row bits xored into the index: ";
constexpr family_facts family_table[] = {
    {family::as_it_is, "as it is", 7, 7, false, false, of_rows},
    {family::row_padding, "row padding", 0, 0, true, true, of_rows},
    {family::padding, "padding", 3, 1, false, true, of_rows},
    {family::swizzle, "swizzle", 2, 2, false, true, of_rows},
    {family::tma_box, "TMA box", 4, 4, false, true, of_rows},
    {family::padded_swizzle, "padded swizzle", 6, 6, false, true, of_rows},
    {family::row_xor, "xor within rows", 5, 5, false, false, of_rows},
    {family::linear, "linear over GF(2)", 7, 7, false, false, "address bits mixed: "},
};
constexpr bool is_in_order() {
  for (std::size_t n = 0; n < std::size(family_table); ++n)
    if (static_cast<std::size_t>(family_table[n].kind) != n) return false;
  return std::size(family_table) == std::size_t{families};
}
static_assert(is_in_order());

}  // namespace

const family_facts& facts_of(family f) { return family_table[static_cast<std::size_t>(f)]; }

}  // namespace bankwise::advise
