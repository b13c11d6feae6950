// Declares templates of the standard library that nearly every source uses, so that common_templates.cpp compiles them
// only once. Cold targets include this file first (bankwise_cold in cmake/). Otherwise, the linker might choose their
// unoptimised copies for the whole program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

extern template class std::basic_string<char>;
extern template class std::vector<std::string>;
extern template class std::vector<std::string_view>;
