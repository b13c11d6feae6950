// Text and numbers in SVG.
#pragma once

#include <cmath>
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
// Returns a number with at most two decimals, such as "12.5" or "3". This function does not use std::to_chars, because
// the page would be larger.
inline std::string hundredths(double value) {
  const long long n = std::llround(value * 100), all = n < 0 ? -n : n;
  std::string s = (n < 0 ? "-" : "") + std::to_string(all / 100);
  if (all % 100 == 0) return s;
  s += '.';
  s += static_cast<char>('0' + all % 100 / 10);
  if (all % 10 != 0) s += static_cast<char>('0' + all % 10);
  return s;
}
inline std::string svg_number(const char* name, double value) {
  return std::string(" ") + name + "=\"" + hundredths(value) + "\"";
}
inline std::string svg_text(double x, double y, std::string_view kind, std::string_view text) {
  return "<text" + svg_number("x", x) + svg_number("y", y) + " class=\"" + std::string(kind) + "\">" +
         svg_escaped(text) + "</text>\n";
}

}  // namespace bankwise
