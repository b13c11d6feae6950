// The style of text in a terminal. Callers determine the colour and the width once, and pass them to all functions.
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

struct style {
  bool color = false;
  unsigned width = 80;
  bool fits = false;  // whether `width` is the width of a terminal, which no line may exceed

  std::string good(std::string_view s) const { return paint("32", s); }
  std::string warn(std::string_view s) const { return paint("33", s); }
  std::string bad(std::string_view s) const { return paint("1;31", s); }
  std::string strong(std::string_view s) const { return paint("1", s); }
  std::string dim(std::string_view s) const { return paint("2", s); }

 private:
  std::string paint(const char* code, std::string_view s) const {
    if (!color) return std::string(s);
    return std::string("\x1b[").append(code).append("m").append(s).append("\x1b[0m");
  }
};

}  // namespace bankwise
