#include "base/common_templates.hpp"

template class std::basic_string<char>;
template class std::vector<std::string>;
template class std::vector<std::string_view>;
