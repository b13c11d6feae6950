// bankwise mcp: the streams and processes of the server of the Model Context Protocol. Messages are lines of JSON on
// standard input and output. Each call of a tool is another bankwise process in the root, one at a time.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/format.hpp"
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
  ~command() {
    if (process_ > 0) {
      ::kill(-process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
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

bool send(int to, std::string message) {
  message += '\n';
  for (std::string_view left = message; !left.empty();) {
    const ssize_t n = ::write(to, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

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

// Answers messages until the client closes the stream, or a signal arrives.
int serve(int in, int out, mcp::server& server) {
  line_reader lines;
  std::unique_ptr<command> running;
  call_clock::time_point progressed;
  bool is_at_end = false;
  for (;;) {
    if (const auto signal = stop_signal().load(); signal != 0) return exit_of(static_cast<int>(signal));
    pollfd watched[3] = {{is_at_end ? -1 : in, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    if (running) {
      watched[1].fd = running->said().from;
      watched[2].fd = running->told().from;
    }
    ::poll(watched, 3, running ? 20 : 200);
    if (watched[1].revents != 0) running->said().read();
    if (watched[2].revents != 0) running->told().read();
    if (watched[0].revents != 0 && !lines.read(in)) is_at_end = true;
    while (const auto line = lines.next()) {
      const lsp::parsed_message m =
          line->empty() ? lsp::parsed_message{{},
                                              lsp::error_to(nullptr, lsp::fault::invalid_request,
                                                            formatted("a message has more than {} bytes",
                                                                      grouped(most_message_bytes)))}
                        : lsp::parse_message(*line);
      if (!m.what) {
        if (!send(out, lsp::as_text(m.answer))) return exit_clean;
        continue;
      }
      const mcp::reaction r = server.take(*m.what);
      for (const std::string& text : r.send)
        if (!send(out, text)) return exit_clean;
      if (r.stop && running) running->stop();
    }
    if (running) {
      if (const auto o = running->ended()) {
        running.reset();
        if (const auto text = server.take(*o); text && !send(out, *text)) return exit_clean;
      } else if (call_clock::now() - progressed > between_progress) {
        progressed = call_clock::now();
        if (const auto text = server.progress(running->seconds()); text && !send(out, *text)) return exit_clean;
      }
    }
    if (!running) {
      if (const auto next = server.next_call()) {
        running = std::make_unique<command>(*next);
        progressed = call_clock::now();
      } else if (is_at_end) {
        return exit_clean;
      }
    }
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
