// A layout as code to paste: what to declare and how to index, in CUDA C++, in CuTe, and as Triton's shared encoding.
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
  std::string summary;        // "rows of 144 bytes instead of 128"
  std::string over_elements;  // the swizzle over elements, as CuTe writes it; empty if elements are bytes
  std::string expression;     // of the new index i', in elements: "i ^ (i >> 3 & 0x38)"
  std::string cuda;
  std::string
      edit;  // what a programmer writes: the declaration, and the new index; empty if only `cuda` can express it
  std::string cute;      // empty if CuTe has no short form
  std::string triton;    // empty if no encoding of Triton does this
  std::string hardware;  // the equivalent mode of TMA and wgmma, if there is one
};

// `array` may have no extents, if nothing is declared: the code then uses offsets.
layout_code code_of(const expr::array_decl& array, const advise::problem& p, const advise::answer& a);

}  // namespace bankwise
