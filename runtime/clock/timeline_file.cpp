#include "runtime/clock/timeline_file.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/system/files.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_spans = 500'000;
constexpr int host_row = 0;

}  // namespace

void timeline_file::add_work(unsigned long long stream, std::string name, double begin, double end, double issued) {
  add({false, stream, std::move(name), begin, end, issued});
}

void timeline_file::add_call(const char* name, double begin, double end) { add({true, 0, name, begin, end, begin}); }

void timeline_file::add(span s) {
  if (spans_.size() >= most_spans)
    ++left_out_;
  else
    spans_.push_back(std::move(s));
}

result<done> timeline_file::write(const std::string& file) const {
  using json = nlohmann::json;
  std::map<unsigned long long, int> rows;  // streams in the order of their numbers
  for (const span& s : spans_)
    if (!s.on_host) rows.try_emplace(s.stream, 0);
  json events = json::array();
  const auto name_row = [&](int row, const std::string& name) {
    events.push_back({{"ph", "M"}, {"pid", 1}, {"tid", row}, {"name", "thread_name"}, {"args", {{"name", name}}}});
  };
  name_row(host_row, "calls of the host");
  int next = host_row;
  for (auto& [stream, row] : rows) {
    row = ++next;
    name_row(row, formatted("stream {}", stream));
  }
  constexpr double us = 1000;
  std::size_t arrow = 0;
  for (const span& s : spans_) {
    const int row = s.on_host ? host_row : rows[s.stream];
    events.push_back({{"ph", "X"},
                      {"pid", 1},
                      {"tid", row},
                      {"name", s.name},
                      {"ts", s.begin / us},
                      {"dur", (s.end - s.begin) / us}});
    if (s.on_host) continue;
    ++arrow;
    const json from{{"ph", "s"},     {"pid", 1},    {"tid", host_row},    {"name", "call"},
                    {"cat", "call"}, {"id", arrow}, {"ts", s.issued / us}};
    const json to{{"ph", "f"},      {"bp", "e"},     {"pid", 1},    {"tid", row},
                  {"name", "call"}, {"cat", "call"}, {"id", arrow}, {"ts", s.begin / us}};
    events.push_back(from);
    events.push_back(to);
  }
  json all{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
  if (left_out_ != 0) all["otherData"] = {{"left_out", left_out_}};
  return write_file(file, all.dump(-1, ' ', true, json::error_handler_t::replace) + "\n");
}

}  // namespace bankwise::cuda
