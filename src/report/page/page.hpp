// Pages: the single file that web/ builds, with data added. A page needs no other files, so a browser can open it from
// disk. It has its sources, its code, and the rule as WebAssembly.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/diff.hpp"
#include "report/text/run_report.hpp"

namespace bankwise {

// Returns the page of a report of `bankwise run`, with its code and sources.
std::string to_html(const report& r, const launch_fixes& fixes = {});
// Returns the page of two reports, which compares their lines.
std::string to_html(const check::report_diff& d, const std::string& name_a, const std::string& name_b);
// Returns the explorer with a question: flags of `bankwise explain` without their dashes, and their values. Without a
// question, the explorer shows its first example.
std::string explorer_page(const std::vector<std::pair<std::string, std::string>>& question);

// Returns the page without data, as it was built: web/dist/page.html.
std::string_view page_template();

}  // namespace bankwise
