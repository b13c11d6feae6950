// The words of a small kernel (small_kernel.hpp) after macro expansion.
//
//     #define COL (x + 1)
//     a[COL] = 0;              a  [  (  x  +  1  )  ]  =  0  ;
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/tokens.hpp"

namespace bankwise::fuzz {

struct kernel_word {
  std::string text;
  source::token::kind is = source::token::kind::mark;
  std::uint32_t line = 1;
};

std::vector<kernel_word> words_of(std::string_view source);

}  // namespace bankwise::fuzz
