// Sets of numbers, of which two can become one. Each set is a tree whose root is its smallest number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace bankwise {

class joined_sets {
 public:
  // Makes `n` sets of one number each.
  explicit joined_sets(std::size_t n) : parents_(n) { std::iota(parents_.begin(), parents_.end(), std::size_t{0}); }
  // Returns the smallest number of the set that contains `i`.
  std::size_t root(std::size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }
  // Joins all members of a list.
  void join(const std::vector<std::size_t>& list) {
    for (const std::size_t i : list) join(list.front(), i);
  }

 private:
  std::vector<std::size_t> parents_;
};

}  // namespace bankwise
