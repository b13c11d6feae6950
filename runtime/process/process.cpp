#include "runtime/process/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/failure_words.hpp"
#include "base/format.hpp"
#include "emulate/decode/kept_code.hpp"
#include "runtime/clock/host_time.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/last_output.hpp"
#include "runtime/device/report_file.hpp"
#include "runtime/launch/launch_predictions.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/repeated_launches.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/memory/array.hpp"
#include "runtime/stream/graph.hpp"
#include "runtime/stream/in_flight.hpp"

namespace bankwise::cuda {

namespace {

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

state::state()
    : process(::getpid()),
      flying(*new in_flight_list),
      pending_touches(*new struct pending_touches),
      predictions(*new launch_predictions) {
  // The names are kept, because many launches may have a finding about one allocation.
  memory.name_calls = [known =
                           std::map<std::pair<std::string, std::vector<std::uint64_t>>, std::vector<std::string>>()](
                          const std::string& verb, const std::vector<std::uint64_t>& sites) mutable {
    static std::mutex naming;  // a launch asks from several threads
    const std::lock_guard lock(naming);
    const auto [it, is_new] = known.try_emplace({verb, sites});
    if (is_new) it->second = names_of_calls(verb, sites);
    return it->second;
  };
  default_stream.id = next_id++;
  offer_host_time();
  done.arch = the_device().one.name;
  done.origin = "emulated";
  if (const auto on = parse_machine(the_device().one.name)) done.on = *on;
  if (const char* file = std::getenv("BANKWISE_REPORT")) report_file = report_file_of_this(file);
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
  if (options.checks_uninitialised) memory.written = std::make_unique<emulate::written_bytes>();
  if (!report_file.empty() && (options.predicts_time || options.timeline_operations != 0)) clock.keep_log();
  if (!report_file.empty() && options.predicts_time) clock.compare();
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
  if (ending.control.control != nullptr && writes_report(ending)) ending.control.control->attached.fetch_sub(1);
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

void reset(state& s) {
  stop_all(s);
  s.pending.clear();
  s.pending_touches = {};
  s.kept_bytes = 0;
  release_all_of(s, &s.primary);
  s.mapped_room = s.pinned_room = 0;
  for (const auto& m : s.modules) {
    m->was_used = false;
    for (const auto& f : m->functions) f->was_used = false;
  }
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

namespace {

// Releases all objects that were made in the context.
void empty_context(state& s, const context* c) {
  std::vector<module*> modules;
  for (const auto& m : s.modules)
    if (m->owner == c) modules.push_back(m.get());
  if (!modules.empty()) finish_all(s);
  for (module* m : modules) unload(s, *m);
  release_all_of(s, c);
}

}  // namespace

bool destroy_context(state& s, context* c) {
  if (c == &s.primary || !is_context(s, c)) return false;
  empty_context(s, c);
  drop_from_stack(c);
  std::erase_if(s.contexts, [&](const auto& owned) { return owned.get() == c; });
  return true;
}

}  // namespace bankwise::cuda
