// The memory of an executed small kernel (small_kernel.hpp), and the values in it. Every variable has an address.
#pragma once

#include <deque>

#include "small_kernel.hpp"

namespace bankwise::fuzz {

using node = kernel_node;
using u8 = std::uint8_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

// Memory regions are so far apart that no 32-bit index reaches another region.
inline constexpr u64 shared_base = 0x10000, shared_step = 0x100000, local_base = u64{1} << 42, local_step = 0x1000,
                     out_base = u64{1} << 44, in_base = u64{1} << 45;
inline constexpr u64 most_steps = 3'000'000;

struct kernel_region {
  u64 base = 0;
  std::vector<u8> bytes;
  std::vector<bool> written;
  bool is_shared = false;
  std::string name;
};

struct variable {
  u64 address = 0;
  const kernel_type* type = nullptr;
  const node* lambda = nullptr;
};

struct value {
  const kernel_type* type = nullptr;
  bool is_place = false;
  u64 address = 0;  // address of an object, or the value of a pointer
  i64 integer = 0;
  double real = 0;
  std::vector<u8> bytes;  // of a record
};

struct thread {
  u64 index = 0, x = 0, y = 0, z = 0, stack = 0;
  std::vector<std::map<std::string, variable>> scopes;
  enum { goes_on, leaves, goes_next, has_returned } flow = goes_on;
  value given;
};

struct kernel_machine {
  kernel_machine(const kernel_source& of, const kernel_launch& by);

  void undefined(const std::string& why);
  void unknown(const std::string& why);
  bool is_over();

  void add_region(u64 base, u64 bytes, const std::string& name, bool is_shared);
  kernel_region* region_at(u64 address, u64 bytes);
  u8* access(thread& t, u64 address, const kernel_type* type, u64 bytes, bool is_store);
  value load(thread& t, const value& v);
  void store(thread& t, u64 address, const kernel_type* type, const value& v);
  u64 allocate(thread& t, u64 bytes, u64 alignment);
  void declare(thread& t, const std::string& name, const kernel_type* type, const value* v);

  value zero() const;
  value number(i64 n, const kernel_type* type) const;
  value converted(const value& v, const kernel_type* type);
  const kernel_type* promoted(const kernel_type* t) const {
    return t->is == kernel_type::integer && t->bytes < 4 ? int_type : t;
  }

  const kernel_source& source;
  const kernel_launch& launch;
  kernel_run made = {};
  std::deque<kernel_region> regions = {};
  std::map<const node*, u64> shared = {};
  std::deque<kernel_type> pointers = {};
  const kernel_type *int_type = nullptr, *unsigned_type = nullptr, *long_type = nullptr, *size_type = nullptr,
                    *float_type = nullptr, *double_type = nullptr;
  u64 steps = 0;
  int calls = 0;
  std::uint32_t line = 0;
};

i64 integer_at(const u8* at, const kernel_type* type);
i64 wrapped(i64 n, const kernel_type* type);  // Reduces n to the range of the type.

inline bool truth(const value& v) {
  return v.type == nullptr                    ? false
         : v.type->is == kernel_type::real    ? v.real != 0
         : v.type->is == kernel_type::pointer ? v.address != 0
                                              : v.integer != 0;
}

// Returns the variable with this name in the innermost scope, or null if there is no such variable.
const variable* find_variable(const thread& t, const std::string& name);

}  // namespace bankwise::fuzz
