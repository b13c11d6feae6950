// The formats of a report. Each format has a name and a function that writes the report.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "check/verdict.hpp"
#include "report/table/run_text_options.hpp"
#include "report/table/style.hpp"
#include "report/text/advice_report.hpp"
#include "report/text/run_report.hpp"

namespace bankwise {

// The data that a format needs in addition to the report.
// The value of --fail-on: findings that make bankwise exit with status 1, apart from errors.
enum class failing { never, removable, any };

struct presentation {
  style paint;
  bool all = false;    // whether to show all instructions, findings and code, instead of only the first ones
  bool brief = false;  // for JSON: whether to write only the summary of report/json/brief.hpp
  fix_text fixes = fix_text::line;
  bool search_cut = false;  // whether the search for fixes ended before it had tried all arrays
  // Returns the current text of a source line, or an empty string. Formats prefer the text in the report, if the report
  // contains one.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
  // Returns the name of a file for findings, relative to the base folder. If this function is empty, findings contain
  // the path that was compiled.
  std::function<std::string(const std::string& file)> path_of;
  std::string input;  // file for findings without a source line
  writing_watch watch = {};
  launch_order order = launch_order::time;  // for text
  std::size_t print_limit = most_findings_printed;
  failing fails = failing::never;  // for JUnit: which warnings are failures; errors always are
};

struct report_format {
  std::string_view name;     // value of --format, such as "json"
  std::string_view endings;  // file extensions, such as ".html .htm"
  bool names_paths = false;  // whether the format calls path_of
  std::string (*write)(const report& r, const launch_fixes& fixes, const presentation& how);
};

// Returns all formats. The first format is the default.
std::span<const report_format> report_formats();
// Returns null if there is no such format.
const report_format* find_report_format(std::string_view name);

// The formats for the result of a check.
struct check_format {
  std::string_view name;
  std::string (*write)(const check::verdict& v, const presentation& how);
};
std::span<const check_format> check_formats();

}  // namespace bankwise
