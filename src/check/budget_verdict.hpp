// Judges the budgets of a project: which launches exceed a budget, which budgets apply to nothing, and which can be
// lowered.
#pragma once

#include "check/verdict.hpp"

namespace bankwise::check {

void judge_budgets(const verdict_question& q, verdict& v);

}  // namespace bankwise::check
