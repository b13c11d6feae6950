#include "sass/flow/inputs.hpp"

namespace bankwise::sass {

std::string names_of(inputs i) {
  std::string text;
  for (const input_name& n : input_names)
    if (i.has(n.what)) text += (text.empty() ? "" : ", ") + std::string(n.name);
  return text;
}

bool parse_input(std::string_view name, input& i) {
  for (const input_name& n : input_names)
    if (name == n.name) {
      i = n.what;
      return true;
    }
  return false;
}

}  // namespace bankwise::sass
