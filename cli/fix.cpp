#include "advise/tile_question.hpp"
#include "files.hpp"
#include "report/advice_report.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

namespace {

std::string title_of(const advise::tile& t) {
  if (t.array.name.empty()) return "shared memory";
  std::string title = t.array.type + " " + t.array.name;
  for (const std::uint64_t n : t.array.extents) title += "[" + std::to_string(n) + "]";
  return title;
}

}  // namespace

result<int> fix(const arguments& args) {
  const auto format = choice(args, "format", "text", {"text", "json"});
  if (!format) return format.error();
  const auto look = output_style(args);
  if (!look) return look.error();
  if (args.positional.empty())
    return diagnostic{"expected the accesses to an array, or a report",
                      {},
                      "bankwise fix --array 'float tile[32][32]' --block 32,8 'st tile[threadIdx.y][threadIdx.x]' "
                      "'ld tile[threadIdx.x][threadIdx.y]'"};
  const auto tiles = advise::read_tiles(args, args.positional);
  if (!tiles) return tiles.error();

  std::vector<advice_report> reports;
  progress_line progress("layouts");
  for (const advise::tile& t : *tiles)
    reports.push_back(
        {title_of(t),
         t.array,
         t.what,
         advise::advise(t.what, {}, [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }),
         {}});
  std::string text;
  if (*format == "json")
    text = to_json(reports);
  else
    for (const advice_report& r : reports) text += (text.empty() ? "" : "\n") + to_text(r, *look, args.has("all"));
  const auto written = write_file(args.value("output").value_or(""), text);
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace bankwise::cli
