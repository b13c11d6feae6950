#include "verbs.hpp"

namespace bankwise::cli {

result<int> run(const arguments&) { return diagnostic{"not built yet"}; }

}  // namespace bankwise::cli
