// Collects the emulator's events by instruction. Each worker has one collector. The collectors are added up at the end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "bankwise/source_page.hpp"
#include "emulate/launch/launch.hpp"
#include "model/report.hpp"
#include "profile/byte_range.hpp"
#include "profile/code/by_instruction.hpp"
#include "rule/fast_rule.hpp"

namespace bankwise {

// Counts every access by the rule. Most instructions repeat a few patterns of addresses. The repetitions are shifted by
// whole rows of banks, or by some words if there is padding. For a repeated pattern, the collector only compares and
// counts.
class collector : public emulate::listener {
 public:
  // `code_begin` and `code_bytes` are the beginning and the size of the kernel's own code. `blocks_repeat`: whether an
  // executed block may represent other blocks.
  collector(const machine& on, std::uint64_t code_begin, std::uint64_t code_bytes, bool blocks_repeat = false);

  emulate::wanted_events wants() const override { return {.block_ends = blocks_repeat_, .repeats = row_bytes_}; }
  void on_block_end(std::uint64_t times) override;
  void on_block(std::uint64_t block) override { block_ = block; }
  void on_access(const emulate::shared_access& a) override;
  void on_repeats(const emulate::shared_access& a, std::uint64_t times) override;
  void on_async(const emulate::async_event& e) override;
  void on_swap(const emulate::shared_access& a, std::uint32_t stored) override;

  struct tally : counts {
    operation op{};
    access worst{};
    copy_source worst_from{};  // source of the worst access; only for cp.async
    cost worst_cost{};
    std::uint64_t worst_block = 0;
    bool has_worst = false;
    bool executed_at_least = false;  // whether `executed` is a lower bound, as in a recording
    // A recent pattern with its cost. `times` is the number of executions that the counts do not contain yet.
    struct pattern {
      access what{};            // the first access with this pattern in the lowest of the blocks
      std::uint64_t block = 0;  // this block
      cost value{};
      page_count page{};
      copy_source from{};  // source of the access; only for cp.async
      u32 floor = 0, best_cycles = 0, combined = 0, by_lane = 0;
      std::uint64_t times = 0;
    };
    std::array<pattern, 8> recent;
    unsigned last = 0;  // index of the most recent pattern
    // Costs of copies that are no longer among the recent patterns. A copy's cost takes long to compute, and each warp
    // of a block often has its own patterns. The number is a hash of the pattern.
    std::vector<std::pair<std::uint64_t, pattern>> copies;
    // An operation of the instruction that does not access the block's shared memory, and the number of executions. An
    // instruction can also have such an operation in addition to accesses, if some addresses are in another block's
    // memory.
    async_operation async{};
    std::uint64_t async_done = 0;
    bool generic = false;
    // For atomics: all bytes that the instruction accessed, the bytes that each warp of a block accessed, and the
    // largest number of bytes of a warp.
    byte_range touched;
    struct of_block {
      std::uint64_t block = ~std::uint64_t{0};
      byte_range touched;
    };
    std::vector<of_block> of_warp;
    u32 warp_span = 0;
    // For a compare-and-swap: a record for each warp in the loop. The key is the block and the warp.
    struct entry {
      access what{};      // the access that is reported
      access combined{};  // the access after lanes that want one word were combined into one lane
      u32 pending = 0;    // lanes that have not stored yet
      // `queue`: largest number of lanes that want one word. `crowd`: largest number of lanes in one bank, if each bank
      // serves one lane at a time.
      u32 rounds = 0, queue = 0, crowd = 0;
      // number of rounds that the warp needs if it combines the lanes that want one word, and if no other warp competes
      u32 alone = 0;
    };
    retries again;
    std::map<std::pair<std::uint64_t, std::uint32_t>, entry> inside;
    // If blocks represent other blocks: the counts of ended blocks. The other members are then for the running block
    // only.
    struct ended {
      counts sum;
      retries again;
      std::uint64_t async_done = 0;
    } before;

    // Counts `times` executions of an access, except `executed` and `lanes`. Keeps the access if it is the worst. At
    // least one lane must be active. `from` is the source of a copy, or null if it is unknown.
    void add(const access& a, const copy_source* from, std::uint64_t times, std::uint64_t block, const machine& on);
  };
  // Adds the pending patterns, and returns the counts of all instructions.
  const std::map<std::uint64_t, tally>& tallies();
  void add(collector& other);

 private:
  void judge(tally& t, const emulate::shared_access& event);
  void price_copy(tally& t, tally::pattern& p, const emulate::shared_access& event);
  void meet(tally& t, std::uint32_t warp, const tally::entry& e) const;

  machine on_;
  fast_rule cost_of_;
  std::uint32_t row_bytes_;  // number of bytes in one row across all banks
  // If all addresses are shifted by a multiple of this number of bytes, the cost stays the same, because all words move
  // by the same number of banks.
  std::uint32_t turn_bytes_;
  std::uint64_t block_ = 0;
  by_instruction<tally> tallies_;
  bool blocks_repeat_;
};

}  // namespace bankwise
