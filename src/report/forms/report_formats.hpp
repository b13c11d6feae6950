// The formats of a report: a row for each, with the function that writes it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "check/verdict.hpp"
#include "report/text/run_report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// What a format may need in addition to the report.
struct presentation {
  style paint;
  bool all = false;  // every instruction, finding and code, not only the first ones
  fix_text fixes = fix_text::line;
  bool search_cut = false;  // the search for fixes ended before it had processed all arrays
  // The current text of a source line, or nothing; a line in the report has priority.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
  // The name of a file in findings, relative to the base folder; empty for the path as it was compiled.
  std::function<std::string(const std::string& file)> path_of;
  std::string input;  // the file named for findings without a source line
};

struct report_format {
  std::string_view name;     // "json", of --format
  std::string_view endings;  // file endings of this format: ".html .htm"
  bool names_paths = false;  // it needs path_of
  std::string (*write)(const report& r, const launch_fixes& fixes, const presentation& how);
};

// The first one is the default.
std::span<const report_format> report_formats();
// Null if there is none.
const report_format* find_report_format(std::string_view name);

// The formats for the result of a check.
struct check_format {
  std::string_view name;
  std::string (*write)(const check::verdict& v, const presentation& how);
};
std::span<const check_format> check_formats();

}  // namespace bankwise
