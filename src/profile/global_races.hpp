// Finds accesses to global memory by two blocks of a launch that nothing orders, of which at least one is a plain write.
//
//     block 0   STG data     MEMBAR.GPU   ATOMG ticket
//     block 1                                            ATOMG ticket   LDG data     in order: block 0 published it
//     block 2                                                           STG data     a race with both
//
// A block publishes its writes by a fence of the GPU's scope and a strong access to a word: an atomic, or a volatile or
// relaxed store. Another block knows these writes after a strong access to this word. Its plain loads see them only after
// an acquire (CCTL.IVALL), because L1 may still contain old values. Reads need no fence to be published. Accesses before a
// fence count as published by the whole block, and what one thread of a block knows is known to the block. So
// the search misses some races, but does not report a kernel that orders its blocks. It is also silent about
//   - accesses of which both are strong, and plain reads of words that atomics change
//   - writes of the same value, and words that are used as flags: all writes store the same 0, 1 or -1, and each warp
//     reads a single word
//   - blocks of the same cluster, memory from malloc() in device code, bulk copies and textures
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"

namespace bankwise {

// The accesses of all blocks of a launch. All workers share this record.
class global_accesses;

// An instruction that accesses global memory.
struct access_site {
  std::uint64_t pc = 0;
  bool strong = false;   // whether other threads of the GPU can see the access
  bool narrow = false;   // whether only the threads of the block can see the access
  bool returns = false;  // for an atomic: whether its old value is used
};

// The instruction of a worker's last access, and the pages that the worker has looked up.
struct worker_view {
  struct looked_up {
    std::uint64_t number = ~std::uint64_t{0};
    struct global_page* page = nullptr;
  };
  static constexpr std::size_t kept_pages = 1024;
  std::uint64_t pc = ~std::uint64_t{0};
  const access_site* here = nullptr;
  std::uint32_t site = 0;
  std::vector<looked_up> pages = std::vector<looked_up>(kept_pages);
};

class global_race_checker : public emulate::listener {
 public:
  explicit global_race_checker(std::shared_ptr<global_accesses> all) : all_(std::move(all)) {}
  emulate::wanted_events wants() const override {
    return {.accesses = false, .asynchronous = false, .order = true, .global = true};
  }
  void on_block(std::uint64_t block) override { block_ = block; }
  void on_global(const emulate::global_access_event& e) override;
  void on_order(const emulate::ordering& o) override;
  void add(const global_race_checker&) {}

 private:
  std::shared_ptr<global_accesses> all_;
  std::uint64_t block_ = 0;
  worker_view view_;
};

// Makes the record of a launch. Null if the kernel cannot race: it has one block, or writes no global memory.
std::shared_ptr<global_accesses> record_global_accesses(const emulate::launch& l, emulate::device_memory& memory);
// The races of the launch, after it has ended. The addresses of the instructions are device addresses.
struct global_race {
  hazard_kind kind = hazard_kind::read_after_write;
  race_cause cause = race_cause::no_order;
  std::uint64_t first = 0, second = 0;  // device addresses of the instructions
  std::uint64_t first_block = 0, second_block = 0;
  std::uint32_t first_thread = 0, second_thread = 0;
  std::uint64_t address = 0;  // of the first word with this race
  std::uint64_t words = 0;
};
std::vector<global_race> races_in(global_accesses& all);

}  // namespace bankwise
