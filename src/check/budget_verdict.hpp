// The budgets of a project, judged: which launches exceed one, which budgets check nothing, which can be lowered.
#pragma once

#include "check/verdict.hpp"

namespace bankwise::check {

void judge_budgets(const verdict_question& q, verdict& v);

}  // namespace bankwise::check
