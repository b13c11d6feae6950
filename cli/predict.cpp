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
  std::uint64_t open_rows = 0;
  for (;;) {
    const auto row = table->next();
    if (!row) return row.error();
    if (!*row) break;
    const pattern& p = **row;
    if (auto missing = unsupported(*on, p.what.op)) return table->error(missing->message, missing->hint);
    const evidence level = on->rules->by_group[static_cast<u32>(group_of(p.what.op))].level;
    rows.push_back({p.op.spelling, p.what.mask, p.value(on->model),
                    p.open_rule ? "open" : std::string_view(name_of(level))});
    open_rows += p.open_rule;
    if (rows.size() % 4096 == 0) progress.update(rows.size(), 0);
  }
  const auto written = write_file(args.value("output").value_or(""),
                                  *format == "json" ? to_json(rows, on->name) : to_csv(rows, args.has("evidence")));
  if (!written) return written.error();
  if (open_rows != 0)
    std::fprintf(
        stderr,
        "bankwise: note: %llu of %llu rows are cp.async.cg, whose rule is not known: "
        "their numbers are those of .ca with a contiguous source\n",
        static_cast<unsigned long long>(open_rows), static_cast<unsigned long long>(rows.size()));
  return exit_clean;
}

}  // namespace bankwise::cli
