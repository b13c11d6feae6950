// A page is the single file that web/ builds, with added data. It contains its sources, its code, and the rule as
// WebAssembly. A page needs no further files, so a browser can open it from disk.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/diff.hpp"
#include "model/cut_report.hpp"
#include "report/text/advice_report.hpp"
#include "report/text/run_report.hpp"

namespace bankwise {

std::string to_html(const report& r, const launch_fixes& fixes = {}, const writing_watch& watch = {});
// Returns the page that compares the lines of two reports.
std::string to_html(const check::report_diff& d, const std::string& name_a, const std::string& name_b);
// Returns the explorer with a question, which consists of flags of `bankwise explain` without dashes, and their values.
// Without a question, the explorer shows its first example.
std::string explorer_page(const std::vector<std::pair<std::string, std::string>>& question);

// Returns the page without data, as it was built: web/dist/page.html.
std::string_view page_template();

}  // namespace bankwise
