#include "cli/run/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/start_thread.hpp"
#include "base/text.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/run/batch_answer.hpp"

namespace bankwise::cli {

namespace {

// The flags of a batch itself. All others that it accepts are defaults of its lines.
constexpr std::string_view batch_flags[] = {"batch", "jobs", "key", "stop-above", "output"};

bool is_batch_flag(std::string_view flag) {
  return std::find(std::begin(batch_flags), std::end(batch_flags), flag) != std::end(batch_flags);
}

std::optional<diagnostic> refuse_flags(const arguments& args) {
  if (!args.positional.empty() || !args.of_program.empty())
    return diagnostic{"--batch reads the files of its launches from its lines",
                      {},
                      "leave the file out, or leave --batch out to run one launch"};
  for (const auto& [flag, values] : args.values)
    if (!is_batch_flag(flag) && !is_flag_of_lines(flag))
      return diagnostic{formatted("--batch only predicts times, so leave out --{}", flag)};
  return std::nullopt;
}

// The answers of a batch. They are written in the order of the lines, each as soon as all earlier ones are known.
class written_answers {
 public:
  // `at_once`: whether the answers go to standard output. Otherwise, they are kept for a file.
  written_answers(std::size_t lines, bool at_once) : answers_(lines), at_once_(at_once) {}

  void add(std::size_t index, batch_answer answer) {
    const std::lock_guard lock(guard_);
    failed_ |= answer.failed;
    answers_[index] = std::move(answer);
    for (; next_ < answers_.size() && answers_[next_]; ++next_) {
      if (answers_[next_]->interrupted) return;
      std::string line = std::move(answers_[next_]->text) + "\n";
      if (at_once_)
        std::fwrite(line.data(), 1, line.size(), stdout);
      else
        kept_ += line;
    }
    if (at_once_) std::fflush(stdout);
  }
  bool failed() const { return failed_; }
  const std::string& kept() const { return kept_; }

 private:
  std::mutex guard_;
  std::vector<std::optional<batch_answer>> answers_;
  bool at_once_ = true, failed_ = false;
  std::size_t next_ = 0;  // the first line whose answer is not written
  std::string kept_;
};

// A line of the file with its number. Blank lines are skipped.
struct numbered_line {
  std::string_view text;
  std::size_t number = 0;
};

result<std::vector<numbered_line>> lines_of(std::string_view text, const std::string& file) {
  std::vector<numbered_line> lines;
  for (std::size_t at = 0, number = 1; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (const std::string_view line = trim(text.substr(at, end - at)); !line.empty()) lines.push_back({line, number});
    if (lines.size() > most_batch_lines)
      return diagnostic{formatted("the batch has more than {} launches", grouped(most_batch_lines)),
                        {.file = file, .line = static_cast<std::uint32_t>(number)},
                        "divide it into several files"};
    at = end + 1;
  }
  return lines;
}

// Answers all lines on several threads. Threads take the next line that nobody has taken.
class batch_work {
 public:
  batch_work(const std::vector<numbered_line>& lines, const std::string& file, const arguments& defaults,
             double stop_above, bool wants_key, unsigned jobs, written_answers& to)
      : numbered_(lines), file_(file), wants_key_(wants_key), to_(to) {
    const auto cores = std::max(1u, std::thread::hardware_concurrency());
    threads_ = jobs >= cores ? 1 : cores / jobs;
    for (const numbered_line& l : lines) {
      std::string& name = names_.emplace_back();
      lines_.push_back(read_batch_line(l.text, defaults, stop_above, name));
      if (lines_.back()) programs_.expect(lines_.back()->args);
    }
  }

  void run() {
    for (std::size_t n = 0; stop_signal() == 0 && (n = next_++) < lines_.size();) to_.add(n, answer(n));
  }

 private:
  batch_answer answer(std::size_t n) {
    const std::size_t number = numbered_[n].number;
    const result<batch_line>& line = lines_[n];
    if (!line) return answer_error(line.error(), number, names_[n], file_);
    batch_answer a;
    try {
      a = wants_key_ ? answer_key(*line, number, file_, programs_)
                     : answer_time(*line, number, file_, programs_, threads_);
    } catch (const std::bad_alloc&) {  // the other lines may need less memory
      a = answer_error({"there is not enough memory for this launch"}, number, names_[n], file_);
    }
    programs_.release(line->args);
    return a;
  }

  const std::vector<numbered_line>& numbered_;
  const std::string& file_;
  const bool wants_key_;
  written_answers& to_;
  unsigned threads_ = 1;
  std::vector<result<batch_line>> lines_;
  std::vector<std::string> names_;
  kept_programs programs_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

result<int> run_batch(const arguments& args) {
  if (const auto refused = refuse_flags(args)) return *refused;
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  const auto jobs = number(args, "jobs", cores, 1, most_jobs);
  if (!jobs) return jobs.error();
  double stop_above = std::numeric_limits<double>::infinity();
  if (const auto text = args.value("stop-above")) {
    const auto limit = read_microseconds(*text, "--stop-above");
    if (!limit) return about("stop-above", limit.error());
    stop_above = *limit;
  }
  const std::string file = args.value("batch").value_or(""), output = args.value("output").value_or("");
  const auto text = read_file(file);
  if (!text) return text.error();
  const auto lines = lines_of(*text, file);
  if (!lines) return lines.error();
  arguments defaults = args;
  for (const std::string_view flag : batch_flags) defaults.values.erase(std::string(flag));
  const stop_on_signals stops;
  remove_abandoned_folders();
  const bool to_file = !output.empty() && output != "-";
  written_answers answers(lines->size(), !to_file);
  const auto most = static_cast<unsigned>(std::clamp<std::size_t>(lines->size(), 1, *jobs));
  batch_work work(*lines, file, defaults, stop_above, args.has("key"), most, answers);
  {
    std::vector<std::jthread> others;
    for (unsigned n = 1; n < most && start_thread(others, [&] { work.run(); }); ++n) {
    }
    work.run();
  }
  // A batch that was stopped before its first answer leaves the old file. A batch without launches has no answers.
  if (to_file && (stop_signal() == 0 || !answers.kept().empty()))
    if (const auto written = write_file(output, answers.kept()); !written) return written.error();
  if (stop_signal() != 0) return exit_of(static_cast<int>(stop_signal().load()));
  return answers.failed() ? exit_failed : exit_clean;
}

}  // namespace bankwise::cli
