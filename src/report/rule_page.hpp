// The page of a rule, `bankwise rule BW101`, and docs/rules.md, from the one table in check/rules.cpp.
#pragma once

#include <string>

#include "check/rules.hpp"
#include "report/style.hpp"

namespace bankwise {

std::string rule_text(const check::rule& r, const style& s);
std::string rule_markdown(const check::rule& r);  // without a heading
// A line for each rule.
std::string rule_list(const style& s);
// docs/rules.md
std::string rules_document();

// As GitHub's "problem.severity" has it.
std::string severity_word(check::severity level);

}  // namespace bankwise
