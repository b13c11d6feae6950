// The library that the CUDA driver loads into a recorded program (CUDA_INJECTION64_PATH).
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "environment.hpp"
#include "nvtx.hpp"
#include "recorder.hpp"

namespace bankwise {
std::string_view patch_image();  // returns the contents of patch.fatbin
}

extern "C" int __real___cxa_atexit(void (*)(void*), void*, void*);  // NOLINT(bugprone-reserved-identifier)

namespace bankwise::record {

namespace {

// The recorder is never destroyed, because threads of the program may still call it while the process ends.
constinit std::atomic<recorder*> recording{nullptr};

void on_event(void*, std::uint32_t in, std::uint32_t event, const void* data) {
  recorder* const r = recording.load(std::memory_order_acquire);
  if (r == nullptr) return;
  try {
    r->on_event(static_cast<domain>(in), event, data);
  } catch (...) {  // if there is no memory, the program continues, and the event is not recorded
    recording.store(nullptr, std::memory_order_release);
  }
}

void at_exit(void*) {
  if (recorder* const r = recording.load(std::memory_order_acquire)) r->process_ends();
}

// Stops recording in a forked child. The child cannot use the device. It has a copy of our lock, which may be locked
// forever, and copies of the open files.
void forget() { recording.store(nullptr, std::memory_order_release); }

// Whether launches in a stream are captured. Calls the driver that the program has loaded.
bool is_capturing(handle stream) {
  using function = int (*)(handle stream, int* status);
  static const auto ask = [] {
    void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return driver != nullptr ? reinterpret_cast<function>(::dlsym(driver, "cuStreamIsCapturing")) : nullptr;
  }();
  int status = 0;
  return ask != nullptr && stream != nullptr && ask(stream, &status) == 0 && status != 0;
}

// Writes the reason why recording failed. The report shows this reason. The caller then returns, and the program
// continues.
void give_up(spool_writer& out, const std::string& why) { out.failure(why); }

// Finds all functions of the API in the library. Returns the name of the first missing function, or an empty string.
std::string load_api(void* library, sanitizer_api& api) {
#define BANKWISE_LOAD(name, arguments)                                                  \
  api.name = reinterpret_cast<decltype(api.name)>(::dlsym(library, "sanitizer" #name)); \
  if (api.name == nullptr) return "sanitizer" #name;
  BANKWISE_SANITIZER_FUNCTIONS(BANKWISE_LOAD)
#undef BANKWISE_LOAD
  return {};
}

void start() {
  const char* const folder = std::getenv(spool_variable);
  if (folder == nullptr) return;
  const auto pid = static_cast<std::uint32_t>(::getpid());
  auto* const out = new spool_writer;
  if (const auto opened = out->open(formatted("{}/spool.{}", folder, pid)); !opened) {
    out->process(pid, program_name(), host_name(), rank());
    if (!out->failure(opened.error().message))  // if the spool cannot be written, the error is printed
      tell(formatted("record: {}", opened.error().message));
    return;
  }
  out->process(pid, program_name(), host_name(), rank());
  const char* const path = std::getenv(library_variable);
  void* const library = path != nullptr ? ::dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return give_up(*out,
                   formatted("the Compute Sanitizer library cannot be loaded: {}", why != nullptr ? why : "no name"));
  }
  sanitizer_api api;
  if (const std::string missing = load_api(library, api); !missing.empty())
    return give_up(*out, formatted("{} does not have the function {}. Install CUDA 12 or later", path, missing));
  const char* const line = std::getenv(schedule_variable);
  const auto options = parse_schedule(line != nullptr ? line : "");
  if (!options) return give_up(*out, options.error().message);
  auto filter = kernel_filter::make(options->kernel);
  if (!filter) return give_up(*out, filter.error().message);
  set_nvtx_range(options->nvtx);
  ::pthread_atfork(nullptr, nullptr, forget);
  __real___cxa_atexit(at_exit, nullptr, nullptr);
  recording.store(new recorder(api, *out, *options, std::move(*filter), patch_image(), in_nvtx_range, is_capturing),
                  std::memory_order_release);
  handle subscriber = nullptr;
  const auto failed = [&](std::uint32_t result, const std::string& what) {
    const char* text = nullptr;
    if (result == 0) return false;
    if (api.GetResultString(result, &text) != 0 || text == nullptr) text = "unknown error";
    give_up(*out, formatted("{}: {}", what, text));
    return true;
  };
  if (failed(api.Subscribe(&subscriber, on_event, nullptr), "the Compute Sanitizer API does not work on this system"))
    return;
  for (const domain d : {domain::resource, domain::launch, domain::graphs})
    if (failed(api.EnableDomain(1, subscriber, static_cast<std::uint32_t>(d)), "listening")) return;
  using call = driver_call;
  for (const call c : {call::launch_kernel, call::launch_kernel_per_thread, call::launch_cooperative,
                       call::launch_cooperative_per_thread, call::launch_graph, call::launch_graph_per_thread,
                       call::launch_kernel_ex, call::launch_kernel_ex_per_thread})
    if (failed(api.EnableCallback(1, subscriber, static_cast<std::uint32_t>(domain::driver),
                                  static_cast<std::uint32_t>(c)),
               "listening"))
      return;
}

}  // namespace
}  // namespace bankwise::record

// The linker option --wrap replaces __cxa_atexit, so that objects of this library are never destroyed. Otherwise,
// threads and destructors of the program could use destroyed objects.
extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }  // NOLINT(bugprone-reserved-identifier)

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static const bool once = [] {
    bankwise::record::start();
    return true;
  }();
  return once ? 1 : 0;
}
