// A layout as code to paste: the declaration and the index, in CUDA C++, in CuTe, and as Triton's shared encoding.
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
#include "expr/expression.hpp"

namespace bankwise {

struct layout_code {
  std::string summary;        // example: "rows of 144 bytes instead of 128"
  std::string over_elements;  // the swizzle over elements in CuTe's notation; empty if an element is a byte
  std::string expression;     // the new index, in elements: "i ^ (i >> 3 & 0x38)"
  std::string cuda;
  std::string edit;      // the edit as a programmer writes it; empty if only `cuda` can express the layout
  std::string cute;      // empty if CuTe has no short form
  std::string triton;    // empty if Triton has no such encoding
  std::string hardware;  // the equivalent mode of TMA and wgmma; empty if there is none.
};

// Returns the code of an answer. If `array` has no extents, because nothing is declared, the code uses offsets.
layout_code code_of(const expr::array_decl& array, const advise::problem& p, const advise::answer& a);

}  // namespace bankwise
