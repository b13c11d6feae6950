// The clocks of a program under --virtual-time. The variable LD_PRELOAD puts this library before the C library, so it
// answers clock_gettime, gettimeofday, time and timespec_get, and with them std::chrono and Python's time. Before the
// program uses CUDA, and in bankwise's own libraries, the clocks are those of the host. Waits until a time on such a
// clock get the host's time back.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>

#include <atomic>
#include <cstdint>
#include <ctime>

#include "runtime/clock/clock_library.hpp"

namespace {

constexpr long long second = 1'000'000'000;

std::atomic<long long (*)()> source{nullptr};
// The addresses of the library that took the source: its own clocks are not shifted.
std::atomic<std::uintptr_t> own_begin{0}, own_end{0};

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool is_own(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return at >= own_begin && at < own_end;
}

long long shift_for(const void* caller) {
  long long (*const from)() = source;
  return from == nullptr || is_own(caller) ? 0 : from();
}

bool is_of_time(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME: return true;
    default: return false;
  }
}

timespec moved(const timespec& t, long long by) {
  const long long all = t.tv_sec * second + t.tv_nsec + by;
  const long long seconds = all / second - (all % second < 0);
  return {static_cast<time_t>(seconds), static_cast<long>(all - seconds * second)};
}

int find_own(dl_phdr_info* object, std::size_t, void* address) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (part.p_type != PT_LOAD || at < begin || at >= end) continue;
    own_begin = begin;
    own_end = end;
    return 1;
  }
  return 0;
}

// Returns the host's time of a deadline that the program computed from its clocks.
timespec deadline(const timespec* t, const void* caller) { return moved(*t, -shift_for(caller)); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void bankwise_take_time_shift(long long (*shift)()) {
  ::dl_iterate_phdr(find_own, reinterpret_cast<void*>(shift));
  source = shift;
}

int clock_gettime(clockid_t clock, timespec* t) {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int status = real(clock, t);
  if (status == 0 && is_of_time(clock)) *t = moved(*t, shift_for(__builtin_return_address(0)));
  return status;
}

int gettimeofday(timeval* t, void* zone) {
  static auto* const real = next<int(timeval*, void*)>("gettimeofday");
  const int status = real(t, zone);
  if (status != 0) return status;
  const timespec now = moved({t->tv_sec, t->tv_usec * 1000}, shift_for(__builtin_return_address(0)));
  *t = {now.tv_sec, now.tv_nsec / 1000};
  return status;
}

time_t time(time_t* t) {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  timespec now{};
  real(CLOCK_REALTIME, &now);
  now = moved(now, shift_for(__builtin_return_address(0)));
  if (t != nullptr) *t = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(timespec* t, int base) {
  static auto* const real = next<int(timespec*, int)>("timespec_get");
  const int status = real(t, base);
  if (status == TIME_UTC) *t = moved(*t, shift_for(__builtin_return_address(0)));
  return status;
}

int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* t) {
  static auto* const real = next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait");
  const timespec until = deadline(t, __builtin_return_address(0));
  return real(c, m, &until);
}

int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* t) {
  static auto* const real =
      next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  const timespec until = deadline(t, __builtin_return_address(0));
  return real(c, m, clock, &until);
}

int sem_timedwait(sem_t* s, const timespec* t) {
  static auto* const real = next<int(sem_t*, const timespec*)>("sem_timedwait");
  const timespec until = deadline(t, __builtin_return_address(0));
  return real(s, &until);
}

int sem_clockwait(sem_t* s, clockid_t clock, const timespec* t) {
  static auto* const real = next<int(sem_t*, clockid_t, const timespec*)>("sem_clockwait");
  const timespec until = deadline(t, __builtin_return_address(0));
  return real(s, clock, &until);
}

}  // extern "C"
#pragma GCC visibility pop
