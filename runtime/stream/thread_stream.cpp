#include "runtime/stream/thread_stream.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace bankwise::cuda {

namespace {

constinit thread_local bool of_thread = false;

}  // namespace

stream* thread_stream(state& s) {
  const long thread = ::syscall(SYS_gettid);  // glibc before 2.30 has no gettid()
  const auto it =
      std::find_if(s.streams.begin(), s.streams.end(), [&](const auto& one) { return one.second->thread == thread; });
  if (it != s.streams.end()) return it->first;
  auto made = std::make_unique<stream>();
  made->id = s.next_id++;
  made->thread = thread;
  stream* const handle = made.get();
  s.streams[handle] = std::move(made);
  return handle;
}

bool is_thread_call() { return of_thread; }
thread_call_end::~thread_call_end() { of_thread = false; }

void begin_thread_call() { of_thread = true; }

stream* find_stream(state& s, stream* handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  const bool is_default = number == 0 || handle == until_done;
  constexpr std::uintptr_t legacy = 1, per_thread = 2;  // handles cudaStreamLegacy and cudaStreamPerThread
  if (number == per_thread || (is_default && is_thread_call())) return thread_stream(s);
  if (number == legacy || is_default) return &s.default_stream;
  const auto it = s.streams.find(handle);
  return it == s.streams.end() ? nullptr : it->first;
}

}  // namespace bankwise::cuda
