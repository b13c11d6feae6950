// Generates kernels from the bytes of a fuzzer or a seed. An edit then changes the layout of their arrays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edit_case.hpp"

namespace bankwise::fuzz {

using u64 = std::uint64_t;

class edit_generator {
 public:
  edit_generator(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {
    u64 seed = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < size; ++i) seed = (seed ^ data[i]) * 0x100000001b3;
    state_ = seed | 1;
    if (size <= 8) at_ = size;  // a seed
  }

  edit_case run();

 private:
  u64 below(u64 n);
  bool one_in(u64 n) { return below(n) == 0; }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  static std::string text(u64 n) { return std::to_string(n); }

  void choose_array();
  void choose_layout();

  // ---- the text

  void line(const std::string& s) { out_ += std::string(2 * depth_, ' ') + s + "\n"; }

  // Returns the text of an extent. If the extent needs declarations, adds them before the kernel.
  std::string extent(u64 n, const std::string& called);

  // An int that is declared before the accesses, and whose value is known to be below `n`.
  struct local {
    std::string name;
    u64 n;
  };

  std::string threads() const { return text(u64{c_.block[0]} * c_.block[1]); }

  // Returns the text of an int from 0 to n - 1.
  std::string value(u64 n, int levels = 3);
  void declare_locals();

  u64 all() const { return columns_ * rows_; }

  struct place {
    std::string row, column;
  };
  // inside() returns an element inside its row. over() returns an element beyond the end of its row.
  place inside() { return {value(rows_), value(columns_)}; }
  place over();
  std::string element(const place& p);
  std::string flat_index(const place& p);
  std::string first() {
    return is_union_ ? "u.tile[0][0]" : is_flat_ ? "tile[0]" : is_deep_ ? "tile[0][0][0]" : "tile[0][0]";
  }
  std::string whole() { return is_union_ ? "u.tile" : "tile"; }
  u64 room() const { return is_flat_ ? all() : rows_ * (columns_ + c_.free); }
  std::string scalar(const std::string& e) { return c_.type == "float4" ? "(" + e + ").x" : e; }
  std::string number(const std::string& e) { return c_.type == "float4" ? "make_float4(" + e + ", 1, 2, 3)" : e; }

  // Returns an expression that reads an element and has the type of the array's elements.
  std::string read();

  // Writes a few statements that read elements.
  void reads();
  void writes();

  void fill();
  void write();

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
  u64 state_ = 1;
  edit_case c_;
  u64 rows_ = 32, columns_ = 32;
  bool is_flat_ = false, is_dynamic_ = false, is_union_ = false, is_deep_ = false, is_hostile_ = false;
  std::string head_, out_;
  std::size_t depth_ = 0;
  std::vector<local> locals_;
  int macros_ = 0, results_ = 0;
  bool helper_row_ = false, helper_first_ = false, helper_behind_ = false, helper_reference_ = false,
       helper_address_ = false, helper_array_ = false, helper_array_over_ = false, helper_lds_ = false,
       helper_pick_ = false, helper_move_ = false;
};

}  // namespace bankwise::fuzz
