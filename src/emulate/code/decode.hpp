// Decodes instruction words to micro_ops. Each section of code is decoded once, when it is first entered.
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

// The handler of an instruction whose result is not needed.
step leave_out(worker& m, const micro_op& u, std::uint32_t mask);

// A section of which only some instructions are executed, because only counts are needed.
struct counted_code {
  const sass::slice* needed = nullptr;             // if null, every instruction is executed
  const std::vector<followed>* follows = nullptr;  // if null, no instruction is followed
  std::size_t section = 0;
  // for each instruction, whether it is watched (block_races.hpp); null if no instruction is watched
  const std::vector<bool>* watched = nullptr;
};

class code_cache {
 public:
  // `banks`: the launch's constants. Operands that name a constant are read when the code is decoded.
  // `checks_operands`: see launch::checks_operands. If it is true, only handlers execute instructions. `counted`: a
  // section in which unneeded instructions are skipped and instructions that depend on the block are followed.
  code_cache(const cubin::program& p, const std::array<std::vector<std::byte>, constant_banks>& banks,
             bool checks_operands = false, counted_code counted = {}, instruction_use use = instruction_use::interpret,
             std::uint32_t compile_after = 0);

  // The section that contains this device address; null if there is none. Safe to call from any worker.
  const decoded_section* section_at(std::uint64_t address);
  // The first register number such that the code decoded so far writes neither this register nor any later register.
  unsigned written_rows() const { return written_rows_.load(); }

  // Returns the constant in 32 lanes. The pointer is valid as long as the cache.
  const std::uint32_t* spread(std::uint32_t value);

  // --- Reuse of decoded code for another launch

  // Returns a word of a constant bank for an operand, and records its use. Nothing if the word is past the end of the
  // bank.
  std::optional<std::uint32_t> operand_word(std::uint64_t bank, std::uint64_t offset);
  // Whether the operands decoded so far have the same values with the constants `banks`.
  bool has_operands_of(const std::array<std::vector<std::byte>, constant_banks>& banks) const;
  // Operands that are decoded later use these constants.
  void use(const std::array<std::vector<std::byte>, constant_banks>& banks) { banks_ = &banks; }
  // The approximate size of the cache in memory.
  std::size_t bytes() const;

 private:
  void only_count(micro_op& u) const;
  void watch(micro_op& u) const;

  const cubin::program& program_;
  const std::array<std::vector<std::byte>, constant_banks>* banks_;
  // the key is a bank and an offset
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::optional<std::uint32_t>> operand_words_;
  std::mutex mutex_;
  // for each section of the program; null until the section is entered
  std::vector<std::unique_ptr<decoded_section>> sections_;
  // pointers to the elements of sections_, for reads without the mutex
  std::vector<std::atomic<const decoded_section*>> ready_;
  std::atomic<unsigned> written_rows_{32};  // the functions of the driver write the first 32 registers
  std::deque<lane_row> rows_;
  std::unordered_map<std::uint32_t, const std::uint32_t*> row_of_;
  const handler_table& handlers_;
  const bool checks_operands_;
  const counted_code counted_;
  const instruction_use use_;
  const std::uint32_t compile_after_;
};

}  // namespace bankwise::emulate
