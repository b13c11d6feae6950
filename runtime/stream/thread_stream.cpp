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

}  // namespace bankwise::cuda
