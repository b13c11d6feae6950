#include "runtime/device/state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "base/failure_words.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/signal_name.hpp"
#include "emulate/code/kept_code.hpp"
#include "report/text/run_report.hpp"
#include "runtime/clock/host_time.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/last_output.hpp"
#include "runtime/launch/in_flight.hpp"
#include "runtime/launch/repeated_launches.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/graph.hpp"
#include "runtime/stream/thread_stream.hpp"

namespace bankwise::cuda {

namespace {

constexpr int limit_count = 7;

// Whether this process writes the report. A forked child has a copy of its parent's state, but writes no report.
bool writes(const state& s) { return !s.report_file.empty() && s.process == ::getpid(); }

// Returns the name of the report file of this process. The first process that uses CUDA writes to the requested file.
// Every process that this process starts writes to its own file, whose name ends with the process id.
std::string report_file_of_this(const std::string& asked) {
  const std::string own_number = std::to_string(::getpid()), owner = formatted("{}.owner", asked);
  if (const int made = ::open(owner.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); made >= 0) {
    const bool written = ::write(made, own_number.data(), own_number.size()) == static_cast<ssize_t>(own_number.size());
    ::close(made);
    if (written) return asked;
  }
  std::string first;
  if (std::FILE* in = std::fopen(owner.c_str(), "rb")) {
    char text[32] = {};
    first.assign(text, std::fread(text, 1, sizeof text, in));
    std::fclose(in);
  }
  // The report comes from a process with the same id. So this process wrote the report before exec started the current
  // program.
  if (first == own_number && ::access(asked.c_str(), F_OK) == 0)
    say(
        formatted("process {} launched kernels and then replaced itself with a different program (exec), so the report "
                  "has only the launches of the last program",
                  own_number));
  return first == own_number || first.empty() ? asked : formatted("{}.{}", asked, own_number);
}

}  // namespace

std::shared_ptr<emulate::kept_code> without_code() { return std::make_shared<emulate::kept_code>(); }

state::state() : process(::getpid()), flying(*new in_flight_list) {
  memory.name_calls = [](const std::string& verb, const std::vector<std::uint64_t>& sites) {
    return names_of_calls(verb, sites);
  };
  default_stream.id = next_id++;
  offer_host_time();
  done.arch = the_device().one.name;
  done.origin = "emulated";
  if (const auto on = parse_machine(the_device().one.name)) done.on = *on;
  if (const char* file = std::getenv("BANKWISE_REPORT")) {
    report_file = report_file_of_this(file);
    // The first process of the program that uses CUDA writes the timeline.
    if (const char* to = std::getenv("BANKWISE_TIMELINE"); to != nullptr && report_file == file) {
      timeline = to;
      clock.keep_timeline();
    }
  }
  if (const char* file = std::getenv("BANKWISE_HOST_COPIES")) copies.file = file;
  options = options_of_environment([](const char* name) { return std::getenv(name); },
                                   [](const char* name, const char* value) {
                                     say(
                                         formatted("the value of the environment variable {}={} is not a number, so "
                                                   "bankwise ignores the variable",
                                                   name, value));
                                   });
  // Without a report, nobody reads the counts, so the run only looks for faults.
  options.looks_for_faults |= report_file.empty();
  time = time_share(options.time);
  bool trace_failed = false;
  if (!options.trace_folder.empty()) {
    auto opened = timing::accel_sim_folder::open(options.trace_folder);
    if (opened)
      traces = std::move(*opened);
    else
      say(to_text(opened.error()));
    trace_failed = !opened;
  }
  predictions = launch_predictions(!options.predicts_all_times, options.time);
  if (const char* file = std::getenv(control_variable); file != nullptr && !report_file.empty())
    control = attach_control(file);
  if (trace_failed) note_trace_failure(*this);
}

namespace {

// Starts a thread that waits for the end of the run. Without this thread, no report would be written if the run ends
// while the program computes on the host. The thread blocks all signals.
void watch(state& s) {
  if (s.control.control == nullptr) return;
  s.control.control->attached.fetch_add(1);
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([&s] {
      if (await_stop(s.control) == 0) ::kill(::getpid(), SIGKILL);  // returns 0 if bankwise ended unexpectedly
      const std::lock_guard lock(s.mutex);
      stop_all(s);
      answer_stop(s);
    }).detach();
  } catch (const std::system_error&) {  // without the thread, the program only notices the end of the run at launches
    s.control.control->attached.fetch_sub(1);
    s.control.control = nullptr;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Called when the program exits. If a program ends by _exit, this function is not called. Then the last written report
// stays.
void end_with_program() {
  state& ending = the_state();
  // First, because what follows may write the program's output.
  if (ending.control.control != nullptr && reports_failure(last_output()))
    ending.control.control->failure_printed.store(1);
  const std::lock_guard lock(ending.mutex);
  stop_all(ending);
  ending.ended = true;
  if (ending.sticky == cudaSuccess) settle_small(ending);
  if (!ending.answered) write_report(ending);
  write_host_copies(ending);
  if (ending.control.control != nullptr && writes(ending)) ending.control.control->attached.fetch_sub(1);
}

}  // namespace

state& the_state() {
  static state* const s = [] {
    auto* made = new state;
    std::atexit(end_with_program);
    ::at_quick_exit(end_with_program);
    watch(*made);
    return made;
  }();
  return *s;
}

void note_trace_failure(const state& s) {
  if (s.control.control != nullptr) s.control.control->traces_failed.store(1);
}

void say(const std::string& text) { bankwise::tell(text); }

error set_limit(state& s, int which, std::size_t value) {
  if (which < 0 || which >= limit_count) return cudaErrorUnsupportedLimit;
  if (which == stack_limit && value > (512u << 10)) return cudaErrorInvalidValue;
  s.limits[which] = value;
  if (which == heap_limit) s.memory.heap_bytes = value;
  return cudaSuccess;
}

error get_limit(const state& s, int which, std::size_t* value) {
  static constexpr std::size_t defaults[limit_count] = {1024, 8u << 20, 8u << 20, 0, 2048, 64, 0};
  if (value == nullptr) return cudaErrorInvalidValue;
  if (which < 0 || which >= limit_count) return cudaErrorUnsupportedLimit;
  const auto it = s.limits.find(which);
  *value = it != s.limits.end() ? it->second : defaults[which];
  return cudaSuccess;
}

void reset(state& s) {
  stop_all(s);
  s.pending.clear();
  s.pending_touches = {};
  s.kept_bytes = 0;
  release_all_of(s, &s.primary);
  for (const auto& [handle, a] : s.arrays) s.memory.release(a->where.address);
  for (const auto& [handle, a] : s.mipmapped_arrays) s.memory.release(a->address);
  s.arrays.clear();
  s.mipmapped_arrays.clear();
  s.objects.clear();
  s.memory.textures.clear();
  the_repeated_launches().forget_all();
  s.primary.in_use = false;
  s.streams.clear();
  s.events.clear();
  s.limits.clear();
}

stream* find_stream(state& s, stream* handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  const bool is_default = number == 0 || handle == until_done;
  constexpr std::uintptr_t legacy = 1, per_thread = 2;  // handles cudaStreamLegacy and cudaStreamPerThread
  if (number == per_thread || (is_default && is_thread_call())) return thread_stream(s);
  if (number == legacy || is_default) return &s.default_stream;
  const auto it = s.streams.find(handle);
  return it == s.streams.end() ? nullptr : it->first;
}

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

}  // namespace

std::uint64_t count_launch(state& s) {
  if (s.control.control != nullptr && writes(s)) s.control.control->launched.fetch_add(1);
  return ++s.launched;
}

void write_report(state& s) {
  if (!writes(s)) return;
  const auto begun = std::chrono::steady_clock::now();
  report_errors(s);
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
  if (s.ended || s.answered)
    if (const auto& timeline = s.clock.timeline())
      if (const auto ok = timeline->write(s.timeline); !ok) say(to_text(ok.error()));
  s.written = std::chrono::steady_clock::now();
  s.writing = *s.written - begun;
  s.time.spend(s.writing);
}

int stop_asked(const state& s) {
  return s.control.control == nullptr ? 0 : static_cast<int>(s.control.control->stop.load(std::memory_order_relaxed));
}

void answer_stop(state& s) {
  if (s.answered || stop_asked(s) == 0 || !writes(s)) return;
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
  if (writes(s) && !write(file, what)) say(formatted("cannot write {}: {}", file, std::strerror(errno)));
}

}  // namespace bankwise::cuda
