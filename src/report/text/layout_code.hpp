// A layout as code that users can paste: declaration and index in CUDA C++, layout in CuTe, and shared encoding in
// Triton.
//
//     half A[64][64], Swizzle<3,4,3> over bytes
//
//     __shared__ half A[4096];
//     __device__ constexpr unsigned A_at(unsigned row, unsigned column) {
//       const unsigned i = row * 64 + column;
//       return i ^ (i >> 3 & 0x38);
//     }
#pragma once

#include <string>

#include "advise/advice.hpp"
#include "expr/parse/expression.hpp"

namespace bankwise {

struct layout_code {
  std::string summary;        // description of the change, such as "rows of 144 bytes instead of 128"
  std::string over_elements;  // swizzle over elements, in CuTe's notation; empty if elements are bytes
  std::string expression;     // new index of an element, such as "i ^ (i >> 3 & 0x38)"
  std::string cuda;
  // the new declaration, the new index, or both, for use without an index function; empty if the layout needs the index
  // function in `cuda`
  std::string edit;
  std::string cute;      // layout in CuTe; empty if CuTe has no short form of it
  std::string triton;    // encoding in Triton; empty if Triton has none for this layout
  std::string hardware;  // mode of TMA and wgmma for this layout; empty if there is no such mode
};

// Returns the code of an answer. If the user declared no array, `array` has no extents, and the code uses byte offsets.
layout_code code_of(const expr::array_decl& array, const advise::problem& p, const advise::answer& a);

}  // namespace bankwise
