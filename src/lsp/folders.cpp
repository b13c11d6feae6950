// The folders and documents of the language server, with their reports, runs and diagnostics.
#include <algorithm>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "lsp/server.hpp"
#include "lsp/uri.hpp"

namespace bankwise::lsp {

namespace {

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
  return path == folder || path.starts_with(folder == "/" ? folder : formatted("{}/", folder));
}

}  // namespace

// --- folders

void server::begin(folder& f) {
  load(f);
  publish(f);
  if (!f.has.has_config)
    tell(as_log, formatted("the folder {} has no bankwise.toml. Run `bankwise init` with the arguments of `bankwise "
                           "run` to write this file",
                           f.path));
  if (runs_) make(f, seconds_);
}

void server::change_folders(const json& params) {
  const json *added = member_at(params, {"event", "added"}), *removed = member_at(params, {"event", "removed"});
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
  const json* changes = member_at(params, {"changes"});
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

void server::add_folder(const json* uri) {
  std::string path = path_of(uri);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty() || std::any_of(folders_.begin(), folders_.end(), [&](const folder& f) { return f.path == path; }))
    return;
  folders_.push_back({});
  folders_.back().path = std::move(path);
}

// --- documents

void server::open(const json& params) {
  const json* uri = member_at(params, {"textDocument", "uri"});
  const std::string path = path_of(uri);
  const std::string* text = text_of(member_at(params, {"textDocument", "text"}));
  if (path.empty() || text == nullptr) return;
  open_[path] = {*text_of(uri), std::make_shared<const document>(*text)};
  publish_version(path, params);
}

void server::change(const json& params) {
  const std::string path = path_of(member_at(params, {"textDocument", "uri"}));
  const json* changes = member_at(params, {"contentChanges"});
  const auto document_of = open_.find(path);
  if (changes == nullptr || !changes->is_array() || changes->empty() || document_of == open_.end()) return;
  // The server has requested complete texts, so only the last text matters.
  const std::string* text = text_of(member(&changes->back(), "text"));
  if (text == nullptr || changes->back().contains("range")) return;
  document_of->second.text = std::make_shared<const document>(*text);
  publish_version(path, params);
}

void server::close(const json& params) {
  const std::string path = path_of(member_at(params, {"textDocument", "uri"}));
  if (path.empty()) return;
  open_.erase(path);
  versions_.erase(path);
  publish_version(path, params);
}

void server::save(const json& params) {
  const std::string path = path_of(member_at(params, {"textDocument", "uri"}));
  if (path.empty()) return;
  folder* f = folder_of(path);
  for (folder& one : folders_)
    if (is_below(path, one.path) || &one == f) {
      load(one);
      publish(one);
      if (runs_) make(one, seconds_);
    }
}

// Publishes the diagnostics of a document after a change of its text.
void server::publish_version(const std::string& path, const json& params) {
  const json* version = member_at(params, {"textDocument", "version"});
  if (version != nullptr && version->is_number_integer()) versions_[path] = *version;
  folder* f = folder_of(path);
  if (f != nullptr && begun_) publish(*f, path);
}

// --- paths and folders

std::string server::path_of(const json* uri) const {
  const std::string* text = text_of(uri);
  const auto path = text == nullptr ? std::nullopt : path_of_uri(*text);
  return path ? around_.canonical(*path) : "";
}

// Returns the folder that has reports about the file. If there is none, returns the innermost folder that contains the
// file.
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

// --- runs

void server::make(folder& f, std::uint32_t seconds) {
  if (!f.has.has_runs) return;
  if (progresses_ && f.making == 0) {
    const std::string token = formatted("bankwise {}", f.path);
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
      out_.push_back(
          notification("$/progress", {{"token", formatted("bankwise {}", f.path)}, {"value", {{"kind", "end"}}}}));
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
