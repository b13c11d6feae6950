// A value, or the diagnostic that explains why there is no value.
#pragma once

#include <cassert>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/diagnostic.hpp"

namespace bankwise {

template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  result(diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  diagnostic& error() {
    assert(!*this);
    return *std::get_if<1>(&state_);
  }
  const diagnostic& error() const {
    assert(!*this);
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, diagnostic> state_;
};

// The value of an operation that has no result except success.
struct done {
  friend bool operator==(done, done) = default;
};

}  // namespace bankwise
