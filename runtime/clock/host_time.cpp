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
constinit thread_local bool is_in_call = false;
constinit thread_local long long called_at = 0;  // when the call of this thread began; 0 once it was let in
}  // namespace

host_time::call::call() : begun_(the_host_time.is_shown && !is_in_call ? now() : 0) {
  if (begun_ == 0) return;
  is_in_call = true;
  called_at = begun_;
}

host_time::call::~call() {
  if (begun_ == 0) return;
  is_in_call = false;
  called_at = 0;
  host_time& t = the_host_time;
  if (t.begun > t.ended) return;  // another thread is in bankwise
  const long long counted = std::max(begun_, t.ended.load());
  t.ended = now();
  t.inside += t.ended - counted;
}

// While a call runs a function of the program, the thread is out, and is let in again afterwards.
long long host_time::begin_of_call() {
  const long long at = std::exchange(called_at, 0);
  return at != 0 ? at : now();
}

void offer_host_time() {
  void* const take = ::dlsym(RTLD_DEFAULT, take_time_shift);
  if (take == nullptr) return;
  reinterpret_cast<take_time_shift_type>(take)([] { return the_host_time.shift(); });
  the_host_time.is_shown = true;
}

}  // namespace bankwise::cuda
