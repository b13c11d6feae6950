#include "saved_report.hpp"

#include "base/files.hpp"
#include "report/read_report.hpp"

namespace bankwise::cli {

result<report> load_report(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return text.error();
  return read_report(*text, file);
}

result<report> load_whole_report(const std::string& file) {
  auto r = load_report(file);
  if (!r) return r;
  if (const early_end partial = early_end_of(*r))
    return diagnostic{file + " is partial, " + words_of(partial) + ": what was not executed cannot pass",
                      {.file = file},
                      "make the report again, to the end of the run"};
  return r;
}

}  // namespace bankwise::cli
