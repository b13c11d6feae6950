// Words and numbers in SVG.
#pragma once

#include <string>
#include <string_view>

#include "base/text.hpp"

namespace bankwise {

inline std::string svg_escaped(std::string_view text) {
  std::string s;
  for (const char c : text)
    s += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return s;
}
// Of a length: at most two places, and none that are zero.
inline std::string svg_number(const char* name, double value) {
  std::string n = fixed(value, 2);
  n.erase(n.find_last_not_of('0') + 1);
  if (n.back() == '.') n.pop_back();
  return std::string(" ") + name + "=\"" + n + "\"";
}
inline std::string svg_text(double x, double y, std::string_view kind, std::string_view text) {
  return "<text" + svg_number("x", x) + svg_number("y", y) + " class=\"" + std::string(kind) + "\">" +
         svg_escaped(text) + "</text>\n";
}

}  // namespace bankwise
