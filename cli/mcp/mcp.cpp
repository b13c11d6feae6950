// bankwise mcp: the streams and processes of the server of the Model Context Protocol. Messages are lines of JSON on
// standard input and output. Each call of a tool is another bankwise process in the root, one at a time.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/text.hpp"
#include "cli/check/project_runs.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/mcp/server.hpp"
#include "cli/mcp/write_guard.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;
using call_clock = std::chrono::steady_clock;

constexpr std::size_t most_message_bytes = std::size_t{1} << 24;
constexpr std::size_t most_output_bytes = std::size_t{1} << 26;
constexpr auto until_call_is_killed = std::chrono::seconds(15);  // time from SIGTERM to SIGKILL
constexpr auto between_progress = std::chrono::seconds(2);
constexpr auto until_dropped_call_is_killed = std::chrono::seconds(2);  // for a call whose answer nobody awaits
constexpr auto after_last_request = std::chrono::seconds(2);            // time for the last call to end
constexpr auto until_client_is_gone = std::chrono::seconds(10);         // that has closed its end and reads nothing
constexpr std::size_t most_queued_bytes = std::size_t{1} << 22;         // of answers; the server then takes no requests

// What a process prints on one stream. The beginning of a long output is dropped.
struct heard {
  int from = -1;
  std::string text;

  bool is_open() const { return from >= 0; }
  // Reads what has arrived, and closes the stream at its end. Returns whether anything had arrived.
  bool read() {
    char some[1 << 16];
    const ssize_t n = ::read(from, some, sizeof some);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
    if (n <= 0) {
      close();
      return false;
    }
    if (text.size() + static_cast<std::size_t>(n) > most_output_bytes) text.erase(0, text.size() / 2);
    text.append(some, static_cast<std::size_t>(n));
    return true;
  }
  void close() {
    if (from >= 0) ::close(from);
    from = -1;
  }
};

