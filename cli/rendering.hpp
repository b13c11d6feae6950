// A report in the format that was asked for: what `run` and `report` share.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "check/findings.hpp"
#include "report/run_report.hpp"
#include "source_files.hpp"

namespace bankwise::cli {

// A file that run --format json wrote.
result<report> load_report(const std::string& file);
// The same; a report of a run that was stopped before its end is an error.
result<report> load_whole_report(const std::string& file);

// --format of run, record and report: one of report_formats().
result<std::string> asked_format(const arguments& args);

// Each finding's path, as --root has it. An error if --root is no folder.
result<done> place_findings(const arguments& args, const source_files& sources, std::vector<check::finding>& findings);

// The text of the report. `input` is the file that the findings without a source line are said to be in.
result<std::string> render(const arguments& args, const std::string& format, const report& r, const launch_fixes& fixes,
                           source_files& sources, const std::string& input);

// What --check asks for.
result<checks> read_checks(const arguments& args);
// Of --faults: whether an access that a GPU lets pass ends a launch.
result<bool> read_strict_bounds(const arguments& args);
// On standard error, for who does not see the report: that it has such accesses.
void tell_out_of_bounds(const report& r);
// By --fail-on removable|never, and by what --check found.
result<int> status_of(const arguments& args, const report& r);

}  // namespace bankwise::cli
