// Reads and executes kernels in a small subset of C++, to check that an edit of a source does not change its results.
//
// The subset has macros, constants, structs, unions, templates of numbers, device functions, pointers, references,
// casts and lambdas. In each statement of the kernel, threads run one after another. Barriers are between statements.
//
// The reader only shares the tokenizer with the code that makes edits. So it notices errors in all other parts of that
// code.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::fuzz {

struct kernel_type {
  enum { none, integer, real, pointer, array, record } is = none;
  std::uint64_t bytes = 0;
  bool is_signed = false;
  const kernel_type* of = nullptr;  // type that a pointer points to, or type of an array's elements
  std::uint64_t count = 0;
  struct field {
    std::string name;
    const kernel_type* type;
    std::uint64_t at;
  };
  std::vector<field> fields;
  std::uint64_t alignment = 1;
};

struct kernel_node {
  enum kind_of {
    number,
    name,
    prefix,
    postfix,
    binary,
    assign,
    index,
    call,
    member,
    arrow,
    cast,
    size_of,
    conditional,
    lambda,
    block,
    expression,
    declare,
    branch,
    loop,
    repeat,
    give,
    leave,
    next,
    assembly,
    nothing
  } is = nothing;
  std::string text;  // a name, an operator, or the text of an asm statement
  std::vector<std::unique_ptr<kernel_node>> kids;
  const kernel_type* type = nullptr;  // type of a cast, of a sizeof or of a declaration
  double value = 0;                   // of a number
  bool is_reference = false, is_shared = false, is_auto = false, has_barrier = false, is_list = false;
  std::vector<std::string> names;  // parameters of a lambda
  std::vector<const kernel_type*> types;
  std::vector<bool> references;
  std::uint32_t line = 0;
};

struct kernel_function {
  std::string name;
  std::vector<std::string> templates;  // names of the template arguments
  struct parameter {
    std::string name;
    const kernel_type* type;
    bool is_reference;
  };
  std::vector<parameter> parameters;
  std::unique_ptr<kernel_node> body;
  bool is_kernel = false;
};

struct kernel_source {
  std::deque<kernel_type> types;
  std::map<std::string, kernel_function> functions;
  std::vector<std::unique_ptr<kernel_node>> constants;  // declarations outside of functions
  std::map<std::string, std::int64_t> numbers;          // template arguments
  std::string wrong;                                    // why the kernel could not be read, or empty
};

// Reads a kernel. `numbers` has the values of its template arguments.
kernel_source read_kernel(std::string_view text, const std::map<std::string, std::int64_t>& numbers);

struct kernel_access {
  std::uint64_t at = 0, bytes = 0;  // offset of the access from the start of the array
  std::uint32_t thread = 0, line = 0;
  bool is_store = false;

  friend bool operator==(const kernel_access&, const kernel_access&) = default;
};

struct kernel_run {
  std::vector<std::uint8_t> out;        // final contents of the first argument
  std::vector<kernel_access> accesses;  // accesses to the recorded array, in order
  std::string wrong;                    // undefined behaviour, or code that this interpreter does not know
  bool is_undefined = false;            // whether `wrong` is undefined behaviour
};

struct kernel_launch {
  std::uint32_t block[3] = {32, 1, 1};
  std::vector<std::int64_t> words;  // arguments that follow `out` and `in`
  std::uint64_t dynamic_bytes = 0;  // of extern __shared__
  std::string array;                // name of the array whose accesses are recorded
};

kernel_run run_kernel(const kernel_source& source, const kernel_launch& launch);

}  // namespace bankwise::fuzz
