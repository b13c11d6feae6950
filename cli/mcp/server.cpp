#include "cli/mcp/server.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "report/json/brief.hpp"
#include "report/json/read_report.hpp"

namespace bankwise::mcp {

namespace {

constexpr std::array<std::string_view, 3> versions = {"2025-11-25", "2025-06-18", "2024-11-05"};
constexpr std::size_t most_said_bytes = 1500;  // of a program's output, in a result

// The last lines of a text, which are where programs print results and errors. Has about `bytes` bytes as JSON.
std::string end_of(std::string_view text, std::size_t bytes) {
  std::string_view end = last_bytes(text, bytes);
  if (end.size() == text.size()) return std::string(text);
  if (const std::size_t line = end.find('\n'); line < end.size() - std::min<std::size_t>(end.size(), 1))
    end.remove_prefix(line + 1);
  return formatted("... ({} bytes before)\n{}", text.size() - end.size(), end);
}

json value_of(std::string_view text) { return json::parse(text.begin(), text.end(), nullptr, false); }

// Unlike lsp::json, this keeps the order of keys.
std::string answer_to(const lsp::json& id, json result) {
  return text_of({{"jsonrpc", "2.0"}, {"id", json(id)}, {"result", std::move(result)}});
}
std::string refusal_of(const lsp::json& id, lsp::fault code, const std::string& why) {
  return lsp::as_text(lsp::error_to(id, code, why));
}

// The result of a tool: the value, and the same value as text for clients that only show texts.
json content_of(const json& value, bool is_error) {
  json r = {{"content", json::array({{{"type", "text"}, {"text", text_of(value)}}})}, {"structuredContent", value}};
  if (is_error) r["isError"] = true;
  return r;
}

json failure(const diagnostic& d) {
  json e = {{"message", end_of(d.message, most_said_bytes)}};
  if (!d.hint.empty()) e["hint"] = end_of(d.hint, most_said_bytes);
  return content_of({{"error", std::move(e)}}, true);
}

// What a command said about an error: JSON, because BANKWISE_ERRORS asks for it, or text, from a crash.
json error_in(const outcome& o) {
  const std::size_t begin = o.told.find("{\n  \"error\"");
  const json whole = begin == std::string::npos ? json() : value_of(std::string_view(o.told).substr(begin));
  json e = whole.is_object() && whole.contains("error") ? whole["error"]
                                                        : json{{"message", end_of(trim(o.told), most_said_bytes)}};
  if (e.is_object())
    for (auto i = e.begin(); i != e.end();) {
      const bool is_empty = i.value() == "" || i.value() == 0;
      i = is_empty ? e.erase(i) : std::next(i);
    }
  return e;
}

}  // namespace

server::server(surroundings around) : around_(std::move(around)), results_(around_.folder, around_.remove) {}

json server::initialize(const lsp::json& params) const {
  const std::string* asked = lsp::text_of(lsp::member(&params, "protocolVersion"));
  const bool is_known = asked != nullptr && std::find(versions.begin(), versions.end(), *asked) != versions.end();
  std::string about = formatted(
      "bankwise predicts what CUDA kernels cost, line by line, without a GPU. Paths are relative to {}. Loop: run, take the first finding, "
      "make its change, run again, diff the two handles. Stop when no finding saves a tenth of the time.",
      around_.root);
  if (!around_.limits.empty()) about += " " + around_.limits;
  return {{"protocolVersion", is_known ? *asked : std::string(versions[0])},
          {"capabilities", {{"tools", json::object()}}},
          {"serverInfo", {{"name", "bankwise"}, {"title", "bankwise"}, {"version", BANKWISE_VERSION}}},
          {"instructions", std::move(about)}};
}

reaction server::take(const lsp::message& m) {
  reaction r;
  if (m.method == "notifications/cancelled") return cancel(m.params);
  if (!m.is_request()) return r;
  if (m.method == "initialize") {
    r.send.push_back(answer_to(m.id, initialize(m.params)));
  } else if (m.method == "ping") {
    r.send.push_back(answer_to(m.id, json::object()));
  } else if (m.method == "tools/list") {
    json list = json::array();
    for (const tool& t : tools()) {
      json hints = {{"readOnlyHint", !t.changes_files}};
      if (!t.changes_files) hints["openWorldHint"] = false;  // programs may use the network
      list.push_back({{"name", t.name},
                      {"title", t.title},
                      {"description", t.about},
                      {"inputSchema", schema_of(t)},
                      {"annotations", std::move(hints)}});
    }
    r.send.push_back(answer_to(m.id, {{"tools", std::move(list)}}));
  } else if (m.method == "tools/call") {
    call_tool(m, r);
  } else {
    r.send.push_back(
        refusal_of(m.id, lsp::fault::method_not_found, formatted("there is no method {}", shortened(m.method))));
  }
  return r;
}

void server::call_tool(const lsp::message& m, reaction& r) {
  const std::string* name = lsp::text_of(lsp::member(&m.params, "name"));
  const tool* t = name == nullptr ? nullptr : find_tool(*name);
  if (t == nullptr) {
    std::vector<std::string> known;
    for (const tool& each : tools()) known.emplace_back(each.name);
    r.send.push_back(refusal_of(m.id, lsp::fault::invalid_params,
                                formatted("there is no tool {}. The tools are {}",
                                          name == nullptr ? "" : shortened(*name), enumerated(known))));
    return;
  }
  const auto answer = [&](const json& result) { r.send.push_back(answer_to(m.id, result)); };
  const lsp::json* given = lsp::member(&m.params, "arguments");
  const json arguments = given == nullptr ? json::object() : json(*given);
  std::string unknown;
  auto words = words_of(*t, arguments, [&](const std::string& handle) {
    std::string file = results_.file_of(handle);
    if (file.empty() && result_store::is_handle(handle)) unknown = handle;
    return file;
  });
  if (!words) return answer(failure(words.error()));
  if (!unknown.empty())
    return answer(failure({formatted("there is no report {}", unknown),
                           {},
                           "use the handle that run returned, or the name of a report's file"}));
  if (t->gives == result_kind::stored) return answer(stored_part(arguments));
  if (waiting_.size() >= most_waiting_calls)
    return answer(failure({formatted("{} calls are waiting", grouped(most_waiting_calls))}));
  waiting_call c{m.id, {}, t, {}, {}};
  if (const lsp::json* token = lsp::member_at(m.params, {"_meta", "progressToken"});
      token != nullptr && token->is_primitive())
    c.progress_token = *token;
  if (const auto seconds = arguments.find("seconds"); seconds != arguments.end() && !seconds->is_null()) {
    const auto* n = seconds->get_ptr<const json::number_unsigned_t*>();
    if (n == nullptr || *n == 0 || *n > 86400)
      return answer(failure({"argument seconds must be an integer from 1 to 86,400"}));
    c.what.seconds = static_cast<std::uint32_t>(*n);
  }
  c.what.words = std::move(*words);
  waiting_.push_back(std::move(c));
}

reaction server::cancel(const lsp::json& params) {
  reaction r;
  const lsp::json* id = lsp::member(&params, "requestId");
  if (id == nullptr) return r;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].id != *id) continue;
    if (i == 0 && is_busy_)
      r.stop = is_cancelled_ = true;
    else
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  return r;
}

