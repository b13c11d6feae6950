#include "report/text/comparison_report.hpp"

#include <cmath>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;
using check::compared_counter;
using check::compared_row;

std::string number(const std::optional<std::uint64_t>& n) { return n ? grouped(*n) : "-"; }
std::string difference(std::uint64_t predicted, std::uint64_t measured) {
  return predicted == measured  ? "="
         : measured > predicted ? formatted("+{}", grouped(measured - predicted))
                                : formatted("-{}", grouped(predicted - measured));
}
json or_null(const std::optional<std::uint64_t>& n) { return n ? json(*n) : json(nullptr); }

json sectors_json(const std::optional<check::page_sectors>& s) {
  if (!s) return nullptr;
  return {{"sectors", s->sectors},
          {"sectors_ideal", or_null(s->sectors_ideal)},
          {"tag_requests", or_null(s->tag_requests)},
          {"executed", or_null(s->executed)}};
}

// Returns the predicted and the measured number, such as "12 > 16". If they are equal, returns one number.
std::string of_both(const std::optional<check::page_sectors>& a, const std::optional<check::page_sectors>& b,
                    std::optional<std::uint64_t> check::page_sectors::*what) {
  const auto x = a ? *a.*what : std::nullopt, y = b ? *b.*what : std::nullopt;
  if (x && y && *x != *y) return formatted("{} > {}", grouped(*x), grouped(*y));
  return number(x ? x : y);
}

// Returns a table of sectors of global memory, with a row for each instruction or line.
std::string compared_sectors_text(const check::compared_launch& l, const style& s, bool all) {
  text_table t;
  t.left_last = 3;
  t.rows.push_back({"place", "sectors", "measured", "difference", "ideal", "lines", "line", "instruction", "because"});
  std::vector<std::size_t> strong;
  std::size_t equal = 0;
  for (const check::compared_sectors& r : l.global_rows) {
    if (r.equal() && !all) {
      ++equal;
      continue;
    }
    if (!r.equal()) strong.push_back(t.rows.size());
    const std::string line =
        r.line == 0 || r.place.starts_with(formatted("{}:", r.file)) ? "" : formatted("{}:{}", r.file, r.line);
    t.rows.push_back(
        {r.place, r.predicted ? grouped(r.predicted->sectors) : "-", r.measured ? grouped(r.measured->sectors) : "-",
         r.predicted && r.measured ? difference(r.predicted->sectors, r.measured->sectors) : "",
         of_both(r.predicted, r.measured, &check::page_sectors::sectors_ideal),
         of_both(r.predicted, r.measured, &check::page_sectors::tag_requests), line, shortened(r.sass, 32), r.because});
  }
  if (l.global_rows.empty()) return {};
  std::string text = "global memory, sectors of 32 bytes\n";
  if (t.rows.size() > 1) text += t.text(s, strong);
  if (equal != 0) text += formatted("  {}{} equal\n", grouped(equal), t.rows.size() == 1 ? "" : " more");
  return text;
}

// Returns a text such as "elapsed cycles: predicted 12,300 (10,100 to 14,000) for an H100 SXM, measured 11,800, 4.2%
// over it".
std::string time_text(const check::compared_time& t) {
  const double apart = t.measured == 0 ? 0
                                       : 100 * (static_cast<double>(t.predicted) - static_cast<double>(t.measured)) /
                                             static_cast<double>(t.measured);
  const std::string error = apart == 0 ? std::string("the same")
                                       : formatted("the prediction is {}% {}", fixed(std::abs(apart), 1),
                                                   apart > 0 ? "too long" : "too short");
  return formatted("elapsed cycles: predicted {} ({} to {}) for {}, measured {}: {}", grouped(t.predicted),
                   grouped(t.low), grouped(t.high), with_article(t.gpu), grouped(t.measured), error);
}

json json_of(const check::compared_time& t) {
  return {{"gpu", t.gpu},
          {"cycles", t.predicted},
          {"cycles_low", t.low},
          {"cycles_high", t.high},
          {"measured_cycles", t.measured}};
}

}  // namespace

