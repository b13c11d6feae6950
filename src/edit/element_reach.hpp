// Checks code that takes the address of an element, or a reference to an element. The code must use only this element:
//
//     *(float4*)&a[i][j] = v;                  only this element, if the layout keeps 16 bytes together
//     atomicAdd(&a[i][j], 1);                  only this element
//     (&a[0][0])[k] = 1;                       other elements
//     float& x = a[0][0]; (&x)[k] = 1;         other elements
//     asm("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(__cvta_generic_to_shared(&a[i][j])));     only this element
//     unsigned p = __cvta_generic_to_shared(&a[0][0]) + 4 * k;                                other elements
#pragma once

#include <optional>
#include <string>

#include "advise/search/relayout.hpp"
#include "source/reader.hpp"

namespace bankwise::edit {

// Returns how code may use other elements than the element with these indices: "code with a reference to an element of
// a may access other elements". Returns nothing if the code uses only this element, or bytes around it that
// the layout keeps together. `to` is the token at which the block of the array ends.
std::optional<std::string> reached_beyond(const source::reader& r, const source::use& u, const advise::relayout& layout,
                                          std::uint32_t element_bytes, std::size_t to);

}  // namespace bankwise::edit
