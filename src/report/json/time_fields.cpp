#include "report/json/time_fields.hpp"

#include <algorithm>

#include "model/time/used_resources.hpp"
#include "report/sections/time_report.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

constexpr std::uint64_t most_stall_cycles = std::uint64_t{1} << 56;
constexpr double most_of_parameter = 1e12, most_microseconds = 1e12;
constexpr std::size_t most_reasons = 64, most_lines_of_time = 256, most_resources = 64, most_parameters = 256,
                      most_delays = 256;
constexpr std::size_t most_letters_read = std::size_t{64} << 20;

// Whether the text is a name such as "long_scoreboard" or "l2_latency".
bool is_small_name(const std::string& name) {
  return !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

double read_real(report_reader& r, const node& n, double most) {
  if (n.value->is_number())
    if (const auto value = n.value->real(); value >= 0 && value <= most) return value;
  r.refuse(n, "expected a number");
  return 0;
}

// Calls `read` for each member of an object. Errors call the members `expected`.
template <class Read>
auto read_named(report_reader& r, const node& parent, const char* key, std::size_t most, const char* expected,
                Read read) {
  std::vector<std::pair<std::string, decltype(read(parent))>> list;
  const node all = r.value_at(parent, key);
  if (r.wrong()) return list;
  const bool is_short = all.value->is_object() && all.value->size() <= most;
  if (!is_short) r.refuse(all, expected);
  for (std::size_t i = 0; is_short && i < all.value->size(); ++i) {
    const std::string name(all.value->key(i));
    if (!is_small_name(name) || all.value->find(name) != &all.value->member(i)) r.refuse(all, expected);
    list.emplace_back(name, read(node{&all.value->member(i), &all, name.c_str()}));
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return list;
}

}  // namespace

json stalls_json(const stall_cycles& s) {
  json all = json::object();
  for (const auto& [reason, cycles] : s.by_reason) all[reason] = cycles;
  return all;
}

stall_cycles read_stalls(report_reader& r, const node& parent, const char* key) {
  stall_cycles s;
  s.by_reason = read_named(r, parent, key, most_reasons, "expected the number of cycles for each stall reason",
                           [&](const node& n) { return r.number(n, most_stall_cycles); });
  std::erase_if(s.by_reason, [](const auto& one) { return one.second == 0; });
  sort_reasons(s);
  return s;
}

namespace {

json delay_json(const delay& d) {
  json j = {{"kind", std::string(name_of(d.is))}, {"saved_cycles", d.saved_cycles}};
  if (d.estimated_cycles != 0) j["estimated_cycles"] = d.estimated_cycles;
  if (d.now != 0) j["now"] = d.now;
  if (d.then != 0) j["then"] = d.then;
  if (!d.about.empty()) j["about"] = d.about;
  if (d.barrier_line != 0) j["barrier_line"] = d.barrier_line;
  if (!d.limit.empty()) j["limit"] = d.limit;
  if (d.used != 0) j["used"] = d.used;
  if (d.allowed != 0) j["allowed"] = d.allowed;
  if (d.next_blocks != 0) j["next_allowed"] = d.next_allowed;
  if (d.next_blocks != 0) j["next_blocks"] = d.next_blocks;
  if (d.cause != 0) j["cause"] = d.cause;
  const instruction_place& at = d.place;
  if (d.is_of_launch()) return j;
  if (!at.function.empty()) j["function"] = at.function;
  j["pc"] = at.pc;
  j["sass"] = at.sass;
  if (at.line == 0) return j;
  j["path"] = at.file;
  j["line"] = at.line;
  if (!at.text.empty()) j["text"] = at.text;
  if (at.outer_line == at.line && at.outer_file == at.file) return j;
  j["outer_path"] = at.outer_file;
  j["outer_line"] = at.outer_line;
  return j;
}

delay read_delay(report_reader& r, const node& n, std::uint64_t cycles) {
  delay d;
  const std::string kind = r.text(n, "kind");
  d.is = delay_kind::count;
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(delay_kind::count); ++i)
    if (kind == name_of(static_cast<delay_kind>(i))) d.is = static_cast<delay_kind>(i);
  if (!r.wrong() && d.is == delay_kind::count) r.refuse(r.value_at(n, "kind"), "expected a kind of delay");
  d.saved_cycles = r.number(n, "saved_cycles", cycles);
  if (r.has(n, "estimated_cycles")) d.estimated_cycles = r.number(n, "estimated_cycles", cycles);
  if (r.has(n, "now")) d.now = r.number(n, "now", most_counted);
  if (r.has(n, "then")) d.then = r.number(n, "then", most_counted);
  if (r.has(n, "about")) d.about = r.text(n, "about");
  if (r.has(n, "barrier_line")) d.barrier_line = r.number_32(n, "barrier_line");
  if (r.has(n, "limit")) d.limit = r.text(n, "limit");
  if (r.has(n, "used")) d.used = r.number(n, "used", most_counted);
  if (r.has(n, "allowed")) d.allowed = r.number(n, "allowed", most_counted);
  if (r.has(n, "next_allowed")) d.next_allowed = r.number(n, "next_allowed", most_counted);
  if (r.has(n, "next_blocks")) d.next_blocks = r.number(n, "next_blocks", most_counted, d.now);
  if (r.has(n, "cause")) d.cause = r.number_32(n, "cause");
  instruction_place& at = d.place;
  if (r.has(n, "function")) at.function = r.text(n, "function");
  if (r.has(n, "pc")) at.pc = r.number(n, "pc", most_counted);
  if (r.has(n, "sass")) at.sass = r.text(n, "sass");
  if (!r.has(n, "line")) return d;
  at.outer_file = at.file = r.text(n, "path");
  at.outer_line = at.line = r.number_32(n, "line");
  if (r.has(n, "text")) at.text = r.text(n, "text");
  if (!r.has(n, "outer_line")) return d;
  at.outer_file = r.text(n, "outer_path");
  at.outer_line = r.number_32(n, "outer_line");
  return d;
}

json needed_json(const predicted_time& t) {
  return {{"cycles", t.needed.cycles},
          {"microseconds", microseconds_of(nanoseconds_of(t, t.needed.cycles))},
          {"read_bytes", t.needed.read_bytes},
          {"written_bytes", t.needed.written_bytes},
          {"bytes", t.needed.is_estimated ? "estimated" : "counted"},
          {"longest", t.needed.is_arithmetic ? "arithmetic" : "memory"}};
}

needed_work read_needed(report_reader& r, const node& parent, std::uint64_t most_cycles) {
  const node n = r.value_at(parent, "needed");
  needed_work w;
  w.cycles = r.number(n, "cycles", most_cycles);
  w.read_bytes = r.number(n, "read_bytes", most_counted);
  w.written_bytes = r.number(n, "written_bytes", most_counted);
  w.is_estimated = r.text(n, "bytes") == "estimated";
  w.is_arithmetic = r.text(n, "longest") == "arithmetic";
  return w;
}

// The names of the resources in `bound` and `shares`, in the words of the text report.
json words_of_resources(const predicted_time& t) {
  json words = json::object();
  words[t.bound] = words_of_resource(t.bound);
  for (const auto& [name, percent] : t.shares) words[name] = words_of_resource(name);
  return words;
}

constexpr const char* best_names[] = {"cycles_with_two_changes", "cycles_with_three_changes"};

json barrier_json(const barrier_wait& b) {
  return {{"path", b.file},
          {"line", b.line},
          {"times", b.times},
          {"waited", b.waited},
          {"longest", b.longest},
          {"last_warp", b.last_warp},
          {"last_percent", b.last_percent}};
}

barrier_wait read_barrier(report_reader& r, const node& n) {
  barrier_wait b;
  b.file = r.text(n, "path");
  b.line = r.number_32(n, "line");
  b.times = r.number(n, "times", most_counted);
  b.waited = r.number(n, "waited", most_counted);
  b.longest = r.number(n, "longest", most_counted);
  b.last_warp = r.number_32(n, "last_warp");
  b.last_percent = static_cast<unsigned>(r.number(n, "last_percent", 100));
  return b;
}

}  // namespace

