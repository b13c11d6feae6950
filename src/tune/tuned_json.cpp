#include "tune/tuned_json.hpp"

#include <nlohmann/json.hpp>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "report/json/syntax/json_document.hpp"
#include "report/json/syntax/json_reader.hpp"
#include "report/json/syntax/json_syntax.hpp"
#include "report/json/syntax/json_text.hpp"
#include "tune/ranked.hpp"

namespace bankwise::tune {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view schema = "bankwise.tune/1";
constexpr std::size_t most_tuned_bytes = std::size_t{1} << 28;
std::string how_to_make() { return formatted("bankwise tune {} writes a result", worded(setting::format, "json")); }
constexpr std::size_t most_gpus = 64;

json row_json(const tuned& t, const tuned_row& r) {
  json values = json::object();
  for (std::size_t i = 0; i < t.names.size(); ++i) values[t.names[i]] = r.what.values[i];
  json j{{"index", r.index}, {"values", std::move(values)}, {"outcome", name_of(r.is)}};
  if (r.is != outcome::ranked) {
    j["reason"] = r.reason;
    return j;
  }
  j["registers"] = r.registers;
  j["shared_bytes"] = r.shared_bytes;
  j["wavefronts"] = r.wavefronts;
  j["sectors"] = r.sectors;
  j["launches"] = r.launches;
  json times = json::array();
  for (std::size_t g = 0; g < r.times.size(); ++g) {
    const gpu_time& time = r.times[g];
    json one{{"gpu", t.gpus[g]},    {"microseconds", time.microseconds}, {"low", time.low}, {"high", time.high},
             {"bound", time.bound}, {"occupancy", time.occupancy}};
    if (!time.finding.empty()) one["finding"] = time.finding;
    if (time.saving > 0) one["saving"] = time.saving;
    times.push_back(std::move(one));
  }
  j["times"] = std::move(times);
  return j;
}

double real(json_reader& in, const node& parent, const char* key) {
  const node n = in.value_at(parent, key);
  if (in.wrong()) return 0;
  if (!n.value->is_number() || n.value->real() < 0 || n.value->real() > 1e15) {
    in.refuse(n, "expected a time in microseconds");
    return 0;
  }
  return n.value->real();
}

outcome read_outcome(json_reader& in, const node& parent) {
  const std::string word = in.text(parent, "outcome");
  for (const outcome o :
       {outcome::ranked, outcome::not_compiled, outcome::not_run, outcome::other_results, outcome::no_time})
    if (word == name_of(o)) return o;
  if (!in.wrong()) in.refuse(in.value_at(parent, "outcome"), "expected an outcome such as ranked");
  return outcome::no_time;
}

tuned_row read_row(json_reader& in, const node& at, const tuned& t) {
  tuned_row r;
  if (t.size == 0) {
    in.fail(at, "the space has no configurations");
    return r;
  }
  r.index = in.number(at, "index", t.size - 1);
  const node values = in.value_at(at, "values");
  for (const std::string& name : t.names)
    if (!in.wrong()) r.what.values.push_back(in.text(values, name.c_str()));
  r.is = read_outcome(in, at);
  if (in.wrong()) return r;
  if (r.is != outcome::ranked) {
    r.reason = in.code(at, "reason");
    return r;
  }
  r.registers = in.number(at, "registers", most_counted);
  r.shared_bytes = in.number(at, "shared_bytes", most_counted);
  r.wavefronts = in.number(at, "wavefronts", most_counted);
  r.sectors = in.number(at, "sectors", most_counted);
  r.launches = in.number(at, "launches", most_counted);
  const node times = in.list(at, "times", most_gpus);
  if (in.size(times) != t.gpus.size()) {
    if (!in.wrong()) in.refuse(times, "expected a time for each GPU");
    return r;
  }
  for (std::size_t g = 0; g < in.size(times); ++g) {
    const node one = json_reader::item(times, g);
    gpu_time time{real(in, one, "microseconds"),
                  real(in, one, "low"),
                  real(in, one, "high"),
                  in.text(one, "bound"),
                  static_cast<std::uint32_t>(in.number(one, "occupancy", 100)),
                  json_reader::has(one, "finding") ? in.text(one, "finding") : "",
                  json_reader::has(one, "saving") ? real(in, one, "saving") : 0};
    r.times.push_back(std::move(time));
  }
  return r;
}

std::vector<std::string> read_texts(json_reader& in, const node& parent, const char* key, std::size_t most) {
  const node list = in.list(parent, key, most);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < in.size(list); ++i) texts.push_back(in.text(json_reader::item(list, i)));
  return texts;
}

}  // namespace

