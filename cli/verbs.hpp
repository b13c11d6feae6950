// One function a verb. Each returns the exit status, or the diagnostic that main() prints before exit 2.
#pragma once

#include "arguments.hpp"
#include "base/result.hpp"

namespace bankwise::cli {

inline constexpr int exit_clean = 0;
inline constexpr int exit_findings = 1;
inline constexpr int exit_failed = 2;

result<int> explain(const arguments& args);
result<int> predict(const arguments& args);
result<int> probe(const arguments& args);
result<int> fix(const arguments& args);
result<int> run(const arguments& args);
result<int> record(const arguments& args);
result<int> render_report(const arguments& args);
result<int> diff(const arguments& args);
result<int> merge(const arguments& args);
result<int> check_reports(const arguments& args);
result<int> compare(const arguments& args);
result<int> rule(const arguments& args);
result<int> arch(const arguments& args);

}  // namespace bankwise::cli
