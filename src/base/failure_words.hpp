// Words with which programs report a wrong result: FAIL, FAILED, WRONG, mismatch.
#pragma once

#include <string_view>

namespace bankwise {

// Whether a text contains such a word as a whole word, in any case. A word right after "0" or "no", as in "0 failed", does not
// count, because it reports a success.
bool reports_failure(std::string_view text);

}  // namespace bankwise
