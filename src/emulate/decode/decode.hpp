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

// A section that executes only some instructions, because only counts are needed.
struct counted_code {
  const sass::slice* needed = nullptr;             // if null, every instruction is executed
  const std::vector<followed>* follows = nullptr;  // if null, no instruction is followed
  std::size_t section = 0;
  // for each instruction, whether it is watched (block_races.hpp); null if no instruction is watched
  const std::vector<bool>* watched = nullptr;
  bool tells_order = false;             // launch::tells_all_order
  bool checks_synchronisation = false;  // whether handlers look for misuses (misuse_check.hpp)
};

class code_cache {
 public:
  // `banks`: the launch's constants. Constant operands are read when the code is decoded. `checks_operands`: whether
  // operands are checked, which requires that handlers execute all instructions. `counted`: the section skips unneeded
  // instructions and follows instructions that depend on the block.
  code_cache(const cubin::program& p, const std::array<std::vector<std::byte>, constant_banks>& banks,
             bool checks_operands = false, counted_code counted = {}, instruction_use use = instruction_use::interpret,
             std::uint32_t compile_after = 0);

  // The section that contains this device address. Null if there is no such section. Safe to call from any worker.
  const decoded_section* section_at(std::uint64_t address);
  // The code decoded so far writes only registers below this number.
  unsigned written_rows() const { return written_rows_.load(); }

  // Returns the constant in 32 lanes. The pointer is valid as long as the cache exists.
  const std::uint32_t* spread(std::uint32_t value);

  // --- Reuse of decoded code for another launch

  // Returns a word of a constant bank for an operand, and records its use. Returns nothing if the word is past the end
  // of the bank.
  std::optional<std::uint32_t> operand_word(std::uint64_t bank, std::uint64_t offset);
  // Whether the operands decoded so far have the same values with the constants `banks`.
  bool has_operands_of(const std::array<std::vector<std::byte>, constant_banks>& banks) const;
  // Sets the constants for operands that are decoded later.
  void use(const std::array<std::vector<std::byte>, constant_banks>& banks) { banks_ = &banks; }
  std::size_t bytes() const;

 private:
  void only_count(micro_op& u) const;
  bool watch_order(micro_op& u) const;
  void watch(micro_op& u) const;

  const cubin::program& program_;
  const std::array<std::vector<std::byte>, constant_banks>* banks_;
  // the key is a bank and an offset
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::optional<std::uint32_t>> operand_words_;
  std::mutex mutex_;
  // for each section of the program; null until the section is entered
  std::vector<std::unique_ptr<decoded_section>> sections_;
  // pointers to the elements of sections_, which can be read without the mutex
  std::vector<std::atomic<const decoded_section*>> ready_;
  std::atomic<unsigned> written_rows_{32};  // the driver's functions write the first 32 registers
  std::deque<lane_row> rows_;
  std::unordered_map<std::uint32_t, const std::uint32_t*> row_of_;
  const handler_table& handlers_;
  const bool checks_operands_;
  const counted_code counted_;
  const instruction_use use_;
  const std::uint32_t compile_after_;
};

}  // namespace bankwise::emulate
