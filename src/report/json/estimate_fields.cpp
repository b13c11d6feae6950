// JSON fields of estimates from a sample.
#include "base/text.hpp"
#include "report/json/report_fields.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;
using intervals = std::vector<interval>;

constexpr const char* interval_type =
    R"({"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 0}})";
// A sample has the intervals of the totals first, and then the interval of the instructions.
constexpr std::size_t of_instructions = std::size(total_rows);

// Makes the field with both ends of a total's interval. `number` is the index of the total.
field<intervals> field_of(const char* key, const char* meaning, std::size_t number) {
  field<intervals> f = derived<intervals>(key, interval_type, meaning,
                                          [](const field<intervals>& row, const intervals& list, const beside&) {
                                            const std::size_t n = row.least;
                                            return n < list.size() ? json{list[n].low, list[n].high} : json::array();
                                          });
  f.least = number;
  f.set = [](const field<intervals>& row, report_reader& r, const node& at, intervals& list) {
    const std::size_t n = row.least;
    const node ends = r.list(at, row.key, 2);
    if (r.size(ends) != 2) return r.refuse(ends, "expected two numbers");
    if (list.size() <= n) list.resize(n + 1);
    list[n] = {r.number(r.item(ends, 0), most_counted), r.number(r.item(ends, 1), most_counted)};
    if (!r.wrong() && list[n].low > list[n].high) r.refuse(ends, "expected the smaller number first");
  };
  return f;
}

}  // namespace

const fields<intervals>& intervals_fields() {
  static const fields<intervals> all = [] {
    fields<intervals> a;
    for (std::size_t n = 0; n < std::size(total_rows); ++n) {
      field<intervals> f = field_of(total_rows[n].name, total_rows[n].meaning, n);
      if (total_rows[n].when == count_when::where_any)
        f = std::move(f).given([](const field<intervals>& row, const intervals& list, const beside&) {
          return row.least < list.size() && list[row.least].high != 0;
        });
      a.push_back(std::move(f));
    }
    a.push_back(field_of("warp_instructions",
                         "interval for the number of warp instructions in the launch. The number includes instructions "
                         "that do not access shared memory",
                         of_instructions)
                    .given([](const intervals& list) { return list.size() > of_instructions; }));
    return a;
  }();
  return all;
}

const fields<intervals>& global_intervals_fields() {
  static const fields<intervals> all = [] {
    fields<intervals> a;
    for (std::size_t n = 0; n < std::size(global_count_rows); ++n)
      a.push_back(field_of(global_count_rows[n].name, global_count_rows[n].meaning, n));
    return a;
  }();
  return all;
}

const fields<launch_report>& estimate_fields() {
  using launch = launch_report;
  static const fields<launch> all = [] {
    fields<launch> a;
    a.push_back(derived<launch>("blocks", count_type,
                                "number of blocks in the grid. Only ctas_executed of these blocks were executed",
                                [](const launch& l) { return blocks_of(l.grid); }));
    field<launch> by = derived<launch>("by", R"({"enum": ["time", "ctas"]})", "the flag that limited the run",
                                       [](const launch& l) { return l.timed ? "time" : "ctas"; });
    by.set = [](report_reader& r, const node& n, launch& l) { l.timed = r.text(n, "by") == "time"; };
    a.push_back(std::move(by));
    a.push_back(derived<launch>("confidence_percent", count_type, "how many of 100 intervals contain the true count",
                                [](const launch&) { return confidence_percent; }));
    a.push_back(object<launch, &launch::within, intervals_fields>("totals", "intervals",
                                                                  "intervals for the totals of the launch"));
    a.push_back(object<launch, &launch::global_within, global_intervals_fields>(
                    "global_totals", "global_intervals", "intervals for the global_totals of the launch")
                    .given([](const launch& l) { return !l.global_within.empty(); }));
    return a;
  }();
  return all;
}

const fields<failed_launches>& failed_fields() {
  using rest = failed_launches;
  static const fields<rest> all = {
      plain<rest, &rest::kernel>("kernel", "demangled name of the kernel, with its parameters"),
      plain<rest, &rest::grid>("grid", "blocks in x, y, z"), plain<rest, &rest::block>("block", "threads in x, y, z"),
      plain<rest, &rest::launches>("launches", "number of launches that failed", 1),
      plain<rest, &rest::why>("why", "the reason why the first of these launches failed")};
  return all;
}

}  // namespace bankwise
