// Which instructions use the same values of shared memory: who reads what another wrote, and who writes what another reads.
//
//     STS [R4], R0          As[ty][tx] = ...          one web
//     STS [R5], R1          Bs[ty][tx] = ...          another
//     BAR.SYNC
//     LDS R2, [R6]          As[ty][k]                 of the first
//     LDS R3, [R7]          Bs[k][tx]                 of the second
//     BAR.SYNC
//     STS [R4], R9          red[tid] = ...            a third, in the bytes of As
//
// A web is an array as people think of it, or a piece of one, whatever its stages lie between and whoever had its bytes before:
// memory that code divides itself has no other names.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulate/listener.hpp"
#include "profile/by_instruction.hpp"

namespace bankwise {

class value_flow : public emulate::listener {
 public:
  // Of a block with so many bytes of shared memory, what the system reserves among them.
  explicit value_flow(u32 bytes, std::uint64_t code_begin = 0, std::uint64_t code_bytes = 0);

  void on_block(std::uint64_t block) override;
  void on_access(const emulate::shared_access& a) override;
  void on_async(const emulate::async_event& e) override;
  void add(const value_flow& other);

  // The same number for two instructions of one web; no instruction is in two.
  std::uint32_t web_of(std::uint64_t pc) const;

 private:
  using owners = std::vector<u32>;  // by word: who wrote it last, or was the first to read it; 0: nobody

  u32 number_of(std::uint64_t pc);
  u32 root_of(u32 n) const;
  void join(u32 a, u32 b);
  void use(u32 who, u32 begin, u32 end, bool reads, bool writes);

  std::size_t words_;
  std::map<std::uint64_t, owners> blocks_;  // those that may go on
  owners* now_ = nullptr;
  by_instruction<u32> numbers_;  // from 1
  std::vector<u32> parent_{0};
};

}  // namespace bankwise
