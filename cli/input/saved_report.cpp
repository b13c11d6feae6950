#include "cli/input/saved_report.hpp"

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "report/json/read_report.hpp"

namespace bankwise::cli {

result<report> load_report(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return text.error();
  return read_report(*text, file);
}

std::optional<diagnostic> refuse_partial(const report& r, const std::string& file) {
  const early_end partial = early_end_of(r);
  if (!partial && !r.failure.empty())
    return diagnostic{formatted("the program of the report {} failed: {}", file, r.failure),
                      {.file = file},
                      "correct the program, and make the report again"};
  if (!partial) return std::nullopt;
  return diagnostic{formatted("the report {} is partial ({}), so code that did not run may have further findings", file,
                              words_of(partial)),
                    {.file = file},
                    "make the report again, and do not stop the run"};
}

result<report> load_whole_report(const std::string& file) {
  auto r = load_report(file);
  if (!r) return r;
  if (const auto partial = refuse_partial(*r, file)) return *partial;
  return r;
}

}  // namespace bankwise::cli
