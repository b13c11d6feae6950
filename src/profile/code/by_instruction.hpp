// A value for each instruction of a launch. The key is the instruction's device address. Access is fastest for the
// kernel's own code.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "cubin/program.hpp"

namespace bankwise {

template <class T>
class by_instruction {
 public:
  // `code_begin` and `code_bytes` are the beginning and the size of the kernel's own code, or zero.
  explicit by_instruction(std::uint64_t code_begin = 0, std::uint64_t code_bytes = 0)
      : code_begin_(code_begin), by_index_(code_bytes / cubin::instruction_bytes) {}
  by_instruction(const by_instruction& other)
      : all_(other.all_), code_begin_(other.code_begin_), by_index_(other.by_index_.size()) {}
  by_instruction& operator=(const by_instruction&) = delete;

  // Returns the value of an instruction. The first call creates the value. A value never moves.
  T& operator[](std::uint64_t pc) {
    const std::uint64_t index = (pc - code_begin_) / cubin::instruction_bytes;
    if (index >= by_index_.size()) return all_[pc];
    if (by_index_[index] == nullptr) by_index_[index] = &all_[pc];
    return *by_index_[index];
  }
  const std::map<std::uint64_t, T>& all() const { return all_; }
  std::map<std::uint64_t, T>& all() { return all_; }

 private:
  std::map<std::uint64_t, T> all_;
  std::uint64_t code_begin_;
  std::vector<T*> by_index_;  // pointers into all_ for the kernel's own code, by instruction
};

}  // namespace bankwise
