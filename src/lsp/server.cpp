#include "lsp/server.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/printable.hpp"

namespace bankwise::lsp {

namespace {

constexpr std::uint32_t most_seconds = 3600;

json capabilities() {
  return {
      {"positionEncoding", "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 1}, {"save", {{"includeText", false}}}}},  // 1: whole texts
      {"hoverProvider", true},
      {"inlayHintProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor"}}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"executeCommandProvider", {{"commands", {explain_command, run_command}}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
}

}  // namespace

server::server(surroundings around) : around_(std::move(around)) {}

// --- receiving messages

std::vector<json> server::take(const message& m, bool cancelled) {
  out_.clear();
  if (m.method.empty()) return {};  // this is an answer to a request of the server
  if (!m.is_request()) {
    notify(m);
    return std::move(out_);
  }
  if (cancelled) return {error_to(m.id, fault::request_cancelled, "cancelled")};
  bool later = false;
  answer a = respond(m, later);
  if (const failure* f = std::get_if<failure>(&a))
    out_.push_back(error_to(m.id, f->code, f->text));
  else if (!later)
    out_.push_back(answer_to(m.id, std::move(std::get<json>(a))));
  return std::move(out_);
}

struct server::request_method {
  std::string_view name;
  answer (server::*respond)(const message& m, bool& later);
};
const server::request_method server::request_methods[] = {
    {"initialize", &server::initialize},
    {"shutdown", &server::shutdown},
    {"workspace/executeCommand", &server::execute},
};

// The parameters that a method requires in addition to textDocument.uri.
enum class needed : std::uint8_t { nothing, position, lines };
struct server::document_method {
  std::string_view name;
  needed with;
  bool is_list;  // whether the answer is a list; other answers are one value or null
  answer (server::*respond)(const noted_source& s, const json& params) const;
};
const server::document_method server::document_methods[] = {
    {"textDocument/hover", needed::position, false, &server::hover},
    {"textDocument/inlayHint", needed::lines, true, &server::inlay_hints},
    {"textDocument/codeAction", needed::lines, true, &server::code_actions},
    {"textDocument/codeLens", needed::nothing, true, &server::code_lenses},
};

struct server::notification_method {
  std::string_view name;
  void (server::*take)(const json& params);
  bool always = false;  // whether the method is allowed before initialize and after shutdown
};
const server::notification_method server::notification_methods[] = {
    {"exit", &server::exit, true},
    {"$/cancelRequest", &server::cancel},
    {"initialized", &server::initialized},
    {"workspace/didChangeWorkspaceFolders", &server::change_folders},
    {"workspace/didChangeWatchedFiles", &server::change_watched_files},
    {"textDocument/didOpen", &server::open},
    {"textDocument/didChange", &server::change},
    {"textDocument/didClose", &server::close},
    {"textDocument/didSave", &server::save},
};

namespace {

template <class Methods>
auto find_method(const Methods& methods, std::string_view name) {
  return std::find_if(std::begin(methods), std::end(methods), [&](const auto& m) { return m.name == name; });
}

std::optional<std::uint32_t> line_of(const json& params) { return number_of(member_at(params, {"position", "line"})); }
std::optional<std::uint32_t> first_line_of(const json& params) {
  return number_of(member_at(params, {"range", "start", "line"}));
}
std::optional<std::uint32_t> last_line_of(const json& params) {
  return number_of(member_at(params, {"range", "end", "line"}));
}

}  // namespace

server::answer server::respond(const message& m, bool& later) {
  if (shut_down_) return failure{fault::invalid_request, "the server was shut down"};
  if (!initialized_ && m.method != "initialize")
    return failure{fault::server_not_initialized, "the first request must be initialize"};
  const auto request = find_method(request_methods, m.method);
  if (request != std::end(request_methods)) return (this->*request->respond)(m, later);
  const auto question = find_method(document_methods, m.method);
  if (question != std::end(document_methods)) return of_document(*question, m);
  return failure{fault::method_not_found, formatted("the server has no method {}", printable(m.method.substr(0, 100)))};
}

server::answer server::shutdown(const message&, bool&) {
  shut_down_ = true;
  around_.stop();
  for (const waiting& w : waiting_)
    out_.push_back(error_to(w.id, fault::request_cancelled, "the server was shut down"));
  waiting_.clear();
  return json(nullptr);
}

// --- requests about a document

server::answer server::of_document(const document_method& how, const message& m) {
  const json& params = m.params;
  const json* uri = member_at(params, {"textDocument", "uri"});
  if (text_of(uri) == nullptr) return failure{fault::invalid_params, "textDocument.uri must be a string"};
  const bool has_position = line_of(params) && number_of(member_at(params, {"position", "character"}));
  if (how.with == needed::position && !has_position)
    return failure{fault::invalid_params, "position.line and position.character must be numbers from 0 to 2^31 - 1"};
  if (how.with == needed::lines && (!first_line_of(params) || !last_line_of(params)))
    return failure{fault::invalid_params, "range.start.line and range.end.line must be numbers from 0 to 2^31 - 1"};
  const json nothing = how.is_list ? json::array() : json(nullptr);
  const std::string path = path_of(uri);
  folder* f = folder_of(path);
  if (f == nullptr) return nothing;
  std::shared_ptr<const document> keeps;
  auto s = noted(*f, path, keeps);
  if (!s) return nothing;
  s->uri = *text_of(uri);
  return (this->*how.respond)(*s, params);
}

server::answer server::hover(const noted_source& s, const json& params) const {
  return hover_of(s, *line_of(params), markdown_);
}
server::answer server::inlay_hints(const noted_source& s, const json& params) const {
  return lsp::inlay_hints(s, *first_line_of(params), *last_line_of(params));
}
server::answer server::code_lenses(const noted_source& s, const json&) const { return lsp::code_lenses(s); }

server::answer server::code_actions(const noted_source& s, const json& params) const {
  const json* diagnostics = member_at(params, {"context", "diagnostics"});
  json actions = lsp::code_actions(s, *first_line_of(params), *last_line_of(params),
                                   diagnostics != nullptr && diagnostics->is_array() ? *diagnostics : json::array());
  const json* only = member_at(params, {"context", "only"});
  if (only == nullptr || !only->is_array()) return actions;
  // The client wants only these kinds of actions.
  json wanted = json::array();
  for (json& a : actions) {
    const std::string& own = *text_of(member(&a, "kind"));
    const bool is_wanted = std::any_of(only->begin(), only->end(), [&](const json& kind) {
      const std::string* name = text_of(&kind);
      return name != nullptr && (name->empty() || own == *name || own.starts_with(formatted("{}.", *name)));
    });
    if (is_wanted) wanted.push_back(std::move(a));
  }
  return wanted;
}

// --- commands

server::answer server::execute(const message& m, bool& later) {
  const std::string* command = text_of(member(&m.params, "command"));
  if (command == nullptr) return failure{fault::invalid_params, "command must be a string"};
  if (*command == run_command) return make_reports(m, later);
  if (*command == explain_command) return explain(m);
  return failure{fault::invalid_params, formatted("the server has no command {}", printable(command->substr(0, 100)))};
}

server::answer server::make_reports(const message& m, bool& later) {
  waiting w{m.id, {}};
  for (folder& f : folders_)
    if (f.has.has_runs) {
      w.folders.insert(f.path);
      make(f, 0);
    }
  if (w.folders.empty())
    return failure{fault::invalid_request, "no bankwise.toml in the open folders contains a [[run]]"};
  waiting_.push_back(std::move(w));
  later = true;
  return json(nullptr);
}

server::answer server::explain(const message& m) {
  const json* arguments = member(&m.params, "arguments");
  const bool has_three = arguments != nullptr && arguments->is_array() && arguments->size() == 3;
  const std::string* name = has_three ? text_of(&(*arguments)[1]) : nullptr;
  const auto line = has_three ? number_of(&(*arguments)[2]) : std::nullopt;
  if (name == nullptr || !line || text_of(&(*arguments)[0]) == nullptr)
    return failure{fault::invalid_params,
                   "the arguments must be a URI, the name of an array and the line of its declaration"};
  const std::string path = path_of(&(*arguments)[0]);
  folder* f = folder_of(path);
  std::shared_ptr<const document> keeps;
  const auto s = f != nullptr ? noted(*f, path, keeps) : std::nullopt;
  if (!s) return failure{fault::invalid_params, "the URI is not the URI of a source in an open folder"};
  std::string text = explain_array(*s, *name, *line);
  // Some editors do not show answers to commands, but all editors show messages.
  if (!shows_text_) tell(as_information, text);
  return json{{"text", std::move(text)}};
}

// --- notifications

void server::notify(const message& m) {
  const auto how = find_method(notification_methods, m.method);
  if (how == std::end(notification_methods)) return;
  if (how->always || (initialized_ && !shut_down_)) (this->*how->take)(m.params);
}

void server::exit(const json&) { ended_ = true; }

void server::cancel(const json& params) {
  const json* id = member(&params, "id");
  const auto w = std::find_if(waiting_.begin(), waiting_.end(),
                              [&](const waiting& one) { return id != nullptr && one.id == *id; });
  if (w == waiting_.end()) return;
  out_.push_back(error_to(w->id, fault::request_cancelled, "cancelled"));
  waiting_.erase(w);
  if (waiting_.empty()) around_.stop();
}

void server::initialized(const json&) {
  if (begun_) return;
  begun_ = true;
  if (watches_) watch_reports();
  for (folder& f : folders_) begin(f);
}

void server::watch_reports() {
  json watchers = json::array();
  for (const char* glob : {"**/bankwise.toml", "**/*.json"}) watchers.push_back({{"globPattern", glob}});
  out_.push_back(request(++requests_, "client/registerCapability",
                         {{"registrations",
                           {{{"id", "bankwise-reports"},
                             {"method", "workspace/didChangeWatchedFiles"},
                             {"registerOptions", {{"watchers", std::move(watchers)}}}}}}}));
}

// --- initialization

server::answer server::initialize(const message& m, bool&) {
  if (initialized_) return failure{fault::invalid_request, "the server is already initialized"};
  const json& params = m.params;
  if (!params.is_object()) return failure{fault::invalid_params, "params must be an object"};
  initialized_ = true;
  const json* options = member(&params, "initializationOptions");
  if (const std::string* run = text_of(member(options, "run"))) runs_ = *run != "never";
  if (const auto seconds = number_of(member(options, "seconds"))) seconds_ = std::clamp(*seconds, 1U, most_seconds);
  shows_text_ = is_true(member(options, "showsText"));
  if (const json* formats = member_at(params, {"capabilities", "textDocument", "hover", "contentFormat"});
      formats != nullptr && formats->is_array())
    markdown_ = std::any_of(formats->begin(), formats->end(), [](const json& f) { return f == "markdown"; });
  const auto can = [&](std::initializer_list<const char*> keys) { return is_true(member_at(params, keys)); };
  watches_ = can({"capabilities", "workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  progresses_ = can({"capabilities", "window", "workDoneProgress"});
  refreshes_hints_ = can({"capabilities", "workspace", "inlayHint", "refreshSupport"});
  refreshes_lenses_ = can({"capabilities", "workspace", "codeLens", "refreshSupport"});
  const json* folders = member(&params, "workspaceFolders");
  if (folders != nullptr && folders->is_array() && !folders->empty())
    for (const json& one : *folders) add_folder(member(&one, "uri"));
  else
    add_folder(member(&params, "rootUri"));
  return json{{"capabilities", capabilities()}, {"serverInfo", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}}};
}

// --- files and reports

void server::refresh() {
  if (refreshes_hints_) out_.push_back(request(++requests_, "workspace/inlayHint/refresh", nullptr));
  if (refreshes_lenses_) out_.push_back(request(++requests_, "workspace/codeLens/refresh", nullptr));
}

void server::tell(int kind, const std::string& text) {
  out_.push_back(notification(kind == as_log ? "window/logMessage" : "window/showMessage",
                              {{"type", kind}, {"message", printable_lines(text)}}));
}

}  // namespace bankwise::lsp
