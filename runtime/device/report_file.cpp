#include "runtime/device/report_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/format.hpp"
#include "base/system/signal_name.hpp"
#include "report/json/write_report.hpp"
#include "timing/timed_gpu.hpp"

namespace bankwise::cuda {

namespace {

// While this object exists, a write beyond the file size limit (ulimit -f) fails in this thread. Without the object,
// the signal SIGXFSZ would end the program.
class without_size_signal {
 public:
  without_size_signal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~without_size_signal() {
    const timespec now{};
    const int why = errno;
    if (sigismember(&before_, SIGXFSZ) == 0) ::sigtimedwait(&set_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = why;
  }
  without_size_signal(const without_size_signal&) = delete;
  without_size_signal& operator=(const without_size_signal&) = delete;

 private:
  sigset_t set_{}, before_{};
};

bool write(const std::string& path, const std::string& text) {
  const without_size_signal here;
  std::FILE* out = std::fopen(path.c_str(), "wb");
  const bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  int why = written ? 0 : errno;
  if (out != nullptr && std::fclose(out) != 0 && why == 0) why = errno;
  errno = why;
  return why == 0;
}

program_timeline timeline_of(state& s) {
  const std::uint64_t most = s.options.timeline_operations;
  program_timeline t = s.clock.timeline(most != 0 ? most : program_timeline::usual_operations);
  if (const timing::timed_gpu* const on = timing::find_timed_gpu(s.options.timed_gpu)) t.gpu = on->title;
  return t;
}

}  // namespace

bool writes_report(const state& s) { return !s.report_file.empty() && s.process == ::getpid(); }

std::uint64_t count_launch(state& s) {
  if (s.control.control != nullptr && writes_report(s)) s.control.control->launched.fetch_add(1);
  return ++s.launched;
}

void write_report(state& s) {
  if (!writes_report(s)) return;
  const auto begun = std::chrono::steady_clock::now();
  report_errors(s);
  report_faults(s);
  s.done.small = s.clock.what_graphs_save().value_or(small_launches{});
  s.done.timeline = timeline_of(s);
  // The report is written to a second file and then renamed. If the process is killed meanwhile, the previous report
  // stays complete.
  const std::string next = formatted("{}.next", s.report_file);
  const bool written = write(next, to_json(s.done)) && std::rename(next.c_str(), s.report_file.c_str()) == 0;
  const int why = written ? 0 : errno;
  if (!written) say(formatted("cannot write {}: {}", s.report_file, std::strerror(why)));
  // If the write failed, the existing report is out of date. So bankwise also prints a message.
  if (s.control.control != nullptr) {
    s.control.control->write_error.store(static_cast<std::uint32_t>(why));
    s.control.control->reported.fetch_add(static_cast<std::uint32_t>(s.launched - s.reported));
    s.reported = s.launched;
  }
  write_noted_calls(s);
  s.written = std::chrono::steady_clock::now();
  s.writing = *s.written - begun;
  s.time.spend(s.writing);
}

int stop_asked(const state& s) {
  return s.control.control == nullptr ? 0 : static_cast<int>(s.control.control->stop.load(std::memory_order_relaxed));
}

void answer_stop(state& s) {
  if (s.answered || stop_asked(s) == 0 || !writes_report(s)) return;
  s.answered = true;
  if (!s.done.partial || s.done.partial.why == early_end::reason::time)
    s.done.partial = {early_end::reason::interrupted, signal_name(stop_asked(s))};
  for (launch_report& l : s.done.launches)
    if (l.partial.why == early_end::reason::interrupted) l.partial.signal = s.done.partial.signal;
  write_report(s);
  run_control& c = *s.control.control;
  c.answered.fetch_add(1);
  using namespace std::chrono_literals;
  for (const auto begun = std::chrono::steady_clock::now();
       c.passed_on.load() == 0 && std::chrono::steady_clock::now() - begun < 2s;)
    std::this_thread::sleep_for(2ms);
}

void write_report_now_and_then(state& s) {
  // Writing a large report is slow. The pause ensures that writing takes at most a tenth of the time.
  const auto pause = std::max<std::chrono::steady_clock::duration>(std::chrono::seconds(5), 9 * s.writing);
  if (s.ended || !s.written || std::chrono::steady_clock::now() - *s.written > pause) write_report(s);
}

void write_fault(const state& s, const std::string& what) {
  const std::string file = formatted("{}.fault", s.report_file);
  if (writes_report(s) && !write(file, what)) say(formatted("cannot write {}: {}", file, std::strerror(errno)));
}

}  // namespace bankwise::cuda
