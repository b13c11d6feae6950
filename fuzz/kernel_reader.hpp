// The state while a small kernel is read: the position in the kernel's words, the kernel's types and constants, and the
// error. The reader is a recursive descent parser without backtracking. Its functions are in these files:
//
//     kernel_types.hpp          const float (*p)[4], struct { ... }, the numbers of extents
//     kernel_expressions.hpp    a[i] + f(x), casts, lambdas
//     kernel_statements.cpp     functions, declarations, loops, assembly
#pragma once

#include <memory>

#include "kernel_words.hpp"
#include "small_kernel.hpp"

namespace bankwise::fuzz {

using node = kernel_node;
using node_pointer = std::unique_ptr<kernel_node>;

struct kernel_reader {
  // `given` contains the template arguments.
  kernel_reader(std::string_view text, const std::map<std::string, std::int64_t>& given);

  const kernel_type* make(kernel_type t);
  const kernel_type* pointer_to(const kernel_type* t) { return make({kernel_type::pointer, 8, false, t, 0, {}, 8}); }
  const kernel_type* array_of(const kernel_type* t, std::uint64_t n) {
    return make({kernel_type::array, t->bytes * n, false, t, n, {}, t->alignment});
  }

  bool is(std::string_view s) const { return words[here].text == s; }
  bool take(std::string_view s);
  void want(std::string_view s);
  void stop(const std::string& why);
  std::string name();
  node_pointer make_node(node::kind_of k, std::string text = {}) const;

  std::vector<kernel_word> words;
  std::size_t here = 0;
  int depth = 0;
  std::string wrong = {};  // the first error, which ends the reading
  std::map<std::string, const kernel_type*> types = {};
  std::map<std::string, std::int64_t> constants;
  kernel_source made = {};
};

}  // namespace bankwise::fuzz
