// bankwise lsp: the streams and threads of the language server. One thread reads messages, another thread makes
// reports, and the main thread answers the messages.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/check/project_folder.hpp"
#include "cli/check/project_runs.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "lsp/framing.hpp"
#include "lsp/inbox.hpp"
#include "lsp/server.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_waiting_bytes = 2 * lsp::most_message_bytes;
constexpr std::uintmax_t most_read_bytes = std::uintmax_t{1} << 24;
constexpr auto look_at_signals = std::chrono::milliseconds(100);

// The streams to the client. Only the server may use these streams. So runs have no input, and the output of runs goes
// to standard error.
struct client_streams {
  int in = -1, out = -1;
};
result<client_streams> take_streams() {
  client_streams s{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (s.in < 0 || s.out < 0 || nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return diagnostic{"cannot use standard input and output for the connection to the editor"};
  ::close(nothing);
  return s;
}

bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(to, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// Messages from the other two threads to the main thread.
struct mailbox {
  std::mutex lock;
  std::condition_variable came, went;
  std::deque<lsp::frame> frames;
  std::size_t bytes = 0;
  std::deque<lsp::made_runs> made;
  bool at_end = false;
};

void read_frames(int in, mailbox& to) {
  lsp::frame_reader reader;
  std::vector<char> buffer(std::size_t{1} << 16);
  for (;;) {
    const ssize_t n = ::read(in, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    reader.feed({buffer.data(), static_cast<std::size_t>(n)});
    // All messages that have arrived are passed on together. So the server sees a request and its cancellation
    // together.
    std::unique_lock held(to.lock);
    to.went.wait(held, [&] { return to.bytes < most_waiting_bytes; });
    while (auto f = reader.next()) {
      to.bytes += f->text.size();
      to.frames.push_back(std::move(*f));
    }
    to.came.notify_one();
  }
  const std::lock_guard held(to.lock);
  to.at_end = true;
  to.came.notify_one();
}

// Makes the reports of folders, one at a time.
class run_worker {
 public:
  explicit run_worker(mailbox& to) : to_(to), thread_([this] { work(); }) {}
  ~run_worker() {
    stop();
    {
      const std::lock_guard held(lock_);
      ended_ = true;
    }
    asked_.notify_one();
  }

  void make(const std::string& folder, std::uint32_t seconds) {
    {
      const std::lock_guard held(lock_);
      queue_.push_back({folder, seconds});
    }
    asked_.notify_one();
  }
  // Stops the current run and the runs in the queue.
  void stop() {
    const std::lock_guard held(lock_);
    for (task& t : queue_) t.given_up = true;
    given_up_ = true;
    if (busy_) stop_.store(SIGTERM);
  }

 private:
  struct task {
    std::string folder;
    std::uint32_t seconds = 0;
    bool given_up = false;
  };

  void work() {
    for (;;) {
      task t;
      {
        std::unique_lock held(lock_);
        asked_.wait(held, [&] { return ended_ || !queue_.empty(); });
        if (ended_) return;
        t = queue_.front();
        queue_.pop_front();
        given_up_ = t.given_up;
        busy_ = true;
        stop_.store(0);
      }
      lsp::made_runs made = make_all(t);
      {
        const std::lock_guard held(lock_);
        busy_ = false;
        made.stopped = given_up_;
      }
      const std::lock_guard held(to_.lock);
      to_.made.push_back(std::move(made));
      to_.came.notify_one();
    }
  }

  bool is_given_up() {
    const std::lock_guard held(lock_);
    return given_up_;
  }

  lsp::made_runs make_all(const task& t) {
    lsp::made_runs made{t.folder, {}};
    const auto c = read_project(t.folder);
    if (!c) return made;  // load_folder reports this error
    for (const check::run_entry& r : c->runs) {
      if (is_given_up()) break;
      const auto key = std::pair(t.folder, formatted("{}\n{}", r.name, r.command));
      const auto too_long = [&] {
        made.problems.push_back(
            {c->name, r.config_line,
             formatted("the run {} takes more than {} s, so the server does not repeat it. Make the report of the run "
                       "with `bankwise check --run {}`, or with the command {} of the editor",
                       r.name, t.seconds, r.name, lsp::run_command),
             false});
      };
      if (t.seconds != 0 && slow_.contains(key)) {
        too_long();
        continue;
      }
      bool is_late = false;
      const auto one = make_one(t, *c, r.name, is_late);
      if (is_late) {
        slow_.insert(key);
        too_long();
      } else if (!one && !is_given_up()) {
        made.problems.push_back(
            {c->name, r.config_line,
             one.error().message + (one.error().hint.empty() ? "" : formatted("\n{}", one.error().hint))});
      }
    }
    return made;
  }

  // Makes one report. Stops the run if the run takes longer than its limit.
  result<std::vector<made_report>> make_one(const task& t, const check::config& c, const std::string& run,
                                            bool& is_late) {
    std::mutex lock;
    std::condition_variable ended;
    bool has_ended = false;
    std::jthread clock;
    if (t.seconds != 0)
      clock = std::jthread([&] {
        std::unique_lock held(lock);
        if (ended.wait_for(held, std::chrono::seconds(t.seconds), [&] { return has_ended; })) return;
        is_late = true;
        stop_.store(SIGTERM);
      });
    auto made = make_reports({.folder = t.folder, .asked = &c, .only = {run}, .jobs = 1, .stop = &stop_});
    {
      const std::lock_guard held(lock);
      has_ended = true;
    }
    ended.notify_one();
    if (clock.joinable()) clock.join();
    if (is_late && made) is_late = false;  // the run ended before it could be stopped, so its report is used
    if (!is_given_up()) stop_.store(0);
    return made;
  }

  mailbox& to_;
  std::mutex lock_;
  std::condition_variable asked_;
  std::deque<task> queue_;
  std::set<std::pair<std::string, std::string>> slow_;  // pairs of a folder and a run that took too long
  std::atomic<std::uint32_t> stop_{0};
  bool busy_ = false, given_up_ = false, ended_ = false;
  std::jthread thread_;  // the last member, because the thread uses all other members
};

std::optional<std::string> read_source(const std::string& path) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec) || fs::file_size(path, ec) > most_read_bytes || ec) return std::nullopt;
  auto text = read_file(path);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

std::string canonical_path(const std::string& path) {
  std::error_code ec;
  const fs::path whole = fs::weakly_canonical(path, ec);
  return (ec ? fs::path(path).lexically_normal() : whole).string();
}

}  // namespace

result<int> lsp_server(const arguments& args) {
  if (!args.positional.empty())
    return diagnostic{"bankwise lsp takes no files, because the editor sends its folder to the server",
                      {},
                      "see docs/howto/editor.md"};
  if (::isatty(STDIN_FILENO) != 0)
    return diagnostic{
        "bankwise lsp is started by an editor and does not work in a terminal", {}, "see docs/howto/editor.md"};
  const auto streams = take_streams();
  if (!streams) return streams.error();
  const stop_on_signals stops;
  const auto shared = std::make_shared<mailbox>();
  mailbox& box = *shared;
  // This thread may wait forever for input, so it is detached and ends with the process.
  std::thread([in = streams->in, shared] { read_frames(in, *shared); }).detach();
  int status = -1;
  {
    run_worker runs(box);
    std::map<std::pair<std::string, std::string>, std::string> pages;
    const auto page_of = [&](const std::string& folder, std::string_view kind) {
      const auto [page, is_new] = pages.try_emplace({folder, std::string(kind)});
      if (is_new) page->second = page_of_kind(folder, kind);
      return page->second;
    };
    lsp::server server({load_folder, read_source,
                        [&](const std::string& folder, std::uint32_t seconds) { runs.make(folder, seconds); },
                        [&] { runs.stop(); }, canonical_path, page_of});
    lsp::inbox in;
    const auto send = [&](const std::vector<lsp::json>& messages) {
      for (const lsp::json& m : messages)
        if (!write_all(streams->out, lsp::framed(lsp::as_text(m)))) status = 1;  // the client does not read any more
    };
    while (status < 0) {
      std::deque<lsp::made_runs> made;
      bool at_end = false;
      {
        std::unique_lock held(box.lock);
        box.came.wait_for(held, look_at_signals,
                          [&] { return !in.is_empty() || !box.frames.empty() || !box.made.empty() || box.at_end; });
        for (const lsp::frame& f : box.frames) in.put(f);
        box.frames.clear();
        box.bytes = 0;
        made.swap(box.made);
        at_end = box.at_end;
      }
      box.went.notify_one();
      for (const lsp::made_runs& m : made) send(server.made(m));
      if (const auto signal = stop_signal().load(); signal != 0) {
        status = exit_of(static_cast<int>(signal));
        break;
      }
      const auto e = in.take();
      if (!e) {
        if (at_end) status = server.exit_status();
        continue;
      }
      if (e->what)
        send(server.take(*e->what, e->cancelled));
      else
        send({e->answer});
      if (e->last) status = 1;
      if (server.ended()) status = server.exit_status();
    }
  }
  return status;
}

}  // namespace bankwise::cli
