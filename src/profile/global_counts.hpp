// Counts the accesses of each instruction to global memory and to the threads' stacks, as Nsight Compute's source page
// does. Also counts accesses to textures and surfaces, as Nsight Compute's counters do.
//
//     LDG [R2], lanes 4 bytes apart      requests 1, lanes 32, bytes 128, sectors 4, ideal 4, tag requests 1
//                      128 bytes apart   sectors 32, ideal 4, tag requests 32
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "bankwise/global_sectors.hpp"
#include "emulate/listener.hpp"
#include "model/global_site.hpp"
#include "profile/code/by_instruction.hpp"

namespace bankwise {

struct global_tally : global_counts {
  global_kind kind{};
  bool generic = false;
  u32 width_bytes = 0;  // bytes for each lane

  // A recent pattern, which is a set of accesses with the same distances between lanes. `times` has an entry for each
  // offset of the first lane in its line: the number of accesses that are not counted yet.
  struct pattern {
    emulate::global_access_event what;
    // addresses, shifted so that the first lane's address is at the beginning of a line
    std::array<std::uint64_t, lanes_per_warp> address{};
    std::array<u32, lanes_per_warp> to{};
    std::array<std::uint64_t, line_bytes> times{};
    std::array<std::uint64_t, line_bytes / 64> came{};  // a bit for each entry of `times`: whether it is not 0
  };
  std::array<pattern, 4> recent;
  unsigned last = 0;  // index of the most recent pattern
  // An executed block may represent other blocks, whose accesses have different offsets in a line. For each distance
  // between the offsets: the cost of these accesses.
  struct by_place {
    std::array<u32, 3> by{};  // distance in a line from a block to the next block, on each axis
    std::array<global_counts, line_bytes> sum{};
  };
  std::vector<by_place> of_others;
  global_sample worst;
  // The first access of the instruction in the first block of this worker. The mask is 0 if there was no access.
  struct first_access {
    // `number` is the position of this access among all first accesses of the listener.
    std::uint64_t block = 0, number = 0;
    std::uint32_t warp = 0, mask = 0;
    std::array<std::uint64_t, lanes_per_warp> address{};
  };
  first_access first;
  // If blocks represent other blocks: the sums of ended blocks. The other members are then for the running block only.
  global_counts before;
};

// Returns the cost of one access. For an access to stacks, word k of all lanes of a warp is contiguous.
global_cost cost_of(const emulate::global_access_event& e);

class global_collector : public emulate::listener {
 public:
  explicit global_collector(std::uint64_t code_begin = 0, std::uint64_t code_bytes = 0, bool blocks_repeat = false);

  emulate::wanted_events wants() const override {
    return {.accesses = false, .asynchronous = false, .block_ends = blocks_repeat_, .global = true};
  }
  void on_block(std::uint64_t block) override { block_ = block; }
  void on_alike(const std::array<std::uint32_t, 3>& blocks) override { alike_ = blocks; }
  void on_block_end(std::uint64_t times) override;
  void on_global(const emulate::global_access_event& e) override;
  void on_texture(const emulate::texture_access_event& e) override;

  // The counts of each instruction, by its device address. A generic instruction may be in several of these maps.
  const std::map<std::uint64_t, global_tally>& global() { return finished(global_); }
  const std::map<std::uint64_t, global_tally>& local() { return finished(local_); }
  // Counts for textures and surfaces.
  const std::map<std::uint64_t, global_tally>& texels() { return finished(texels_); }
  global_counts sum();
  void add(global_collector& other);

 private:
  const std::map<std::uint64_t, global_tally>& finished(by_instruction<global_tally>& of);

  by_instruction<global_tally> global_, local_, texels_;
  bool blocks_repeat_;
  std::uint64_t block_ = 0, firsts_ = 0;
  std::array<std::uint32_t, 3> alike_{1, 1, 1};
};

}  // namespace bankwise
