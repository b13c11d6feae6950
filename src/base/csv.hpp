// Reads comma-separated values, one row at a time. Quotes follow RFC 4180, and lines end with LF or CR LF. Every field
// has its position in the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"

namespace bankwise {

inline constexpr std::size_t most_csv_fields = 4096;  // largest number of fields in a line

struct csv_field {
  std::string_view text;     // the fields are valid until the next call of next()
  std::uint32_t column = 0;  // column of the first character in the line, from 1
};

class csv_reader {
 public:
  // `text` must exist as long as the reader. Errors contain `name`. A byte order mark is skipped, because spreadsheets
  // write it.
  csv_reader(std::string_view text, std::string name) : text_(without_mark(text)), name_(std::move(name)) {}

  // Returns the fields of the next line that is not empty, or nothing at the end. Fails if a closing quote is missing.
  result<std::optional<std::vector<csv_field>>> next();

  std::uint32_t line() const { return line_; }
  // Returns an error at this field of the current line. Without a field, the error is at the whole line.
  diagnostic error(const csv_field& field, std::string message, std::string hint = {}) const;
  diagnostic error(std::string message, std::string hint = {}) const;

 private:
  std::string_view text_;
  std::string name_;
  std::uint32_t line_ = 0;
  std::uint32_t next_line_ = 1;
  std::string_view current_;
  std::vector<std::string> unquoted_;
};

std::string csv_quote(std::string_view field);
// Returns external text as a field, in quotes if necessary. Makes the text printable. If a spreadsheet would evaluate
// the text as a formula, adds an apostrophe:
//
//     =HYPERLINK(0)     '=HYPERLINK(0)
std::string csv_text(std::string_view field);

}  // namespace bankwise
