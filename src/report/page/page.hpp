// Pages: the single file that web/ builds, with data inserted. A page needs no other files. It can be opened from the
// file system, and contains its sources, its code and the rule as WebAssembly.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/diff.hpp"
#include "report/text/run_report.hpp"

namespace bankwise {

// The page for a report of `bankwise run`, with the report's code and sources.
std::string to_html(const report& r, const launch_fixes& fixes = {});
// The page for two reports side by side, line by line.
std::string to_html(const check::report_diff& d, const std::string& name_a, const std::string& name_b);
// The explorer with a question: flags of `bankwise explain` without dashes, and their values. Without a question, the
// explorer shows its first example.
std::string explorer_page(const std::vector<std::pair<std::string, std::string>>& question);

// The page as it was built, without data: web/dist/page.html.
std::string_view page_template();

}  // namespace bankwise
