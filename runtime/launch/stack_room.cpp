#include "runtime/launch/stack_room.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "runtime/device/per_thread.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/parked_work.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t enough_stack = std::size_t{512} << 10;

std::size_t stack_of_this_thread() {
  // The stack of the main thread grows, so it is always large enough.
  if (::syscall(SYS_gettid) == ::getpid()) return enough_stack;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return enough_stack;
  std::size_t bytes = enough_stack;
  ::pthread_attr_getstacksize(&attributes, &bytes);
  ::pthread_attr_destroy(&attributes);
  return bytes;
}

}  // namespace

bool has_small_stack() {
  if (parked_work::current() != nullptr) return false;  // a thread of the stand-in already has a large stack
  static auto* const known = new per_thread<std::size_t>;
  std::size_t& bytes = known->get();
  if (bytes == 0) bytes = stack_of_this_thread();
  return bytes < enough_stack;
}

error run_with_room(state& s, std::function<error()> body) {
  using namespace std::chrono_literals;
  const auto work = parked_work::make(s, body);
  if (work == nullptr) return body();
  while (!work->go_on()) {  // the work waits, and only this thread can continue it
    s.mutex.unlock();
    std::this_thread::sleep_for(1ms);
    s.mutex.lock();
  }
  return work->result;
}

}  // namespace bankwise::cuda
