#include <cstdio>
#include <vector>

#include "bankwise/wavefronts.hpp"
#include "base/files.hpp"
#include "base/progress_line.hpp"
#include "expr/pattern_table.hpp"
#include "report/predictions.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

result<int> predict(const arguments& args) {
  const auto format = choice(args, "format", "csv", {"csv", "json"});
  if (!format) return format.error();
  const auto on = parse_machine(args.value("arch").value_or("sm_90"));
  if (!on) return on.error();
  if (args.positional.size() != 1)
    return diagnostic{"expected one table", {}, "usage: bankwise predict TABLE.csv, or - for standard input"};
  const auto text = read_file(args.positional[0]);
  if (!text) return text.error();
  auto table = pattern_table::open(*text, args.positional[0]);
  if (!table) return table.error();

  progress_line progress("rows");
  std::vector<prediction> rows;
  for (;;) {
    const auto row = table->next();
    if (!row) return row.error();
    if (!*row) break;
    const pattern& p = **row;
    if (auto missing = unsupported(*on, p.what.op)) return table->error(missing->message, missing->hint);
    const evidence level = on->rules->by_group[static_cast<u32>(group_of(p.what.op))].level;
    rows.push_back({p.op.spelling, p.what.mask, p.value(on->model), name_of(level)});
    if (rows.size() % 4096 == 0) progress.update(rows.size(), 0);
  }
  const auto written = write_file(args.value("output").value_or(""),
                                  *format == "json" ? to_json(rows, on->name) : to_csv(rows, args.has("evidence")));
  if (!written) return written.error();
  return exit_clean;
}

}  // namespace bankwise::cli
