// Compares launches with the budgets of a project. Finds launches that exceed a budget, budgets that apply to no
// kernel, and budgets that can be lowered.
#pragma once

#include "check/verdict.hpp"

namespace bankwise::check {

void judge_budgets(const verdict_question& q, verdict& v);

}  // namespace bankwise::check
