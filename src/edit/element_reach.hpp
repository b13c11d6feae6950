// Whether code that takes the address of an element, or a reference to it, only uses that element.
//
//     *(float4*)&a[i][j] = v;                  stays, if the layout keeps 16 bytes together
//     atomicAdd(&a[i][j], 1);                  stays
//     (&a[0][0])[k] = 1;                       does not
//     float& x = a[0][0]; (&x)[k] = 1;         does not
//     asm("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(__cvta_generic_to_shared(&a[i][j])));     stays
//     unsigned p = __cvta_generic_to_shared(&a[0][0]) + 4 * k;                                does not
#pragma once

#include <optional>
#include <string>

#include "advise/search/relayout.hpp"
#include "source/reader.hpp"

namespace bankwise::edit {

// What happens to the element of a use that has all its indices: "the address of an element of a is passed to a
// function". Nothing if the code only accesses that element, or bytes around it that the layout keeps together. `to`:
// the token that ends the array's block.
std::optional<std::string> reached_beyond(const source::reader& r, const source::use& u, const advise::relayout& layout,
                                          std::uint32_t element_bytes, std::size_t to);

}  // namespace bankwise::edit
