// An error as a value: the reason, the place, and what the user can do.
//
//     error: unknown name 'tt'                       message
//       --> expression:1:4                           file, line and column (or a byte offset)
//        |  (tt % 8) * 128                           the text around it
//        |   ^^                                      column .. column + length
//        called at main.cu:12                        trail: more context, one line each
//     help: the lane is called t                     hint
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankwise {

struct location {
  std::string file;
  std::uint32_t line = 0;             // number of the line, from 1; 0 if unknown
  std::uint32_t column = 0;           // number of the column, from 1; 0 if unknown
  std::uint32_t length = 1;           // number of columns to underline
  std::string source_line;            // the source line; empty if it cannot be shown
  std::optional<std::uint64_t> byte;  // offset of the place in a binary file

  friend bool operator==(const location&, const location&) = default;
};

struct diagnostic {
  std::string message;
  location where = {};
  std::string hint = {};
  std::string flag = {};  // the flag with the wrong value, without dashes; empty if there is none
  std::vector<std::string> trail = {};

  friend bool operator==(const diagnostic&, const diagnostic&) = default;
};

// Returns the diagnostic as lines of text, without a newline at the end. The first line starts with "error: ".
std::string to_text(const diagnostic& d);

}  // namespace bankwise
