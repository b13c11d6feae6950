#include "report/forms/perfetto.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

constexpr int host = 1, streams = 2, engines = 3;  // numbers of the processes in the trace

struct trace_row {
  int process = host, thread = 1;
};

double microseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

json name_event(const char* what, const trace_row& row, const std::string& name) {
  return {{"ph", "M"}, {"pid", row.process}, {"tid", row.thread}, {"name", what}, {"args", {{"name", name}}}};
}

std::string name_of_stream(std::uint64_t stream, std::uint64_t branch) {
  return branch == 0 ? formatted("stream {}", stream) : formatted("stream {}, branch {}", stream, branch + 1);
}

// The rows of the streams in the order of their numbers.
std::map<std::pair<std::uint64_t, std::uint64_t>, trace_row> rows_of_streams(const program_timeline& t) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, trace_row> rows;
  for (const timeline_operation& o : t.operations)
    if (!is_on_host(o.what.kind)) rows[{o.stream, o.branch}];
  int thread = 0;
  for (auto& [stream, row] : rows) row = {streams, ++thread};
  return rows;
}

trace_row engine_of(timeline_kind k) { return {engines, k == timeline_kind::to_device ? 1 : 2}; }

json arguments_of(const timeline_operation& o) {
  json a = json::object();
  if (o.what.kind == timeline_kind::kernel) {
    a["grid"] = triple(o.what.grid);
    a["block"] = triple(o.what.block);
    a["bound"] = o.what.bound.empty() ? "not predicted: the time is a lower bound" : o.what.bound;
    a["predicted nanoseconds"] = o.nanoseconds;
  }
  if (!is_on_host(o.what.kind)) a["stream"] = o.stream;
  if (o.count != 1) a["operations"] = o.count;
  a["critical path"] = o.is_critical;
  return a;
}

// The events of a trace, which are written in the order of their times.
class trace_events {
 public:
  void add_span(const timeline_operation& o, const trace_row& row) {
    std::string name = o.what.kind == timeline_kind::kernel ? o.what.name : words_of(o.what);
    if (o.count != 1) name += formatted(" and {}", count_of(o.count - 1, "more operation"));
    json e{{"ph", "X"},
           {"pid", row.process},
           {"tid", row.thread},
           {"name", printable_text(name)},
           {"cat", row_of(o.what.kind).one},
           {"ts", microseconds(o.begin)},
           {"dur", microseconds(o.nanoseconds)},
           {"args", arguments_of(o)}};
    if (o.is_critical) e["cname"] = "terrible";
    add(o.begin, std::move(e));
  }
  // Adds an arrow between the last nanosecond of an operation and the beginning of the next one.
  void add_arrow(const char* name, const timeline_operation& from, const trace_row& from_row,
                 const timeline_operation& to, const trace_row& to_row) {
    const std::uint64_t begin =
        std::max(from.begin, std::min(from.end() - std::min<std::uint64_t>(1, from.end()), to.begin));
    ++arrows_;
    for (const bool is_end : {false, true}) {
      const trace_row& row = is_end ? to_row : from_row;
      const std::uint64_t at = is_end ? std::max(begin, to.begin) : begin;
      json e{{"ph", is_end ? "f" : "s"},
             {"pid", row.process},
             {"tid", row.thread},
             {"name", name},
             {"cat", name},
             {"id", arrows_},
             {"ts", microseconds(at)}};
      if (is_end) e["bp"] = "e";
      add(at, std::move(e));
    }
  }
  json in_order() && {
    std::stable_sort(events_.begin(), events_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    json list = json::array();
    for (auto& [at, e] : events_) list.push_back(std::move(e));
    return list;
  }

 private:
  void add(std::uint64_t at, json e) { events_.emplace_back(at, std::move(e)); }

  std::vector<std::pair<std::uint64_t, json>> events_;
  std::size_t arrows_ = 0;
};

}  // namespace

std::string to_perfetto(const program_timeline& t) {
  const auto rows = rows_of_streams(t);
  const auto row_for = [&](const timeline_operation& o) {
    return is_on_host(o.what.kind) ? trace_row() : rows.at({o.stream, o.branch});
  };
  json list = json::array();
  const std::string gpu = t.gpu.empty() ? "the GPU" : t.gpu;
  list.push_back(name_event("process_name", {host, 0}, "host"));
  list.push_back(name_event("process_name", {streams, 0}, formatted("{}: streams", gpu)));
  list.push_back(name_event("process_name", {engines, 0}, formatted("{}: copy engines", gpu)));
  list.push_back(name_event("thread_name", {host, 1}, "calls of the host"));
  for (const auto& [stream, row] : rows)
    list.push_back(name_event("thread_name", row, name_of_stream(stream.first, stream.second)));
  for (const timeline_kind k : {timeline_kind::to_device, timeline_kind::to_host})
    list.push_back(name_event("thread_name", engine_of(k), std::string(row_of(k).many)));
  trace_events events;
  for (const timeline_operation& o : t.operations) {
    events.add_span(o, row_for(o));
    if (uses_copy_engine(o.what.kind)) events.add_span(o, engine_of(o.what.kind));
    if (o.call) events.add_arrow("call", t.operations[*o.call], row_for(t.operations[*o.call]), o, row_for(o));
    for (const std::uint64_t one : o.after)
      events.add_arrow("dependence", t.operations[one], row_for(t.operations[one]), o, row_for(o));
  }
  json in_order = std::move(events).in_order();
  for (json& e : in_order) list.push_back(std::move(e));
  json all{{"traceEvents", std::move(list)}, {"displayTimeUnit", "ns"}};
  if (t.left_out != 0) all["otherData"] = {{"operations that are left out", t.left_out}};
  return all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bankwise
