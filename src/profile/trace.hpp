// The distinct accesses of a launch, each with the number of its executions. A search for a better layout needs these
// accesses.
//
// Blocks repeat each other, so a few thousand distinct accesses represent millions. If there are too many, the trace
// keeps the same number for each instruction, namely the accesses with the lowest hashes. All accesses of rare
// instructions are then kept. The choice does not depend on the order of blocks or the number of workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "emulate/listener.hpp"
#include "model/report.hpp"
#include "profile/byte_range.hpp"
#include "profile/code/by_instruction.hpp"

namespace bankwise {

// The ranges of static and dynamic shared memory that the kernel accessed, each relative to the start of the static or
// dynamic memory.
struct touched_bytes {
  byte_range in_static, in_dynamic;
};

class access_trace : public emulate::listener {
 public:
  // Keeps at most `most` distinct accesses, but at least one for each instruction. `own_begin`: where the kernel's
  // shared memory begins, after the part that the system reserves. `dynamic_begin`: where dynamic memory begins.
  // `code_begin`: where the kernel's own code begins, or 0. `blocks_repeat`: whether an executed block may represent
  // other blocks.
  access_trace(std::size_t most, u32 own_begin, u32 dynamic_begin, std::uint64_t code_begin = 0,
               std::uint64_t code_bytes = 0, bool blocks_repeat = false)
      : most_(most),
        most_each_(most),
        own_begin_(own_begin),
        dynamic_begin_(dynamic_begin),
        sites_(code_begin, code_bytes) {
    if (blocks_repeat) block_.emplace_back(most, own_begin, dynamic_begin, code_begin, code_bytes);
  }

  emulate::wanted_events wants() const override { return {.block_ends = !block_.empty()}; }
  void on_block(std::uint64_t) override {}
  void on_block_end(std::uint64_t times) override;
  void on_access(const emulate::shared_access& a) override;
  void on_async(const emulate::async_event& e) override;

  struct entry {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;
    access what{};  // inactive lanes have address 0
  };
  // The kept accesses of one instruction.
  struct site_entries {
    std::vector<entry> list;
    // hash table with open addressing: an entry is 1 + the index into the list, or 0 if the slot is free
    std::vector<u32> slots;
    std::uint64_t threshold = ~std::uint64_t{0};  // the hashes of all dropped accesses are higher than this limit
    touched_bytes touched;                        // bytes of all accesses, including those of dropped accesses
  };

  site_entries& entries_at(std::uint64_t pc) { return sites_[pc]; }  // the address of an entry does not change
  void record(site_entries& s, const access& a);
  // Records that an asynchronous operation uses the bytes from `begin` to `end`.
  void touch(site_entries& s, u32 begin, u32 end) const;
  void add(const access_trace& other);

  std::uint64_t seen() const { return seen_; }  // number of executed accesses
  // Returns the accesses of an instruction. The most frequent access is first. Equally frequent accesses are sorted by
  // mask and addresses. Addresses are offsets in the kernel's own shared memory.
  std::vector<recorded_access> accesses_of(std::uint64_t pc) const;
  touched_bytes touched_by(std::uint64_t pc) const;

 private:
  void keep(site_entries& s, const entry& e);
  void touch(site_entries& s, const access& a) const;
  void make_room();

  std::size_t most_, most_each_;
  std::size_t kept_ = 0;  // number of kept accesses: at most `most_each_` of each instruction
  u32 own_begin_, dynamic_begin_;
  std::uint64_t seen_ = 0;
  by_instruction<site_entries> sites_;
  std::vector<access_trace> block_;  // if blocks represent other blocks: accesses of the running block
};

}  // namespace bankwise
