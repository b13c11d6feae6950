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
  std::string over_elements;  // the swizzle again, over elements, as CuTe takes it; empty if they are bytes
  std::string expression;     // of the new index i', in elements: "i ^ (i >> 3 & 0x38)"
  std::string cuda;
  std::string
      edit;  // what a person writes: the declaration, and an index in place of another; empty: only `cuda` says it
  std::string cute;      // empty: CuTe has no short form
  std::string triton;    // empty if no encoding of Triton does this
  std::string hardware;  // the TMA and wgmma mode that is the same, if one is
};

// `array` may have no extents (nothing is declared): the code then uses offsets.
layout_code code_of(const expr::array_decl& array, const advise::problem& p, const advise::answer& a);

}  // namespace bankwise
