// Declares templates of the standard library that nearly every source uses, so that only common_templates.cpp compiles
// them. Targets that are optimised less (bankwise_cold in cmake/) include this file first. Otherwise, the linker might
// use the slower copies of the templates in the whole program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

extern template class std::basic_string<char>;
extern template class std::vector<std::string>;
extern template class std::vector<std::string_view>;
