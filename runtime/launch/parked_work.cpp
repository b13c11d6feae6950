#include "runtime/launch/parked_work.hpp"

#include <csignal>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/format.hpp"
#include "runtime/device/context.hpp"
#include "runtime/device/state.hpp"

namespace bankwise::cuda {

namespace {

thread_local parked_work* work_of_thread = nullptr;

}  // namespace

// A thread that takes turns with its caller. The thread is reused for later work.
struct parked_work::worker {
  std::mutex mutex;
  std::condition_variable changed;
  parked_work* work = nullptr;  // current work; null if the worker is idle
  bool works = false;           // true while the worker runs, false while its caller runs
  std::thread::id thread, caller;

  void run() {
    for (;;) {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return works; });
      }
      work_of_thread = work;
      state& s = work->s_;
      use_primary_context(s);
      try {
        work->result = work->body_();
      } catch (const std::bad_alloc&) {
        work->result = cudaErrorMemoryAllocation;
      } catch (const std::exception& x) {
        say(formatted("internal error: {}. Please report this message to the project", x.what()));
        work->result = cudaErrorUnknown;
      }
      work->ended_ = true;
      work_of_thread = nullptr;
      back(s);
    }
  }
  void back(state& s) {
    s.mutex.hand_to(caller);
    const std::lock_guard lock(mutex);
    works = false;
    changed.notify_all();
  }
  void go(state& s) {
    caller = std::this_thread::get_id();
    s.mutex.hand_to(thread);
    std::unique_lock lock(mutex);
    works = true;
    changed.notify_all();
    changed.wait(lock, [&] { return !works; });
  }

  static std::vector<worker*>& spare() {
    static auto* const all = new std::vector<worker*>;
    return *all;
  }
};

std::unique_ptr<parked_work> parked_work::make(state& s, std::function<error()> body) {
  std::vector<worker*>& spare = worker::spare();  // the state's lock protects this list
  if (spare.empty()) {
    auto made = std::make_unique<worker>();
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals must only reach the program's own threads
    try {
      std::thread thread([w = made.get()] { w->run(); });
      made->thread = thread.get_id();
      thread.detach();
      spare.push_back(made.release());
    } catch (const std::system_error&) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (spare.empty()) return nullptr;
  }
  worker* const w = spare.back();
  spare.pop_back();
  return std::unique_ptr<parked_work>(new parked_work(s, std::move(body), w));
}

parked_work::parked_work(state& s, std::function<error()> body, worker* w) : s_(s), body_(std::move(body)), worker_(w) {
  w->work = this;
}

// If the work has not ended, the program is ending. The thread of the work is then abandoned.
parked_work::~parked_work() {
  if (ended_) worker::spare().push_back(worker_);
}

bool parked_work::go_on() {
  worker_->go(s_);
  return ended_;
}

bool parked_work::take_changed() {
  const bool was = changed_;
  changed_ = false;
  return was;
}

parked_work* parked_work::current() { return work_of_thread; }

bool parked_work::wait(bool changed) {
  changed_ |= changed;
  if (given_up_) return false;
  worker_->back(s_);
  std::unique_lock lock(worker_->mutex);
  worker_->changed.wait(lock, [&] { return worker_->works; });
  return !given_up_;
}

}  // namespace bankwise::cuda