std::string to_json(const tuned& t) {
  json rows = json::array();
  for (const tuned_row& r : t.rows) rows.push_back(row_json(t, r));
  json rankings = json::array();
  for (std::size_t g = 0; g < t.gpus.size(); ++g) {
    const ranked_rows ranks = rank_rows(t, g);
    json order = json::array(), like_best = json::array(), list = json::array();
    for (std::size_t at = 0; at < ranks.rows.size(); ++at) {
      const std::size_t index = t.rows[ranks.rows[at]].index;
      order.push_back(index);
      if (ranks.of.like_best[at]) like_best.push_back(index);
      if (at < ranks.of.short_list) list.push_back(index);
    }
    rankings.push_back({{"gpu", t.gpus[g]}, {"order", order}, {"like_best", like_best}, {"short_list", list}});
  }
  const choice_error& error = measured_choice_error();
  json j{{"schema", schema},       {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
         {"subject", t.subject},   {"names", t.names},
         {"gpus", t.gpus},         {"key", t.key},
         {"compared", t.compared}, {"size", t.size}};
  if (t.part != shard{}) j["shard"] = {{"number", t.part.number}, {"of", t.part.of}};
  j["configurations"] = std::move(rows);
  j["rankings"] = std::move(rankings);
  j["choice_error"] = {{"spaces", error.spaces}, {"held", error.held}, {"told_apart", error.told_apart}};
  return json_text(j);
}

bool is_tuned(std::string_view text) { return text.substr(0, 200).find(schema) != std::string_view::npos; }

result<tuned> read_tuned(std::string_view text, const std::string& file) {
  if (text.size() > most_tuned_bytes) return diagnostic{"the file is too large for a result of tune", {.file = file}};
  const json_document document(text);
  if (document.is() != json_document::state::valid) {
    diagnostic d = error_of(document, text, file);
    d.hint = how_to_make();
    return d;
  }
  json_reader in(file);
  const node root{&document.root()};
  if (!root.value->is_object() || !json_reader::has(root, "schema") || in.text(root, "schema") != schema)
    return diagnostic{formatted("{} is not a result of bankwise tune", file), {}, how_to_make()};
  tuned t;
  t.subject = in.text(root, "subject");
  t.names = read_texts(in, root, "names", 1000);
  t.gpus = read_texts(in, root, "gpus", most_gpus);
  t.key = in.text(root, "key");
  t.compared = in.text(root, "compared");
  t.size = in.number(root, "size", most_configurations);
  if (json_reader::has(root, "shard")) {
    const node part = in.value_at(root, "shard");
    t.part.of = in.number(part, "of", most_configurations, 1);
    t.part.number = in.number(part, "number", t.part.of, 1);
  }
  const node rows = in.list(root, "configurations", most_configurations);
  for (std::size_t i = 0; i < in.size(rows); ++i) {
    t.rows.push_back(read_row(in, json_reader::item(rows, i), t));
    if (!in.wrong() && i > 0 && t.rows[i - 1].index >= t.rows[i].index)
      in.fail(json_reader::item(rows, i), "the configurations are not in order");
  }
  if (in.wrong()) return *in.wrong();
  return t;
}

}  // namespace bankwise::tune
