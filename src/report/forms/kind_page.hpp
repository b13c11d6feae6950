// The pages about kinds of findings: the answer of `bankwise rule BW101`, and the page of all findings. The table in
// check/finding_kinds.cpp contains their texts.
#pragma once

#include <string>

#include "check/finding_kinds.hpp"
#include "report/table/style.hpp"

namespace bankwise {

std::string kind_text(const check::finding_kind& r, const style& s);
std::string kind_markdown(const check::finding_kind& r);  // without a heading
// Returns one line for each kind of finding.
std::string kind_list(const style& s);
// Returns the text of the page of all findings, as Markdown.
std::string kinds_document();

// Converts a severity to a value of GitHub's "problem.severity".
std::string severity_word(check::severity level);

}  // namespace bankwise
