// A value, or the diagnostic that explains why there is no value.
#pragma once

#include <cassert>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/diagnostic.hpp"

namespace bankwise {

// A union and a flag, and not a std::variant: nearly every function returns a result, and for each type the compiler
// would spend more time on the variant than on the code that uses it.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : value_(std::move(value)), has_value_(true) {}
  result(diagnostic error) : error_(std::move(error)), has_value_(false) {}
  result(const result& other)
    requires(std::is_copy_constructible_v<T>)
      : has_value_(other.has_value_) {
    if (has_value_)
      std::construct_at(&value_, other.value_);
    else
      std::construct_at(&error_, other.error_);
  }
  result(result&& other) noexcept : has_value_(other.has_value_) { take(other); }
  result& operator=(const result& other)
    requires(std::is_copy_constructible_v<T>)
  {
    return *this = result(other);
  }
  result& operator=(result&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    has_value_ = other.has_value_;
    take(other);
    return *this;
  }
  ~result() { destroy(); }

  explicit operator bool() const { return has_value_; }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() {
    assert(has_value_);
    return value_;
  }
  const T& value() const {
    assert(has_value_);
    return value_;
  }
  diagnostic& error() {
    assert(!has_value_);
    return error_;
  }
  const diagnostic& error() const {
    assert(!has_value_);
    return error_;
  }

 private:
  // Constructs the value or the error from that of `other`, which has the same one.
  void take(result& other) {
    if (has_value_)
      std::construct_at(&value_, std::move(other.value_));
    else
      std::construct_at(&error_, std::move(other.error_));
  }
  void destroy() {
    if (has_value_)
      value_.~T();
    else
      error_.~diagnostic();
  }

  union {
    T value_;
    diagnostic error_;
  };
  bool has_value_;
};

// The value of an operation that has no result except success.
struct done {
  friend bool operator==(done, done) = default;
};

}  // namespace bankwise
