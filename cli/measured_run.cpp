// By a bankwise of its own: the program may write to standard output as it likes, and may end this process as little as us.
#include "measured_run.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/files.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "report/read_report.hpp"
#include "stop_signals.hpp"

namespace bankwise::cli {

namespace {

// Waits; the exit status, or 128 and the signal.
result<int> start(std::vector<std::string> words, const std::string& said, const std::string& told) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, told.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return diagnostic{std::string("cannot start bankwise run: ") + std::strerror(failed)};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_of(WTERMSIG(status));
}

// Words of a line, with the blanks between them gone.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

bool holds_number(std::string_view word) { return word.find_first_of("0123456789") != std::string_view::npos; }

bool speaks_of_time(std::string_view line) {
  std::string s(line);
  for (char& c : s) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const std::string_view word : {"time", "elapsed", "second", "sec)", " ms", " us", "(ms", "(us", " ns", "flop",
                                      "b/s", "bandwidth", "throughput", "/s"})
    if (s.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

result<measured_run> run_measured(const std::vector<std::string>& flags, const std::vector<std::string>& program,
                                  bool accesses) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const std::string saved = scratch.path() + "/report.json", said = scratch.path() + "/said",
                    told = scratch.path() + "/told";
  std::vector<std::string> words = {"bankwise", "run", "--format", "json", "-o", saved};
  if (accesses) words.emplace_back("--accesses");
  words.insert(words.end(), flags.begin(), flags.end());
  words.emplace_back("--");
  words.insert(words.end(), program.begin(), program.end());
  const auto status = start(std::move(words), said, told);
  if (!status) return status.error();
  const auto heard = read_file(told), text = read_file(said), json = read_file(saved);
  if (const auto signal = stop_signal().load(); signal != 0)
    return diagnostic{"stopped by " + signal_name(static_cast<int>(signal))};
  measured_run run;
  if (heard)
    for (const std::string_view line : split(*heard, '\n')) {
      if (line.starts_with("bankwise: ")) run.ends.emplace_back(line.substr(10));
    }
  if (!json) {
    std::string why = heard ? std::string(trim(*heard)) : "";
    if (why.starts_with("bankwise: error: ")) why = why.substr(17);
    return diagnostic{why.empty() ? program[0] + " left no report" : why};
  }
  auto r = read_report(*json, program[0]);
  if (!r) return r.error();
  run.counts = std::move(*r);
  if (text) run.said = *text;
  return run;
}

std::string difference_of(const std::string& before, const std::string& after, const std::string& again) {
  const auto a = split(before, '\n'), b = split(after, '\n'), c = split(again, '\n');
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string_view was = i < a.size() ? a[i] : std::string_view(),
                           is = i < b.size() ? b[i] : std::string_view();
    if (was == is) continue;
    const auto w = words_of(was), n = words_of(is), o = words_of(i < c.size() ? c[i] : std::string_view());
    // A line that a second run prints with other numbers, or that speaks of time: its numbers are no results.
    const bool varies = n != o || speaks_of_time(is);
    bool same = w.size() == n.size() && (n.size() == o.size() || !varies);
    for (std::size_t k = 0; same && k < w.size(); ++k)
      same = w[k] == n[k] || (varies && holds_number(w[k]) && holds_number(n[k]));
    if (!same)
      return "line " + std::to_string(i + 1) + ": '" + std::string(is) + "' in place of '" + std::string(was) + "'";
  }
  return "";
}

}  // namespace bankwise::cli
