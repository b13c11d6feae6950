// Which instructions use the same values of shared memory: one reads values that another wrote.
//
//     STS [R4], R0          As[ty][tx] = ...          one web
//     STS [R5], R1          Bs[ty][tx] = ...          another
//     BAR.SYNC
//     LDS R2, [R6]          As[ty][k]                 of the first
//     LDS R3, [R7]          Bs[k][tx]                 of the second
//     BAR.SYNC
//     STS [R4], R9          red[tid] = ...            a third, in the bytes of As
//
// A web is an array in the programmer's sense, or a piece of one. Code between its stages, and earlier uses of its
// bytes, do not matter. Memory that code divides itself has no other names.
//
// The number of values that pass is also counted: any mapping of threads to elements must store each value once and
// load it once, and shuffles can also move values that a warp stored itself.
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
  // For a block with this many bytes of shared memory, including those that the system reserves.
  explicit value_flow(u32 bytes, std::uint64_t code_begin = 0, std::uint64_t code_bytes = 0);

  emulate::wanted_events wants() const override { return {.block_ends = true}; }
  void on_block(std::uint64_t block) override;
  void on_block_end(std::uint64_t times) override;
  void on_access(const emulate::shared_access& a) override;
  void on_async(const emulate::async_event& e) override;
  void add(const value_flow& other);

  // The same number for two instructions of one web; no instruction is in two webs.
  std::uint32_t web_of(std::uint64_t pc) const;
  passed_values passed_by(std::uint64_t pc) const;

 private:
  static constexpr std::uint16_t no_warp = 0xffff;
  struct word {
    u32 owner = 0;   // the last writer, or the first reader; 0 if there is none
    u32 stored = 0;  // the register of a plain store; 0 if there is none
    std::uint16_t warp = no_warp;
    bool is_value = false, passed = false, passed_on = false;
  };
  using memory = std::vector<word>;
  struct instruction {
    u32 parent = 0;  // the root of the web, or an instruction nearer to it
    passed_values passed, at_block_begin;
    bool loads_others = false;  // values that another warp stored
  };

  u32 number_of(std::uint64_t pc);
  u32 root_of(u32 n) const;
  void join(u32 a, u32 b);
  void use(u32 who, u32 begin, u32 end, bool reads, bool writes);
  void pass(const emulate::shared_access& a, u32 used, u32 who);
  void note_warp(const emulate::shared_access& a, u32 used);

  std::size_t words_;
  std::map<std::uint64_t, memory> blocks_;  // memories of blocks that may continue
  memory ended_;                            // memory of an ended block, which is reused
  std::uint64_t block_ = 0;
  memory* now_ = nullptr;
  u32 registers_ = 0;            // stored values, over all blocks
  by_instruction<u32> numbers_;  // from 1
  std::vector<instruction> all_{{}};
};

}  // namespace bankwise
