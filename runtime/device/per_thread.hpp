// A value for each thread. The value exists until the thread ends, also after main, when thread_local objects are
// already destroyed. The value needs no static TLS, because a library in LD_AUDIT or a sanitizer may have used up the
// static TLS.
#pragma once

#include <pthread.h>

#include <new>

namespace bankwise::cuda {

template <class T>
class per_thread {
 public:
  per_thread() {
    made_ = ::pthread_key_create(&key_, [](void* p) { delete static_cast<T*>(p); }) == 0;
  }
  T& get() {
    if (!made_) throw std::bad_alloc();
    if (void* const known = ::pthread_getspecific(key_)) return *static_cast<T*>(known);
    T* const made = new T();
    if (::pthread_setspecific(key_, made) == 0) return *made;
    delete made;
    throw std::bad_alloc();
  }

 private:
  pthread_key_t key_{};
  bool made_ = false;
};

}  // namespace bankwise::cuda
