// The page of a kind of finding, `bankwise rule BW101`, and docs/rules.md, from the one table in
// check/finding_kinds.cpp.
#pragma once

#include <string>

#include "check/finding_kinds.hpp"
#include "report/text/style.hpp"

namespace bankwise {

std::string kind_text(const check::finding_kind& r, const style& s);
std::string kind_markdown(const check::finding_kind& r);  // without a heading
// A line for each kind.
std::string kind_list(const style& s);
// docs/rules.md
std::string kinds_document();

// For GitHub's "problem.severity".
std::string severity_word(check::severity level);

}  // namespace bankwise