// A bankwise process that makes a call.
class command {
 public:
  explicit command(const mcp::call& c) : begun_(call_clock::now()), seconds_(c.seconds) {
    std::vector<std::string> words = {"bankwise"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    int out[2], err[2];
    if (::pipe2(out, O_CLOEXEC) != 0) {
      fail(errno);
      return;
    }
    if (::pipe2(err, O_CLOEXEC) != 0) {
      fail(errno);
      ::close(out[0]);
      ::close(out[1]);
      return;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int failed = ::posix_spawn(&process_, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    ::close(err[1]);
    said_.from = out[0];
    told_.from = err[0];
    if (failed != 0) {
      process_ = 0;
      fail(failed);
    }
  }
  // Ends a command whose outcome is not needed. It may first end its own program and remove its files.
  ~command() {
    if (process_ > 0) {
      ::kill(process_, SIGTERM);
      const auto end = call_clock::now() + until_dropped_call_is_killed;
      bool has_ended = false;
      while (!(has_ended = ::waitpid(process_, nullptr, WNOHANG) != 0) && call_clock::now() < end) {
        pollfd watched[2] = {{said_.from, POLLIN, 0}, {told_.from, POLLIN, 0}};
        ::poll(watched, 2, 20);
        if (watched[0].revents != 0) said_.read();
        if (watched[1].revents != 0) told_.read();
      }
      ::kill(-process_, SIGKILL);
      if (!has_ended) ::waitpid(process_, nullptr, 0);
    }
    said_.close();
    told_.close();
  }
  command(const command&) = delete;
  command& operator=(const command&) = delete;

  heard& said() { return said_; }
  heard& told() { return told_; }
  double seconds() const { return std::chrono::duration<double>(call_clock::now() - begun_).count(); }

  // Asks the process to end. Kills it if it does not end soon.
  void stop() {
    if (process_ <= 0) return;
    if (!stopped_) {
      stopped_ = call_clock::now();
      ::kill(process_, SIGTERM);
    } else if (call_clock::now() - *stopped_ > until_call_is_killed) {
      ::kill(-process_, SIGKILL);
    }
  }

  // Returns the outcome if the process has ended.
  std::optional<mcp::outcome> ended() {
    if (process_ > 0) {
      int status = 0;
      const pid_t which = ::waitpid(process_, &status, WNOHANG);
      if (which == 0 || (which < 0 && errno == EINTR)) {
        if (seconds() > seconds_) is_late_ = true;
        if (is_late_ || stopped_) stop();
        return std::nullopt;
      }
      ::kill(-process_, SIGKILL);  // processes of the program that still run
      process_ = 0;
      status_ = which > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : exit_of(WTERMSIG(status));
      // What the process wrote before its end is in the pipes.
      for (heard* h : {&said_, &told_}) {
        if (h->is_open()) ::fcntl(h->from, F_SETFL, O_NONBLOCK);
        while (h->is_open() && h->read()) {
        }
      }
    }
    return mcp::outcome{status_, is_late_, std::move(said_.text), std::move(told_.text)};
  }

 private:
  void fail(int error) {
    status_ = exit_failed;
    told_.text = formatted("cannot start bankwise: {}", std::strerror(error));
  }

  call_clock::time_point begun_;
  double seconds_;
  pid_t process_ = 0;
  int status_ = 0;
  bool is_late_ = false;
  std::optional<call_clock::time_point> stopped_;
  heard said_, told_;
};

// The lines that a client sends.
class line_reader {
 public:
  // Reads what has arrived. Returns false at the end of the input.
  bool read(int from) {
    char some[1 << 16];
    const ssize_t n = ::read(from, some, sizeof some);
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    if (n == 0) return false;
    held_.append(some, static_cast<std::size_t>(n));
    return true;
  }
  // Returns the next line that is not blank. A line that is too long becomes an empty text.
  std::optional<std::string> next() {
    for (;;) {
      const std::size_t end = held_.find('\n', begin_);
      if (end == std::string::npos) {
        held_.erase(0, std::exchange(begin_, 0));
        if (held_.size() > most_message_bytes) {
          held_.clear();
          is_too_long_ = true;
        }
        return std::nullopt;
      }
      std::string line = held_.substr(begin_, end - begin_);
      begin_ = end + 1;
      if (std::exchange(is_too_long_, false) || line.size() > most_message_bytes) return std::string();
      if (!trim(line).empty()) return line;
    }
  }

 private:
  std::string held_;
  std::size_t begin_ = 0;  // of the next line
  bool is_too_long_ = false;
};

// Messages that the client has not read yet.
class outbox {
 public:
  explicit outbox(int to) : to_(to), before_(::fcntl(to, F_GETFL)) { ::fcntl(to_, F_SETFL, before_ | O_NONBLOCK); }
  ~outbox() { ::fcntl(to_, F_SETFL, before_); }
  outbox(const outbox&) = delete;
  outbox& operator=(const outbox&) = delete;

  void add(std::string_view message) {
    if (is_empty()) written_ = call_clock::now();
    held_ += message;
    held_ += '\n';
  }
  bool is_empty() const { return begin_ == held_.size(); }
  bool is_full() const { return held_.size() - begin_ > most_queued_bytes; }
  // Since when the client has read nothing, if there is something to read.
  call_clock::time_point written() const { return written_; }

  // Writes what the client can take now. Returns false if the client is gone.
  bool write() {
    while (!is_empty()) {
      const ssize_t n = ::write(to_, held_.data() + begin_, held_.size() - begin_);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) break;
      if (n <= 0) return false;
      begin_ += static_cast<std::size_t>(n);
      written_ = call_clock::now();
    }
    if (is_empty() || begin_ > most_queued_bytes) held_.erase(0, std::exchange(begin_, 0));
    return true;
  }

 private:
  int to_, before_;
  std::string held_;
  std::size_t begin_ = 0;
  call_clock::time_point written_;
};

// Returns the processes whose parent is this one.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  std::error_code ec;
  for (fs::directory_iterator i("/proc", ec), end; !ec && i != end; i.increment(ec)) {
    const auto process = parse_u64(i->path().filename().string());
    if (!process) continue;
    const auto text = read_file((i->path() / "stat").string());
    if (!text) continue;
    // "PID (NAME) STATE PARENT ...", and the name may contain any character.
    const std::size_t name_end = text->rfind(')');
    if (name_end == std::string::npos || name_end + 4 > text->size()) continue;
    const auto words = split(std::string_view(*text).substr(name_end + 2), ' ');
    if (words.size() > 1 && parse_u64(words[1]) == static_cast<std::uint64_t>(::getpid()))
      all.push_back(static_cast<pid_t>(*process));
  }
  return all;
}

// The processes that outlive a call, such as those that its program has started: they become children of the
// server. Processes that were children when the server started are not its own.
class leftovers {
 public:
  leftovers() : others_(children()) { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
  ~leftovers() { end(); }
  leftovers(const leftovers&) = delete;
  leftovers& operator=(const leftovers&) = delete;

  // Ends them, also those that become children only when their own parents end. No call may run.
  void end() const {
    const auto latest = call_clock::now() + until_dropped_call_is_killed;
    while (call_clock::now() < latest) {
      bool is_done = true;
      for (const pid_t process : children()) {
        if (std::find(others_.begin(), others_.end(), process) != others_.end()) continue;
        is_done = false;
        ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, WNOHANG);
      }
      if (is_done) return;
      ::poll(nullptr, 0, 2);
    }
  }

