// Finds instructions that use the same values of shared memory. One instruction writes the values, and another
// instruction reads them.
//
//     STS [R4], R0          As[ty][tx] = ...          first web
//     STS [R5], R1          Bs[ty][tx] = ...          second web
//     BAR.SYNC
//     LDS R2, [R6]          As[ty][k]                 first web
//     LDS R3, [R7]          Bs[k][tx]                 second web
//     BAR.SYNC
//     STS [R4], R9          red[tid] = ...            third web, in the bytes of As
//
// A web is an array in the programmer's sense, or a part of such an array. If code divides memory itself, only webs
// show the separate arrays.
//
// This class also counts the values that pass through memory. Each value must be stored once and loaded once, whichever
// thread computes the value. If a warp loads only its own values, shuffles can replace the loads.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulate/listener.hpp"
#include "model/report.hpp"
#include "profile/code/by_instruction.hpp"

namespace bankwise {

class value_flow : public emulate::listener {
 public:
  // `bytes` is the size of a block's shared memory, including the part that the system reserves.
  explicit value_flow(u32 bytes, std::uint64_t code_begin = 0, std::uint64_t code_bytes = 0);

  emulate::wanted_events wants() const override { return {.block_ends = true}; }
  void on_block(std::uint64_t block) override;
  void on_block_end(std::uint64_t times) override;
  void on_access(const emulate::shared_access& a) override;
  void on_async(const emulate::async_event& e) override;
  void add(const value_flow& other);

  // Returns the number of an instruction's web. Each instruction is in exactly one web.
  std::uint32_t web_of(std::uint64_t pc) const;
  passed_values passed_by(std::uint64_t pc) const;

 private:
  static constexpr std::uint16_t no_warp = 0xffff;
  struct word {
    // number of the instruction that last wrote the word, or of the first reader if the word was only read; otherwise 0
    u32 owner = 0;
    u32 stored = 0;  // number of the register that a plain store stored; 0 after other writes
    std::uint16_t warp = no_warp;
    bool is_value = false, passed = false, passed_on = false;
  };
  using memory = std::vector<word>;
  struct instruction {
    u32 parent = 0;  // an instruction of the web that is closer to the root, or the root itself
    passed_values passed, at_block_begin;
    bool loads_others = false;  // whether the instruction loads values that another warp stored
  };

  u32 number_of(std::uint64_t pc);
  u32 root_of(u32 n) const;
  void join(u32 a, u32 b);
  void use(u32 who, u32 begin, u32 end, bool reads, bool writes);
  void pass(const emulate::shared_access& a, u32 used, u32 who);
  void note_warp(const emulate::shared_access& a, u32 used);

  std::size_t words_;
  std::map<std::uint64_t, memory> blocks_;  // memories of blocks that have not ended
  memory ended_;                            // memory of a block that has ended; it is reused for the next block
  std::uint64_t block_ = 0;
  memory* now_ = nullptr;
  u32 registers_ = 0;            // number of stored registers in all blocks
  by_instruction<u32> numbers_;  // numbers from 1
  std::vector<instruction> all_{{}};
};

}  // namespace bankwise
