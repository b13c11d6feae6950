#include "runtime/clock/host_time.hpp"

#include <dlfcn.h>

#include <chrono>
#include <utility>

#include "runtime/clock/clock_library.hpp"

namespace bankwise::cuda {

host_time the_host_time;

long long host_time::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {
constinit thread_local long long call_begun = 0;  // when the call of this thread began; 0 if it is not in a call
}

host_time::call::call() : is_outermost_(the_host_time.is_shown && call_begun == 0) {
  if (is_outermost_) call_begun = now();
}

host_time::call::~call() {
  if (!is_outermost_) return;
  const long long begun = std::exchange(call_begun, 0);
  host_time& t = the_host_time;
  if (t.begun > t.ended) return;  // another thread is in bankwise
  const long long counted = std::max(begun, t.ended.load());
  t.ended = now();
  t.inside += t.ended - counted;
}

long long host_time::begin_of_call() { return call_begun != 0 ? call_begun : now(); }

void offer_host_time() {
  void* const take = ::dlsym(RTLD_DEFAULT, take_time_shift);
  if (take == nullptr) return;
  reinterpret_cast<take_time_shift_type>(take)([] { return the_host_time.shift(); });
  the_host_time.is_shown = true;
}

}  // namespace bankwise::cuda
