#include "lsp/server.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "lsp/uri.hpp"

namespace bankwise::lsp {

namespace {

constexpr std::uint32_t most_seconds = 3600;
enum message_kind { as_warning = 2, as_information = 3, as_log = 4 };

const json* at(const json& params, std::initializer_list<const char*> keys) {
  const json* j = &params;
  for (const char* key : keys) j = member(j, key);
  return j;
}

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

json diagnostics_of(const std::vector<const problem*>& problems) {
  json all = json::array();
  for (const problem* p : problems) {
    const std::uint32_t line = p->line == 0 ? 0 : p->line - 1;
    all.push_back({{"range", json_value(range{{line, 0}, {line + 1, 0}})},
                   {"severity", p->is_error ? 1 : 3},
                   {"source", "bankwise"},
                   {"message", printable_lines(p->message)}});
  }
  return all;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder == "/" ? folder : folder + "/");
}

}  // namespace

server::server(surroundings around) : around_(std::move(around)) {}

// --- receiving messages

std::vector<json> server::take(const message& m, bool cancelled) {
  out_.clear();
  if (m.method.empty()) return {};  // an answer
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

// The params that a method requires in addition to textDocument.uri.
enum class needed : std::uint8_t { nothing, position, lines };
struct server::document_method {
  std::string_view name;
  needed with;
  bool is_list;  // false if the answer is one value, or null
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
  bool always = false;  // false if it is only allowed between initialize and shutdown
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

std::optional<std::uint32_t> line_of(const json& params) { return number_of(at(params, {"position", "line"})); }
std::optional<std::uint32_t> first_line_of(const json& params) {
  return number_of(at(params, {"range", "start", "line"}));
}
std::optional<std::uint32_t> last_line_of(const json& params) {
  return number_of(at(params, {"range", "end", "line"}));
}

}  // namespace

server::answer server::respond(const message& m, bool& later) {
  if (shut_down_) return failure{fault::invalid_request, "the server was shut down"};
  if (!initialized_ && m.method != "initialize")
    return failure{fault::server_not_initialized, "expected initialize first"};
  const auto request = find_method(request_methods, m.method);
  if (request != std::end(request_methods)) return (this->*request->respond)(m, later);
  const auto question = find_method(document_methods, m.method);
  if (question != std::end(document_methods)) return of_document(*question, m);
  return failure{fault::method_not_found, "there is no method " + printable(m.method.substr(0, 100))};
}

server::answer server::shutdown(const message&, bool&) {
  shut_down_ = true;
  around_.stop();
  for (const waiting& w : waiting_)
    out_.push_back(error_to(w.id, fault::request_cancelled, "the server was shut down"));
  waiting_.clear();
  return json(nullptr);
}

// --- questions about a document

server::answer server::of_document(const document_method& how, const message& m) {
  const json& params = m.params;
  const json* uri = at(params, {"textDocument", "uri"});
  if (text_of(uri) == nullptr) return failure{fault::invalid_params, "expected textDocument.uri as a string"};
  const bool has_position = line_of(params) && number_of(at(params, {"position", "character"}));
  if (how.with == needed::position && !has_position)
    return failure{fault::invalid_params, "expected position.line and position.character, 0 to 2^31 - 1"};
  if (how.with == needed::lines && (!first_line_of(params) || !last_line_of(params)))
    return failure{fault::invalid_params, "expected range.start.line and range.end.line, 0 to 2^31 - 1"};
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
  const json* diagnostics = at(params, {"context", "diagnostics"});
  json actions = lsp::code_actions(s, *first_line_of(params), *last_line_of(params),
                                   diagnostics != nullptr && diagnostics->is_array() ? *diagnostics : json::array());
  const json* only = at(params, {"context", "only"});
  if (only == nullptr || !only->is_array()) return actions;
  // The kinds of actions that the client requests.
  json wanted = json::array();
  for (json& a : actions) {
    const std::string& own = *text_of(member(&a, "kind"));
    const bool is_wanted = std::any_of(only->begin(), only->end(), [&](const json& kind) {
      const std::string* name = text_of(&kind);
      return name != nullptr && (name->empty() || own == *name || own.starts_with(*name + "."));
    });
    if (is_wanted) wanted.push_back(std::move(a));
  }
  return wanted;
}

// --- commands

server::answer server::execute(const message& m, bool& later) {
  const std::string* command = text_of(member(&m.params, "command"));
  if (command == nullptr) return failure{fault::invalid_params, "expected command as a string"};
  if (*command == run_command) return make_reports(m, later);
  if (*command == explain_command) return explain(m);
  return failure{fault::invalid_params, "there is no command " + printable(command->substr(0, 100))};
}

server::answer server::make_reports(const message& m, bool& later) {
  waiting w{m.id, {}};
  for (folder& f : folders_)
    if (f.has.has_runs) {
      w.folders.insert(f.path);
      make(f, 0);
    }
  if (w.folders.empty()) return failure{fault::invalid_request, "no bankwise.toml of these folders has runs"};
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
    return failure{fault::invalid_params, "expected a URI, the name of an array and its line"};
  const std::string path = path_of(&(*arguments)[0]);
  folder* f = folder_of(path);
  std::shared_ptr<const document> keeps;
  const auto s = f != nullptr ? noted(*f, path, keeps) : std::nullopt;
  if (!s) return failure{fault::invalid_params, "this is not a source of an open folder"};
  std::string text = explain_array(*s, *name, *line);
  // Some editors do not show answers, but all show messages.
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

void server::begin(folder& f) {
  load(f);
  publish(f);
  if (!f.has.has_config)
    tell(as_log, f.path + " has no bankwise.toml: `bankwise init`, with the arguments of `bankwise run`, writes one");
  if (runs_) make(f, seconds_);
}

void server::change_folders(const json& params) {
  const json *added = at(params, {"event", "added"}), *removed = at(params, {"event", "removed"});
  if (removed != nullptr && removed->is_array())
    for (const json& one : *removed) remove_folder(path_of(member(&one, "uri")));
  if (added != nullptr && added->is_array())
    for (const json& one : *added) {
      const std::size_t before = folders_.size();
      add_folder(member(&one, "uri"));
      if (folders_.size() == before) continue;
      load(folders_.back());
      publish(folders_.back());
      if (runs_) make(folders_.back(), seconds_);
    }
}

void server::remove_folder(const std::string& path) {
  const auto gone = std::find_if(folders_.begin(), folders_.end(), [&](const folder& f) { return f.path == path; });
  if (gone == folders_.end()) return;
  const std::set<std::string> published = gone->published;
  for (const std::string& uri : published) send_diagnostics(*gone, uri, json::array(), nullptr);
  folders_.erase(gone);
}

void server::change_watched_files(const json& params) {
  const json* changes = at(params, {"changes"});
  if (changes == nullptr || !changes->is_array()) return;
  std::set<folder*> changed;
  for (const json& one : *changes) {
    const std::string path = path_of(member(&one, "uri"));
    for (folder& f : folders_)
      if (is_below(path, f.path)) changed.insert(&f);
  }
  for (folder& f : folders_)
    if (changed.contains(&f)) {
      load(f);
      publish(f);
    }
  if (!changed.empty()) refresh();
}

void server::open(const json& params) {
  const json* uri = at(params, {"textDocument", "uri"});
  const std::string path = path_of(uri);
  const std::string* text = text_of(at(params, {"textDocument", "text"}));
  if (path.empty() || text == nullptr) return;
  open_[path] = {*text_of(uri), std::make_shared<const document>(*text)};
  publish_version(path, params);
}

void server::change(const json& params) {
  const std::string path = path_of(at(params, {"textDocument", "uri"}));
  const json* changes = at(params, {"contentChanges"});
  const auto document_of = open_.find(path);
  if (changes == nullptr || !changes->is_array() || changes->empty() || document_of == open_.end()) return;
  // The server requested complete texts, so only the last one matters.
  const std::string* text = text_of(member(&changes->back(), "text"));
  if (text == nullptr || changes->back().contains("range")) return;
  document_of->second.text = std::make_shared<const document>(*text);
  publish_version(path, params);
}

void server::close(const json& params) {
  const std::string path = path_of(at(params, {"textDocument", "uri"}));
  if (path.empty()) return;
  open_.erase(path);
  versions_.erase(path);
  publish_version(path, params);
}

void server::save(const json& params) {
  const std::string path = path_of(at(params, {"textDocument", "uri"}));
  if (path.empty()) return;
  folder* f = folder_of(path);
  for (folder& one : folders_)
    if (is_below(path, one.path) || &one == f) {
      load(one);
      publish(one);
      if (runs_) make(one, seconds_);
    }
}

// Publishes the diagnostics of a document whose text has changed.
void server::publish_version(const std::string& path, const json& params) {
  const json* version = at(params, {"textDocument", "version"});
  if (version != nullptr && version->is_number_integer()) versions_[path] = *version;
  folder* f = folder_of(path);
  if (f != nullptr && begun_) publish(*f, path);
}

// --- initialization

server::answer server::initialize(const message& m, bool&) {
  if (initialized_) return failure{fault::invalid_request, "the server is already initialized"};
  const json& params = m.params;
  if (!params.is_object()) return failure{fault::invalid_params, "expected params as an object"};
  initialized_ = true;
  const json* options = member(&params, "initializationOptions");
  if (const std::string* run = text_of(member(options, "run"))) runs_ = *run != "never";
  if (const auto seconds = number_of(member(options, "seconds"))) seconds_ = std::clamp(*seconds, 1U, most_seconds);
  shows_text_ = is_true(member(options, "showsText"));
  if (const json* formats = at(params, {"capabilities", "textDocument", "hover", "contentFormat"});
      formats != nullptr && formats->is_array())
    markdown_ = std::any_of(formats->begin(), formats->end(), [](const json& f) { return f == "markdown"; });
  const auto can = [&](std::initializer_list<const char*> keys) { return is_true(at(params, keys)); };
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

void server::add_folder(const json* uri) {
  std::string path = path_of(uri);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty() || std::any_of(folders_.begin(), folders_.end(), [&](const folder& f) { return f.path == path; }))
    return;
  folders_.push_back({});
  folders_.back().path = std::move(path);
}

// --- files and reports

std::string server::path_of(const json* uri) const {
  const std::string* text = text_of(uri);
  const auto path = text == nullptr ? std::nullopt : path_of_uri(*text);
  return path ? around_.canonical(*path) : "";
}

// The folder with reports about the file. If there is none, the innermost folder that contains the file.
server::folder* server::folder_of(const std::string& path) {
  folder* found = nullptr;
  if (path.empty()) return nullptr;
  for (folder& f : folders_) {
    for (const auto& [file, here] : f.has.known.paths)
      if (here == path) return &f;
    if (is_below(path, f.path) && (found == nullptr || found->path.size() < f.path.size())) found = &f;
  }
  return found;
}

std::optional<noted_source> server::noted(folder& f, const std::string& path,
                                          std::shared_ptr<const document>& keeps) const {
  const auto open = open_.find(path);
  if (open != open_.end()) {
    keeps = open->second.text;
  } else {
    auto text = around_.read(path);
    if (!text) return std::nullopt;
    keeps = std::make_shared<const document>(std::move(*text));
  }
  return noted_source{open != open_.end() ? open->second.uri : file_uri(path), path, keeps.get(), &f.has.known,
                      notes_of(f.has.known, path, *keeps)};
}

void server::load(folder& f) { f.has = around_.load(f.path); }

void server::send_diagnostics(folder& f, const std::string& uri, json diagnostics, const json& version) {
  if (diagnostics.empty() && f.published.erase(uri) == 0) return;
  if (!diagnostics.empty()) f.published.insert(uri);
  json params = {{"uri", uri}, {"diagnostics", std::move(diagnostics)}};
  if (!version.is_null()) params["version"] = version;
  out_.push_back(notification("textDocument/publishDiagnostics", std::move(params)));
}

void server::publish(folder& f, const std::string& path) {
  const bool is_source = std::any_of(f.has.known.paths.begin(), f.has.known.paths.end(),
                                     [&](const auto& one) { return one.second == path; });
  std::shared_ptr<const document> keeps;
  const auto s = is_source ? noted(f, path, keeps) : std::nullopt;
  if (!s) return;
  const auto version = versions_.find(path);
  send_diagnostics(f, s->uri,
                   lsp::diagnostics_of(*s, [&](std::string_view kind) { return around_.page_of(f.path, kind); }),
                   open_.contains(path) && version != versions_.end() ? version->second : json(nullptr));
}

void server::publish(folder& f) {
  const std::set<std::string> before = f.published;
  std::set<std::string> now;
  std::set<std::string> sources;
  for (const auto& [file, path] : f.has.known.paths) sources.insert(path);
  const auto uri_of = [&](const std::string& path) {
    const auto open = open_.find(path);
    return open != open_.end() ? open->second.uri : file_uri(path);
  };
  for (const std::string& path : sources) {
    publish(f, path);
    now.insert(uri_of(path));
  }
  std::map<std::string, std::vector<const problem*>> problems;
  for (const std::vector<problem>* list : {&f.has.problems, &f.of_runs})
    for (const problem& p : *list) problems[p.path].push_back(&p);
  for (const auto& [path, list] : problems) {
    send_diagnostics(f, uri_of(path), diagnostics_of(list), nullptr);
    now.insert(uri_of(path));
  }
  for (const std::string& uri : before)
    if (!now.contains(uri)) send_diagnostics(f, uri, json::array(), nullptr);
}

void server::refresh() {
  if (refreshes_hints_) out_.push_back(request(++requests_, "workspace/inlayHint/refresh", nullptr));
  if (refreshes_lenses_) out_.push_back(request(++requests_, "workspace/codeLens/refresh", nullptr));
}

void server::tell(int kind, const std::string& text) {
  out_.push_back(notification(kind == as_log ? "window/logMessage" : "window/showMessage",
                              {{"type", kind}, {"message", printable_lines(text)}}));
}

// --- runs

void server::make(folder& f, std::uint32_t seconds) {
  if (!f.has.has_runs) return;
  if (progresses_ && f.making == 0) {
    const std::string token = "bankwise " + f.path;
    out_.push_back(request(++requests_, "window/workDoneProgress/create", {{"token", token}}));
    out_.push_back(
        notification("$/progress", {{"token", token}, {"value", {{"kind", "begin"}, {"title", "bankwise runs"}}}}));
  }
  ++f.making;
  around_.make(f.path, seconds);
}

std::vector<json> server::made(const made_runs& runs) {
  out_.clear();
  if (shut_down_) return {};
  for (folder& f : folders_) {
    if (f.path != runs.folder) continue;
    if (f.making > 0) --f.making;
    if (!runs.stopped) f.of_runs = runs.problems;
    load(f);
    publish(f);
    if (progresses_ && f.making == 0)
      out_.push_back(notification("$/progress", {{"token", "bankwise " + f.path}, {"value", {{"kind", "end"}}}}));
  }
  refresh();
  for (auto w = waiting_.begin(); w != waiting_.end();) {
    w->folders.erase(runs.folder);
    if (!w->folders.empty()) {
      ++w;
      continue;
    }
    out_.push_back(answer_to(w->id, nullptr));
    w = waiting_.erase(w);
  }
  return std::move(out_);
}

}  // namespace bankwise::lsp