json time_json(const predicted_time& t) {
  json shares = json::array();
  for (const auto& [name, percent] : t.shares) shares.push_back({{"resource", name}, {"percent", percent}});
  json j = {{"gpu", t.gpu},
            {"cycles", t.cycles},
            {"cycles_low", t.cycles_low},
            {"cycles_high", t.cycles_high},
            {"microseconds", microseconds_of(t.nanoseconds)},
            {"bound", t.bound},
            {"shares", std::move(shares)},
            {"caches", t.caches},
            {"evidence", t.is_assumed ? "assumed" : "measured"}};
  j["words"] = words_of_resources(t);
  for (const auto& [name, percent] : t.use) j["use"][name] = percent;
  if (t.needed) j["needed"] = needed_json(t);
  for (const auto& [name, percent] : t.products) j["products"][name] = percent;
  if (t.traced_blocks != 0) j["traced_blocks"] = t.traced_blocks;
  if (t.traced_in_part) j["traced_in_part"] = true;
  if (t.published_parameters + t.assumed_parameters != 0)
    j["parameters_of_bound"] = {{"published", t.published_parameters}, {"assumed", t.assumed_parameters}};
  for (const auto& [name, value] : t.parameters) j["parameters"][name] = value;
  if (t.cycles_without_conflicts != 0) j["cycles_without_conflicts"] = t.cycles_without_conflicts;
  for (std::size_t i = 0; i < t.cycles_with_best.size(); ++i)
    if (t.cycles_with_best[i] != 0) j[best_names[i]] = t.cycles_with_best[i];
  if (t.resident_blocks != 0) j["resident_blocks"] = t.resident_blocks;
  if (t.multiprocessors != 0) j["multiprocessors"] = t.multiprocessors;
  if (t.occupancy != 0) j["occupancy"] = t.occupancy;
  if (!t.limited_by.empty()) j["limited_by"] = t.limited_by;
  for (const barrier_wait& b : t.barriers) j["barriers"].push_back(barrier_json(b));
  if (!t.waits.by_reason.empty()) j["stall_cycles"] = stalls_json(t.waits);
  for (const waiting_line& l : t.lines)
    j["lines"].push_back({{"path", l.file}, {"line", l.line}, {"stall_cycles", stalls_json(l.waits)}});
  for (const delay& d : t.delays) j["delays"].push_back(delay_json(d));
  return j;
}

