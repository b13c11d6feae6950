// The result of a search as text for users, and as CSV.
#pragma once

#include <string>

#include "report/table/style.hpp"
#include "tune/tuned.hpp"

namespace bankwise::tune {

// Tables of the ranked configurations, one for each GPU, and the configurations that are not ranked. Without `all`, a
// table has at most the first 20 and the configurations that may be the best.
std::string to_text(const tuned& t, const style& paint, bool all);
// A row for each configuration and GPU, in the order of the ranking.
std::string to_csv(const tuned& t);

}  // namespace bankwise::tune
