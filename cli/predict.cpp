// bankwise predict: computes the cost of each row of a table of accesses.
#include <vector>

#include "bankwise/wavefronts.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/progress_line.hpp"
#include "cli/line/output.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "expr/names/machine_names.hpp"
#include "expr/pattern_table.hpp"
#include "report/forms/predictions.hpp"

namespace bankwise::cli {

namespace {

// Whether the cost of an access depends on the position of its source in L1. This is so for a cp.async.ca whose source
// is not contiguous.
constexpr std::string_view in_l1_text = "source in L1";
bool depends_on_l1(const pattern& p) {
  if (p.what.op.kind != op_kind::copy_async) return false;
  u32 first = lanes_per_warp;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((p.what.mask >> lane & 1) == 0) continue;
    if (first == lanes_per_warp) first = lane;
    if (p.from.address[lane] - p.from.address[first] != (lane - first) * p.what.op.width_bytes) return true;
  }
  return false;
}

struct predicted_table {
  std::vector<prediction> rows;
  std::string arch;
  bool with_evidence = false;
};
constexpr answer_format<predicted_table> predict_formats[] = {
    {"csv", [](const predicted_table& t, const answer_look&) { return to_csv(t.rows, t.with_evidence); }},
    {"json", [](const predicted_table& t, const answer_look&) { return to_json(t.rows, t.arch); }},
};

}  // namespace

result<int> predict(const arguments& args) {
  const auto format = asked_format(args, predict_formats);
  if (!format) return format.error();
  const auto on = read_machine(args);
  if (!on) return on.error();
  if (args.positional.size() != 1)
    return diagnostic{
        "bankwise predict needs one table", {}, "usage: bankwise predict TABLE.csv, or - for standard input"};
  const auto text = read_file(args.positional[0]);
  if (!text) return text.error();
  auto table = pattern_table::open(*text, args.positional[0]);
  if (!table) return table.error();

  progress_line progress("rows");
  std::size_t strided = 0;
  predicted_table predicted = {{}, on->name, args.has("evidence")};
  std::vector<prediction>& rows = predicted.rows;
  for (;;) {
    const auto row = table->next();
    if (!row) return row.error();
    if (!*row) break;
    const pattern& p = **row;
    if (auto missing = unsupported(*on, p.op)) return table->error(missing->message, missing->hint);
    const evidence level = on->rules->by_group[static_cast<u32>(group_of(p.what.op))].level;
    const bool in_l1 = depends_on_l1(p);
    strided += in_l1 ? 1 : 0;
    rows.push_back(
        {p.op.spelling, p.what.mask, p.value(on->model), name_of(level), in_l1 ? in_l1_text : "", p.page(on->model)});
    if (rows.size() % 4096 == 0) progress.update(rows.size(), 0);
  }
  const auto written = write_answer(args, **format, predicted);
  if (!written) return written.error();
  if (strided != 0)
    tell(
        formatted("note: {} of {} rows are cp.async.ca accesses whose sources are not contiguous. Their wavefronts "
                  "are computed as if the source is in L1. A source in L2 costs more wavefronts",
                  strided, rows.size()));
  return exit_clean;
}

}  // namespace bankwise::cli