namespace {

resource_percents read_products(report_reader& r, const node& time) {
  const node n = r.value_at(time, "products");
  resource_percents list;
#define PRODUCT_PART(name, ...) \
  if (r.has(n, #name)) list.emplace_back(#name, static_cast<unsigned>(r.number(n, #name, 100)));
#include "model/time/product_parts.def"
  return list;
}

resource_percents read_use(report_reader& r, const node& time) {
  resource_percents list = read_named(r, time, "use", most_resources, "expected a percentage for each resource",
                                      [&](const node& n) { return static_cast<unsigned>(r.number(n, 100)); });
  // the list is sorted by name, so the original order of the members is restored
  const auto place = [&](const std::string& name) {
    return std::find(used_resources.begin(), used_resources.end(), name);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto& a, const auto& b) { return place(a.first) < place(b.first); });
  return list;
}

}  // namespace

predicted_time read_time(report_reader& r, const node& parent) {
  const node time = r.value_at(parent, "time");
  predicted_time t;
  t.gpu = r.text(time, "gpu");
  t.cycles = r.number(time, "cycles", most_counted);
  t.cycles_low = r.number(time, "cycles_low", t.cycles);
  t.cycles_high = r.number(time, "cycles_high", most_counted, t.cycles);
  t.bound = r.text(time, "bound");
  t.caches = r.text(time, "caches");
  t.is_assumed = json_reader::has(time, "evidence") && r.text(time, "evidence") == "assumed";
  if (r.has(time, "parameters_of_bound")) {
    const node counts = r.value_at(time, "parameters_of_bound");
    t.published_parameters = static_cast<unsigned>(r.number(counts, "published", most_parameters));
    t.assumed_parameters = static_cast<unsigned>(r.number(counts, "assumed", most_parameters));
  }
  if (r.wrong()) return t;
  // cli/fix/saved_time.cpp checks that the time model has parameters with these names.
  if (r.has(time, "parameters"))
    t.parameters = read_named(r, time, "parameters", most_parameters,
                              "expected the values of the parameters that bankwise probe measured",
                              [&](const node& n) { return read_real(r, n, most_of_parameter); });
  const double microseconds = read_real(r, r.value_at(time, "microseconds"), most_microseconds);
  if (r.wrong()) return t;
  t.nanoseconds = static_cast<std::uint64_t>(microseconds * 1000 + 0.5);
  const node shares = r.list(time, "shares", 64);
  for (std::size_t i = 0; i < r.size(shares) && !r.wrong(); ++i) {
    const node one = r.item(shares, i);
    const std::string name = r.text(one, "resource");
    t.shares.emplace_back(name, static_cast<unsigned>(r.number(one, "percent", 100)));
  }
  if (r.has(time, "use")) t.use = read_use(r, time);
  if (r.has(time, "needed")) t.needed = read_needed(r, time, t.cycles);
  if (r.has(time, "products")) t.products = read_products(r, time);
  if (r.has(time, "traced_blocks")) t.traced_blocks = r.number(time, "traced_blocks", most_counted);
  if (r.has(time, "traced_in_part")) t.traced_in_part = r.flag(time, "traced_in_part");
  if (r.has(time, "cycles_without_conflicts"))
    t.cycles_without_conflicts = r.number(time, "cycles_without_conflicts", t.cycles, 1);
  for (std::size_t i = 0; i < t.cycles_with_best.size(); ++i)
    if (r.has(time, best_names[i])) t.cycles_with_best[i] = r.number(time, best_names[i], t.cycles, 1);
  if (r.has(time, "resident_blocks")) t.resident_blocks = r.number(time, "resident_blocks", most_counted);
  if (r.has(time, "multiprocessors")) t.multiprocessors = r.number(time, "multiprocessors", most_counted);
  if (r.has(time, "occupancy")) t.occupancy = static_cast<unsigned>(r.number(time, "occupancy", 100));
  if (r.has(time, "limited_by")) t.limited_by = r.text(time, "limited_by");
  if (r.has(time, "barriers")) {
    const node barriers = r.list(time, "barriers", most_lines_of_time);
    for (std::size_t i = 0; i < r.size(barriers) && !r.wrong(); ++i)
      t.barriers.push_back(read_barrier(r, r.item(barriers, i)));
  }
  if (r.has(time, "stall_cycles")) t.waits = read_stalls(r, time, "stall_cycles");
  if (r.has(time, "delays")) {
    const node delays = r.list(time, "delays", most_delays);
    for (std::size_t i = 0; i < r.size(delays) && !r.wrong(); ++i)
      t.delays.push_back(read_delay(r, r.item(delays, i), t.cycles));
  }
  if (!r.has(time, "lines")) return t;
  const node lines = r.list(time, "lines", most_lines_of_time);
  for (std::size_t i = 0; i < r.size(lines) && !r.wrong(); ++i) {
    const node one = r.item(lines, i);
    waiting_line& l = t.lines.emplace_back();
    l.file = r.text(one, "path");
    l.line = r.number_32(one, "line");
    l.waits = read_stalls(r, one, "stall_cycles");
  }
  return t;
}

std::string read_letters(report_reader& r, const node& parent, const char* key) {
  const node n = r.value_at(parent, key);
  if (r.wrong()) return {};
  if (!n.value->is_string() || n.value->text().size() > most_letters_read) {
    r.refuse(n, "expected a trace");
    return {};
  }
  return std::string(n.value->text());
}

}  // namespace bankwise