std::string to_text(const check::comparison& c, const style& s, bool all) {
  std::string text;
  for (const check::compared_launch& l : c.launches) {
    text += formatted("{}\n", s.strong(l.kernel));
    for (const std::string& n : l.notes) text += formatted("  note: {}\n", n);
    text_table t;
    t.left_last = 3;
    t.rows.push_back({"place", "predicted", "measured", "difference", "line", "instruction", "because"});
    std::vector<std::size_t> strong;
    std::size_t equal = 0;
    for (const compared_row& r : l.rows) {
      if (r.equal() && !all) {
        ++equal;
        continue;
      }
      if (!r.equal() && !r.by_page) strong.push_back(t.rows.size());
      const std::string line =
          r.line == 0 || r.place.starts_with(formatted("{}:", r.file)) ? "" : formatted("{}:{}", r.file, r.line);
      t.rows.push_back({r.place, number(r.predicted), number(r.measured),
                        r.predicted && r.measured ? difference(*r.predicted, *r.measured) : "", line,
                        shortened(r.sass, 32), r.because});
    }
    if (t.rows.size() > 1) text += t.text(s, strong);
    if (equal != 0) text += formatted("  {}{} equal\n", grouped(equal), all || t.rows.size() == 1 ? "" : " more");
    text += compared_sectors_text(l, s, all);
    if (!l.counters.empty()) {
      text_table metrics;
      metrics.left_last = 2;
      metrics.rows.push_back({"predicted", "measured", "difference", "counter", "because"});
      std::vector<std::size_t> wrong;
      for (const compared_counter& one : l.counters) {
        if (!one.because.empty() && !one.attributed && !one.by_page) wrong.push_back(metrics.rows.size());
        metrics.rows.push_back({grouped(one.predicted), grouped(one.measured), difference(one.predicted, one.measured),
                                one.metric, one.because});
      }
      text += metrics.text(s, wrong);
    }
    if (l.time) text += formatted("  {}\n", time_text(*l.time));
    text += "\n";
  }
  for (const std::string& n : c.notes) text += formatted("note: {}\n", n);
  const std::string verdict = formatted(
      "{} equal, {}{}{} different", grouped(c.equal),
      c.attributed == 0 ? "" : formatted("{} higher in the measurement for a known reason, ", grouped(c.attributed)),
      c.by_page == 0 ? "" : formatted("{} equal to the source page's model, ", grouped(c.by_page)),
      grouped(c.different));
  return formatted("{}{}\n", text, c.different == 0 && c.equal != 0 ? s.good(verdict) : s.bad(verdict));
}

std::string to_json(const check::comparison& c) {
  json launches = json::array();
  for (const check::compared_launch& l : c.launches) {
    json rows = json::array(), counters = json::array();
    for (const compared_row& r : l.rows)
      rows.push_back({{"place", r.place},
                      {"sass", r.sass},
                      {"file", r.file},
                      {"line", r.line},
                      {"predicted",
                       {{"wavefronts", or_null(r.predicted)},
                        {"executed", or_null(r.predicted_executed)},
                        {"ideal", or_null(r.predicted_ideal)}}},
                      {"measured",
                       {{"wavefronts", or_null(r.measured)},
                        {"executed", or_null(r.measured_executed)},
                        {"ideal", or_null(r.measured_ideal)}}},
                      {"equal", r.equal()},
                      {"because", r.because},
                      {"by_page", r.by_page}});
    json global_rows = json::array();
    for (const check::compared_sectors& r : l.global_rows)
      global_rows.push_back({{"place", r.place},
                             {"sass", r.sass},
                             {"file", r.file},
                             {"line", r.line},
                             {"predicted", sectors_json(r.predicted)},
                             {"measured", sectors_json(r.measured)},
                             {"equal", r.equal()},
                             {"because", r.because}});
    for (const compared_counter& one : l.counters)
      counters.push_back({{"metric", one.metric},
                          {"predicted", one.predicted},
                          {"measured", one.measured},
                          {"because", one.because},
                          {"attributed", one.attributed},
                          {"by_page", one.by_page}});
    launches.push_back({{"kernel", l.kernel},
                        {"rows", std::move(rows)},
                        {"global_rows", std::move(global_rows)},
                        {"counters", std::move(counters)},
                        {"notes", l.notes}});
    if (l.time) launches.back()["time"] = json_of(*l.time);
  }
  return json_text({{"schema", "bankwise.compare/1"},
                    {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
                    {"launches", std::move(launches)},
                    {"notes", c.notes},
                    {"equal", c.equal},
                    {"attributed", c.attributed},
                    {"by_page", c.by_page},
                    {"different", c.different}});
}

}  // namespace bankwise