std::optional<call> server::next_call() {
  if (is_busy_ || waiting_.empty()) return std::nullopt;
  is_busy_ = true;
  is_cancelled_ = false;
  waiting_call& c = waiting_.front();
  if (c.asked->gives == result_kind::report) {
    c.handle = results_.add_file();
    c.what.report = results_.file_of(c.handle);
    // The flags come before the words after --.
    const auto verb_end = c.what.words.begin() + static_cast<std::ptrdiff_t>(c.asked->verb.size());
    c.what.words.insert(verb_end, formatted("--output={}", c.what.report));
  }
  return c.what;
}

void server::drop_waiting_calls() { waiting_.resize(is_busy_ ? 1 : 0); }

std::optional<std::string> server::progress(double seconds) {
  if (!is_busy_ || is_cancelled_ || waiting_.front().progress_token.is_null()) return std::nullopt;
  return lsp::as_text(lsp::notification("notifications/progress",
                                        {{"progressToken", waiting_.front().progress_token},
                                         {"progress", seconds},
                                         {"message", formatted("{} s", static_cast<std::uint64_t>(seconds))}}));
}

std::optional<std::string> server::take(const outcome& o) {
  const waiting_call c = std::move(waiting_.front());
  waiting_.pop_front();
  is_busy_ = false;
  if (is_cancelled_) return std::nullopt;  // the client does not wait for an answer any more
  return answer_to(c.id, result_of(c, o));
}

json server::bounded(json value) {
  if (text_of(value).size() <= most_result_bytes) return value;
  json kept = folded(value, most_result_bytes);
  // The report of a run has a handle already.
  const char* name = value.contains("handle") ? "rest" : "handle";
  kept[name] = results_.add(std::move(value));
  return kept;
}

json server::result_of(const waiting_call& c, const outcome& o) {
  if (o.is_late)
    return failure(
        {formatted("the command took more than {} s", c.what.seconds), {}, "pass more seconds, or a smaller problem"});
  if (c.asked->gives == result_kind::report) {
    json value;
    const auto text = around_.read(c.what.report);
    if (text) {
      const auto report = read_report(*text, c.handle);
      if (!report) return failure(report.error());
      value = {{"handle", c.handle}, {"exit", o.status}, {"report", value_of(to_brief(*report))}};
    } else {
      value = {{"exit", o.status}, {"error", error_in(o)}};
    }
    if (!trim(o.said).empty()) value["output"] = end_of(o.said, most_said_bytes);
    if (text && o.status != 0) value["errors"] = end_of(o.told, most_said_bytes);
    return content_of(bounded(std::move(value)), !text);
  }
  // diff and check exit with 1 if there is something to report.
  if (o.status != 0 && o.status != 1) return content_of(bounded({{"exit", o.status}, {"error", error_in(o)}}), true);
  json value = value_of(o.said);
  if (!value.is_object()) value = {{"text", std::string(trim(o.said))}};
  if (o.status != 0) value["exit"] = o.status;
  return content_of(bounded(std::move(value)), false);
}

json server::stored_part(const json& arguments) const {
  const auto text_at = [&](const char* key) {
    const auto i = arguments.find(key);
    const auto* s = i == arguments.end() ? nullptr : i->get_ptr<const json::string_t*>();
    return s == nullptr ? std::string() : *s;
  };
  std::uint64_t from = 0;
  if (const auto i = arguments.find("from"); i != arguments.end() && !i->is_null()) {
    const auto* n = i->get_ptr<const json::number_unsigned_t*>();
    if (n == nullptr) return failure({"argument from must be an integer from 0"});
    from = *n;
  }
  const auto part =
      results_.part_of(text_at("handle"), text_at("at"), from, [&](const std::string& file) -> std::optional<json> {
        const auto text = around_.read(file);
        json value = text ? value_of(*text) : json();
        return value.is_structured() ? std::optional(std::move(value)) : std::nullopt;
      });
  if (!part) return failure(part.error());
  return content_of(part->is_object() ? *part : json{{"value", *part}}, false);
}

}  // namespace bankwise::mcp
