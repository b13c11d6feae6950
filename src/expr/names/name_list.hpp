// Finds a word in a list of names: lists("k20 k20x k40", ' ', "k20x") is true.
#pragma once

#include <string_view>

namespace bankwise {

constexpr bool lists(std::string_view names, char separator, std::string_view name) {
  for (std::size_t at = 0, end = 0; at <= names.size(); at = end + 1) {
    end = names.find(separator, at);
    if (end == names.npos) end = names.size();
    if (names.substr(at, end - at) == name) return true;
  }
  return false;
}

}  // namespace bankwise
