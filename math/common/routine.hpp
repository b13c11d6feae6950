// A call of a library function that is executed later, in its stream. The call declares the device memory that it reads
// and writes. Its computing function gets host pointers to this memory.
//
//     routine r(h, "cublasSaxpy_v2");
//     const auto a = r.scalar(alpha);                       the value at the time of the call, or its device address
//     const auto x = r.reads(x, n), y = r.writes(y, n);
//     return r.perform([=](const view& v) { ... a.at(v), x.at(v)[i], y.at(v)[i] ... });
#pragma once

#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <utility>

#include "math/common/elements.hpp"
#include "math/common/numbers.hpp"
#include "runtime/library_call.hpp"

namespace bankwise::math {

using view = cuda::device_view;

// Whether the product of these sizes can be the number of elements of an array. The multiplication does not overflow.
inline bool fits_memory(std::initializer_list<index_t> sizes) {
  double product = 1;
  for (const index_t s : sizes) product *= static_cast<double>(s);
  return std::abs(product) < 1e15;
}

struct handle {
  cuda::stream* on = nullptr;
  int pointers = pointers_on_host;  // a value of pointer_mode
  int math_mode = 0, atomics = 0, multiprocessors = 0;
};

// `count` elements in device memory, or in host memory.
template <class T>
struct place {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool of_host = false;
  T* at(const view& v) const {
    if (bytes == 0) return nullptr;
    return reinterpret_cast<T*>(of_host ? reinterpret_cast<std::byte*>(address) : v(address, bytes));
  }
};

template <class T>
struct scalar {
  T value{};
  place<const T> later;  // memory of the value; unused if `bytes` is 0
  T at(const view& v) const { return later.bytes != 0 ? *later.at(v) : value; }
};

// Elements at equal distances. If the distance is negative, the first element is last in memory.
template <class T>
struct strided {
  place<T> where;
  index_t count = 0, step = 1;
  struct elements {
    T* first = nullptr;
    index_t step = 1;
    T& operator[](index_t i) const { return first[i * step]; }
  };
  elements at(const view& v) const {
    T* const p = where.at(v);
    return {p == nullptr || step >= 0 ? p : p + (1 - count) * step, step};
  }
};

class routine {
 public:
  routine(const handle* h, const char* name) : handle_(h) {
    std::string_view text = name;
    call_.name = text.substr(0, text.find("_v2"));
    call_.computed_by = "bankwise";
    if (h == nullptr) wrong_ = not_initialized;
  }
  void by(std::string_view who) { call_.computed_by = who; }  // `who` must exist as long as the call
  void by_blas() { by(computed_by()); }
  void work(const cuda::library_work& w) { call_.work = w; }  // for the estimated time of the call
  void refuse(status s) {
    if (wrong_ == success) wrong_ = s;
  }
  status wrong() const { return wrong_; }
  const handle& with() const { return *handle_; }

  template <class T>
  place<const T> reads(const T* p, index_t count) {
    return add<const T>(p, count * static_cast<index_t>(size<T>()), call_.reads);
  }
  template <class T>
  place<T> writes(T* p, index_t count) {
    return add<T>(p, count * static_cast<index_t>(size<T>()), call_.writes);
  }
  place<const std::byte> reads_bytes(const void* p, index_t bytes) {
    return add<const std::byte>(p, bytes, call_.reads);
  }
  place<std::byte> writes_bytes(void* p, index_t bytes) { return add<std::byte>(p, bytes, call_.writes); }
  template <class T>
  strided<const T> vector(const T* p, index_t count, index_t step) {
    return {reads(p, reach(count, step)), count, step};
  }
  template <class T>
  strided<T> written(T* p, index_t count, index_t step) {
    return {writes(p, reach(count, step)), count, step};
  }
  // Memory that the call reads and writes.
  template <class T>
  place<T> updates(T* p, index_t count) {
    const place<T> all = writes(p, count);
    call_.read_again += all.bytes;
    return all;
  }
  template <class T>
  strided<T> updated(T* p, index_t count, index_t step) {
    return {updates(p, reach(count, step)), count, step};
  }
  template <class T>
  scalar<T> parameter(const T* p) {
    if (p == nullptr) refuse(invalid_value);
    if (wrong_ != success) return {};
    if (handle_->pointers == pointers_on_host) return {*p, {}};
    return {{}, reads(p, 1)};
  }
  // Declares the result of the call. If the result is in host memory, the host waits for it.
  template <class T>
  place<T> result(T* p) {
    if (p == nullptr) refuse(invalid_value);
    if (wrong_ != success) return {};
    return handle_->pointers == pointers_on_device ? writes(p, 1) : host_result(p);
  }
  // Declares a result in host memory, for any pointer mode. The pointer may be null.
  template <class T>
  place<T> host_result(T* p) {
    if (wrong_ != success || p == nullptr) return {};
    call_.host_results.push_back({reinterpret_cast<std::uint64_t>(p), sizeof(T)});
    return {reinterpret_cast<std::uint64_t>(p), sizeof(T), true};
  }
  // Declares an array of pointers. The array is in device memory, and so is the memory to which its pointers point.
  template <class T>
  place<T* const> pointers(T* const* p, index_t count, index_t bytes_each, bool write) {
    if (count > 0 && p == nullptr) refuse(invalid_value);
    if (wrong_ != success || count <= 0) return {};
    call_.arrays.push_back({reinterpret_cast<std::uint64_t>(p), static_cast<std::uint64_t>(count),
                            static_cast<std::uint64_t>(bytes_each), write});
    return {reinterpret_cast<std::uint64_t>(p), static_cast<std::uint64_t>(count) * sizeof(T*)};
  }

  template <class F>
  status perform(F compute) {
    if (wrong_ != success) return wrong_;
    call_.compute = [compute = std::move(compute)](const view& v) {
      const one_thread alone;
      compute(v);
    };
    return hand_over();
  }
  // Begins a call that changes the state of the library. Such calls are executed in the order of the program.
  status begin(std::function<std::function<void(const view&)>()> first) {
    if (wrong_ != success) return wrong_;
    call_.begin = std::move(first);
    return hand_over();
  }

 private:
  status hand_over() {
    switch (cuda::call_library(handle_->on, std::move(call_))) {
      case cuda::outcome::done: return success;
      case cuda::outcome::out_of_memory: return alloc_failed;
      default: return execution_failed;
    }
  }
  template <class T>
  static constexpr std::size_t size() {
    return sizeof(T);
  }
  static index_t reach(index_t count, index_t step) { return count <= 0 ? 0 : (count - 1) * std::abs(step) + 1; }
  template <class T>
  place<T> add(const void* p, index_t bytes, std::vector<cuda::memory_range>& to) {
    if (bytes <= 0 || wrong_ != success) return {};
    if (p == nullptr) {
      refuse(invalid_value);
      return {};
    }
    const cuda::memory_range r{reinterpret_cast<std::uint64_t>(p), static_cast<std::uint64_t>(bytes)};
    to.push_back(r);
    return {r.address, r.bytes};
  }

  const handle* handle_;
  cuda::library_call call_;
  status wrong_ = success;
};

// Runs the body of an entry point.
template <class Body>
status attempt(const handle* h, const char* name, Body body) {
  try {
    routine r(h, name);
    return r.wrong() != success ? r.wrong() : body(r);
  } catch (const std::bad_alloc&) {
    return alloc_failed;
  } catch (const std::exception&) {
    return execution_failed;
  }
}

}  // namespace bankwise::math