 private:
  std::vector<pid_t> others_;
};

// Prepares the root: commands run in it, and put temporary files and caches into its folder .bankwise.
result<std::string> enter_root(const std::string& root) {
  std::error_code ec;
  const fs::path whole = fs::canonical(root, ec);
  if (ec || !fs::is_directory(whole, ec))
    return diagnostic{formatted("{} is not a folder", root), {}, "pass the folder of your project to --root"};
  fs::current_path(whole, ec);
  if (ec) return diagnostic{formatted("cannot work in {}: {}", root, ec.message())};
  if (const auto made = make_cache_folder(".bankwise"); !made) return made.error();
  for (const char* name : {"tmp", "cache"}) {
    fs::create_directories(whole / ".bankwise" / name, ec);
    if (ec) return diagnostic{formatted("cannot make .bankwise/{} in {}: {}", name, root, ec.message())};
  }
  ::setenv("TMPDIR", (whole / ".bankwise/tmp").c_str(), 1);
  ::setenv("XDG_CACHE_HOME", (whole / ".bankwise/cache").c_str(), 1);
  ::setenv("BANKWISE_ERRORS", "json", 1);
  ::setenv("NO_COLOR", "1", 1);
  for (const char* forced : {"FORCE_COLOR", "CLICOLOR_FORCE"}) ::unsetenv(forced);
  return whole.string();
}

// Returns an error for a line that is not a message. An error without an id has no member id in this protocol.
std::string refusal_of_line(lsp::json error) {
  if (const lsp::json* id = lsp::member(&error, "id"); id != nullptr && id->is_null()) error.erase("id");
  return lsp::as_text(error);
}

// Answers messages until the client closes the stream, or a signal arrives.
int serve(int in, int out, mcp::server& server) {
  const leftovers rest;
  line_reader lines;
  outbox answers(out);
  std::unique_ptr<command> running;
  call_clock::time_point progressed;
  std::optional<call_clock::time_point> at_end;  // when the input ended
  for (;;) {
    if (const auto signal = stop_signal().load(); signal != 0) return exit_of(static_cast<int>(signal));
    pollfd watched[4] = {{at_end || answers.is_full() ? -1 : in, POLLIN, 0},
                         {out, static_cast<short>(answers.is_empty() ? 0 : POLLOUT), 0},
                         {running ? running->said().from : -1, POLLIN, 0},
                         {running ? running->told().from : -1, POLLIN, 0}};
    ::poll(watched, 4, running ? 20 : 200);
    if ((watched[1].revents & POLLERR) != 0 || !answers.write()) return exit_clean;
    if (watched[2].revents != 0) running->said().read();
    if (watched[3].revents != 0) running->told().read();
    if (watched[0].revents != 0 && !lines.read(in)) at_end = call_clock::now();
    while (!answers.is_full()) {
      const auto line = lines.next();
      if (!line) break;
      const lsp::parsed_message m =
          line->empty() ? lsp::parsed_message{{},
                                              lsp::error_to(nullptr, lsp::fault::invalid_request,
                                                            formatted("a message has more than {} bytes",
                                                                      grouped(most_message_bytes)))}
                        : lsp::parse_message(*line);
      if (!m.what) {
        answers.add(refusal_of_line(m.answer));
        continue;
      }
      const mcp::reaction r = server.take(*m.what);
      for (const std::string& text : r.send) answers.add(text);
      if (r.stop && running) running->stop();
    }
    if (running) {
      if (const auto o = running->ended()) {
        running.reset();
        rest.end();
        if (const auto text = server.take(*o)) answers.add(*text);
      } else if (call_clock::now() - progressed > between_progress) {
        progressed = call_clock::now();
        if (const auto text = server.progress(running->seconds()); text && !answers.is_full()) answers.add(*text);
      }
    }
    if (at_end && !answers.is_full()) server.drop_waiting_calls();
    if (!running) {
      if (const auto next = server.next_call()) {
        running = std::make_unique<command>(*next);
        progressed = call_clock::now();
      }
    }
    if (!answers.write()) return exit_clean;
    if (!at_end) continue;
    const auto now = call_clock::now();
    if (answers.is_empty() ? !running || now - *at_end > after_last_request
                           : now - std::max(answers.written(), *at_end) > until_client_is_gone)
      return exit_clean;
  }
}

}  // namespace

result<int> mcp_server(const arguments& args) {
  if (!args.positional.empty())
    return diagnostic{"bankwise mcp takes no files, because the client sends its requests", {}, "see AGENTS.md"};
  if (::isatty(STDIN_FILENO) != 0)
    return diagnostic{"bankwise mcp is started by a client and does not work in a terminal", {}, "see AGENTS.md"};
  const auto root = enter_root(args.value("root").value_or("."));
  if (!root) return root.error();
  const std::string folders[] = {*root};
  const std::string unguarded = forbid_writes_outside(folders);
  if (!unguarded.empty())
    tell(formatted("bankwise: note: programs that bankwise runs can write outside of {}: {}\n", *root, unguarded));
  // Commands have no input, and only the server writes to the client.
  const int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (in < 0 || out < 0 || nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return diagnostic{"cannot use standard input and output for the connection to the client"};
  ::close(nothing);
  ::signal(SIGPIPE, SIG_IGN);
  const stop_on_signals stops;
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  mcp::server server(
      {*root, scratch.path(),
       unguarded.empty() ? "Nothing can be written outside of this folder." : "Programs that run can write anywhere.",
       [](const std::string& file) -> std::optional<std::string> {
         auto text = read_file(file);
         return text ? std::optional(std::move(*text)) : std::nullopt;
       },
       [](const std::string& file) {
         std::error_code ec;
         fs::remove(file, ec);
       }});
  return serve(in, out, server);
}

}  // namespace bankwise::cli
