// Converts instruction words to micro_ops: each section of code once, when it is first entered.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulate/block/worker.hpp"
#include "emulate/code/handler_table.hpp"
#include "emulate/counting/block_flow.hpp"

namespace bankwise::emulate {

// The handler for an instruction that is not needed.
step leave_out(worker& m, const micro_op& u, std::uint32_t mask);

// A section of which only a part is executed.
struct counted_code {
  const sass::slice* needed = nullptr;             // null: everything
  const std::vector<followed>* follows = nullptr;  // null: nothing
  std::size_t section = 0;
  const std::vector<bool>* watched = nullptr;  // by instruction: block_races.hpp; null if there is none
};

class code_cache {
 public:
  // `banks` are the launch's constants; operands that name a constant are read at decoding. `checks_operands`: as in
  // launch; checked instructions are only executed by handlers. `counted`: in that section, unneeded instructions are
  // skipped, and instructions that depend on the block are followed.
  code_cache(const cubin::program& p, const std::array<std::vector<std::byte>, constant_banks>& banks,
             bool checks_operands = false, counted_code counted = {}, instruction_use use = instruction_use::interpret,
             std::uint32_t compile_after = 0);

  // The section that contains this device address, or null. Any worker may call it.
  const decoded_section* section_at(std::uint64_t address);
  // The code that was decoded so far does not write this register or any later one.
  unsigned written_rows() const { return written_rows_.load(); }

  // A constant, copied to 32 lanes, that is valid as long as the cache.
  const std::uint32_t* spread(std::uint32_t value);

  // --- for another launch

  // A word of a constant bank for an operand. Records the use. Nothing if the word is past the end of the bank.
  std::optional<std::uint32_t> operand_word(std::uint64_t bank, std::uint64_t offset);
  // Whether the operands decoded so far have the same values with these constants.
  bool has_operands_of(const std::array<std::vector<std::byte>, constant_banks>& banks) const;
  // Operands that are decoded from now on use these constants.
  void use(const std::array<std::vector<std::byte>, constant_banks>& banks) { banks_ = &banks; }
  // Its approximate size in memory.
  std::size_t bytes() const;

 private:
  void only_count(micro_op& u) const;
  void watch(micro_op& u) const;

  const cubin::program& program_;
  const std::array<std::vector<std::byte>, constant_banks>* banks_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::optional<std::uint32_t>> operand_words_;  // by bank and offset
  std::mutex mutex_;
  std::vector<std::unique_ptr<decoded_section>> sections_;  // by program section, null until entered
  std::vector<std::atomic<const decoded_section*>> ready_;  // the same, for reads without the mutex
  std::atomic<unsigned> written_rows_{32};                  // initially as much as the driver's functions need
  std::deque<lane_row> rows_;
  std::unordered_map<std::uint32_t, const std::uint32_t*> row_of_;
  const handler_table& handlers_;
  const bool checks_operands_;
  const counted_code counted_;
  const instruction_use use_;
  const std::uint32_t compile_after_;
};

}  // namespace bankwise::emulate
