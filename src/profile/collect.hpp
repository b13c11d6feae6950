// Collects the emulator's events by instruction: one collector for each worker, added up at the end.
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

// Counts every access by the rule. Most instructions repeat a few patterns of addresses, shifted by whole rows of banks
// or, in an array with padding, by some words. Such a repetition costs a comparison and a count.
class collector : public emulate::listener {
 public:
  // `code_begin` and `code_bytes`: where the kernel's own code is, whose instructions are found fastest.
  // `blocks_repeat`: an executed block may represent others.
  collector(const machine& on, std::uint64_t code_begin, std::uint64_t code_bytes, bool blocks_repeat = false);

  emulate::wanted_events wants() const override { return {.block_ends = blocks_repeat_, .repeats = row_bytes_}; }
  void on_block_end(std::uint64_t times) override;
  void on_block(std::uint64_t block) override { block_ = block; }
  void on_access(const emulate::shared_access& a) override;
  void on_repeats(const emulate::shared_access& a, std::uint64_t times) override;
  void on_async(const emulate::async_event& e) override;
  void on_swap(const emulate::shared_access& a, std::uint32_t stored) override;

  // The counts, by device address of the instruction.
  struct tally : counts {
    operation op{};
    access worst{};
    copy_source worst_from{};  // of a cp.async
    cost worst_cost{};
    std::uint64_t worst_block = 0;
    bool has_worst = false;
    bool executed_at_least = false;  // of a recording
    // Recent patterns: the cost of each, and how often it occurred since this was last added to the counts.
    struct pattern {
      access what{};
      cost value{};
      page_count page{};
      copy_source from{};  // of a cp.async
      u32 floor = 0, best_cycles = 0, combined = 0, by_lane = 0;
      std::uint64_t times = 0;
    };
    std::array<pattern, 8> recent;
    unsigned last = 0;  // the most recent of them
    // Operations of the instruction that are not accesses, with their numbers. An instruction may do both if it
    // accesses another block's memory.
    async_operation async{};
    std::uint64_t async_done = 0;
    bool generic = false;
    // For an atomic: the bytes that it accessed; the bytes that each warp of a block accessed; and the largest number
    // for one warp.
    byte_range touched;
    struct of_block {
      std::uint64_t block = ~std::uint64_t{0};
      byte_range touched;
    };
    std::vector<of_block> of_warp;
    u32 warp_span = 0;
    // For a compare-and-swap: warps in the loop around it, by block.
    struct entry {
      access what{};      // the reported access
      access combined{};  // one lane for each of its words
      u32 pending = 0;    // lanes that have not stored
      // the largest number of lanes on a word, and in a bank that serves one of them
      u32 rounds = 0, queue = 0, crowd = 0;
      // rounds if the lanes on a word were combined, and no other warp interfered
      u32 alone = 0;
    };
    retries again;
    std::map<std::pair<std::uint64_t, std::uint32_t>, entry> inside;
    // If blocks repeat: the counts of ended blocks. The other members are for the running block.
    struct ended {
      counts sum;
      retries again;
      std::uint64_t async_done = 0;
    } before;

    // Counts an access with an active lane, `times` times: its cost, and whether it is the worst. The caller counts
    // `executed` and `lanes`. `from`: for a copy with a known source.
    void add(const access& a, const copy_source* from, std::uint64_t times, std::uint64_t block, const machine& on);
  };
  // With all pending counts.
  const std::map<std::uint64_t, tally>& tallies();
  void add(collector& other);

 private:
  void judge(tally& t, const emulate::shared_access& event);
  void meet(tally& t, std::uint32_t warp, const tally::entry& e) const;

  machine on_;
  fast_rule cost_of_;
  std::uint32_t row_bytes_;  // of all banks together: shifts by a multiple of this do not change the cost
  // shifts by a multiple of this move every word by the same number of banks, so the cost stays the same
  std::uint32_t turn_bytes_;
  std::uint64_t block_ = 0;
  by_instruction<tally> tallies_;
  bool blocks_repeat_;
};

}  // namespace bankwise
