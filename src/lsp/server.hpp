// The language server, without streams and threads. The owner passes messages to the server, and sends the messages
// that the server returns. The owner also reads files and reports, and makes reports.
//
//     editor                          server
//     initialize            ->        capabilities
//     initialized           ->        publishDiagnostics for the existing reports; runs begin
//     (runs have ended)     ->        publishDiagnostics again
//     didSave               ->        runs begin, then publishDiagnostics
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lsp/answers.hpp"
#include "lsp/line_notes.hpp"
#include "lsp/message.hpp"

namespace bankwise::lsp {

// An error in a file of a folder.
struct problem {
  std::string path;
  std::uint32_t line = 0;  // number of the line, from 1; 0 if unknown
  std::string message;
  bool is_error = true;  // false if the problem is only information
};

struct loaded_folder {
  folder_reports known;
  std::vector<problem> problems;
  bool has_config = false, has_runs = false;
};

struct made_runs {
  std::string folder;
  std::vector<problem> problems;
  bool stopped = false;  // whether runs were stopped before the end
};

// How an editor shows a message of the server.
enum message_kind { as_warning = 2, as_information = 3, as_log = 4 };

struct surroundings {
  std::function<loaded_folder(const std::string& folder)> load;
  std::function<std::optional<std::string>(const std::string& path)> read;  // reads a source that is not open
  // Starts to make the outdated reports, and passes the results to made(). A run is stopped after `seconds`. 0 means no
  // limit.
  std::function<void(const std::string& folder, std::uint32_t seconds)> make;
  std::function<void()> stop;
  std::function<std::string(const std::string& path)> canonical;  // returns the path without symbolic links
  // Returns the URI of a page, or an empty string if there is no page.
  std::function<std::string(const std::string& folder, std::string_view kind)> page_of;
};

class server {
 public:
  explicit server(surroundings around);

  // Handles a message, and returns the messages to send. `cancelled`: whether the client has cancelled the request.
  std::vector<json> take(const message& m, bool cancelled);
  std::vector<json> made(const made_runs& runs);

  bool ended() const { return ended_; }
  // Returns the exit status that the protocol requires: 0 after a shutdown request, otherwise 1.
  int exit_status() const { return shut_down_ ? 0 : 1; }

 private:
  struct failure {
    fault code = fault::invalid_params;
    std::string text;
  };
  using answer = std::variant<json, failure>;
  struct open_document {
    std::string uri;
    std::shared_ptr<const document> text;
  };
  struct folder {
    std::string path;
    loaded_folder has;
    std::vector<problem> of_runs;
    std::set<std::string> published;  // URIs that have diagnostics in the editor
    unsigned making = 0;
  };
  struct waiting {  // request whose answer waits for runs
    json id;
    std::set<std::string> folders;
  };

  // The handlers of requests, by method. If a handler can only answer after runs have ended, it sets `later`.
  struct request_method;
  static const request_method request_methods[];
  answer respond(const message& m, bool& later);
  answer initialize(const message& m, bool& later);
  answer shutdown(const message& m, bool& later);
  answer execute(const message& m, bool& later);
  answer make_reports(const message& m, bool& later);
  answer explain(const message& m);

  // The handlers of requests about a document. The document is open or in an open folder. Without reports, the answer
  // is empty.
  struct document_method;
  static const document_method document_methods[];
  answer of_document(const document_method& how, const message& m);
  answer hover(const noted_source& s, const json& params) const;
  answer inlay_hints(const noted_source& s, const json& params) const;
  answer code_actions(const noted_source& s, const json& params) const;
  answer code_lenses(const noted_source& s, const json& params) const;

  // Notifications, by method.
  struct notification_method;
  static const notification_method notification_methods[];
  void notify(const message& m);
  void exit(const json& params);
  void cancel(const json& params);
  void initialized(const json& params);
  void change_folders(const json& params);
  void change_watched_files(const json& params);
  void open(const json& params);
  void change(const json& params);
  void close(const json& params);
  void save(const json& params);

  void watch_reports();
  void begin(folder& f);
  void remove_folder(const std::string& path);
  void publish_version(const std::string& path, const json& params);

  void add_folder(const json* uri);
  void load(folder& f);
  void publish(folder& f);
  void publish(folder& f, const std::string& path);
  void send_diagnostics(folder& f, const std::string& uri, json diagnostics, const json& version);
  void make(folder& f, std::uint32_t seconds);
  void refresh();
  void tell(int kind, const std::string& text);

  folder* folder_of(const std::string& path);
  std::optional<noted_source> noted(folder& f, const std::string& path, std::shared_ptr<const document>& keeps) const;
  std::string path_of(const json* uri) const;  // path without symbolic links; empty if the URI is not a file

  surroundings around_;
  std::vector<json> out_;
  std::vector<folder> folders_;
  std::map<std::string, open_document> open_;  // key: path
  std::map<std::string, json> versions_;       // key: path
  std::vector<waiting> waiting_;
  std::uint64_t requests_ = 0;
  std::uint32_t seconds_ = 5;
  bool runs_ = true, markdown_ = false, shows_text_ = false, watches_ = false, progresses_ = false;
  bool refreshes_hints_ = false, refreshes_lenses_ = false;
  bool initialized_ = false, begun_ = false, shut_down_ = false, ended_ = false;
};

}  // namespace bankwise::lsp
