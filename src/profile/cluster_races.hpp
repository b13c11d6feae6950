// Finds accesses of several blocks to the shared memory of one of them that no barrier of their cluster orders.
//
//     block 0   ST  [block 1: x]   ARV  WAIT                    The load is in order: the store comes before the arrival
//     block 1                      ARV  WAIT   LDS x            of its thread, and the load after the wait for it.
//
// Each thread counts its arrivals at the barrier of the cluster, and its waits. An access with `a` arrivals before it is
// in order before an access of another block that has more than `a` waits before it. Accesses of one block are compared
// by hazards.hpp.
//
// What a thread of a block knows is known to the block after __syncthreads(). Kernels that may order blocks by other means
// are left out: mbarriers, volatile or atomic loads, and loops that wait for a
// word. The reads of at most two other blocks are kept for each byte.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "model/parts/hazard.hpp"
#include "profile/access_way.hpp"
#include "profile/code/atomic_parts.hpp"

namespace bankwise {

class cluster_race_checker : public emulate::listener {
 public:
  // `shared_bytes` is the size of a block's shared memory with its first `reserved_bytes`, which belong to the system.
  // `parts` must exist as long as the checker.
  cluster_race_checker(const emulate::launch& l, std::uint32_t shared_bytes, std::uint32_t reserved_bytes,
                       const atomic_parts& parts);
  ~cluster_race_checker() override;

  // Whether the blocks of a launch can only be in order by the barrier of their cluster.
  static bool applies_to(const emulate::launch& l);

  void on_block(std::uint64_t block) override;
  void on_access(const emulate::shared_access& a) override;
  emulate::wanted_events wants() const override { return {.asynchronous = false, .order = true}; }
  void on_order(const emulate::ordering& o) override;

  // The kind of a race, and the device addresses of both instructions; for `ended_block`, twice that of the access.
  using key = std::tuple<hazard_kind, std::uint64_t, std::uint64_t>;
  struct seen {
    std::uint64_t count = 0;  // number of accesses at the second address with this race
    std::uint64_t first_block = 0, second_block = 0, owner = 0;  // owner: whose memory it is
    std::uint32_t first_thread = 0, second_thread = 0, address = 0;
  };
  const std::map<key, seen>& found() const { return found_; }
  void add(const cluster_race_checker& other);

 private:
  struct cluster_state;
  struct place {
    std::uint64_t cluster = 0;
    std::uint32_t rank = 0;
  };
  using way = access_way;
  place place_of(std::uint64_t block) const;
  std::uint64_t block_of(const place& p) const;
  cluster_state& running();  // the cluster of the running block
  void examine(way how, std::uint32_t rank, std::uint32_t address, std::uint32_t bytes, std::uint32_t thread,
               std::uint64_t pc);
  void end_block();
  void report(const key& k, const seen& s);
  static void join(seen& to, const seen& from);
  std::uint32_t site_of(std::uint64_t pc);

  std::array<std::uint32_t, 3> grid_, cluster_;
  const atomic_parts& parts_;
  std::uint32_t threads_, ranks_, shared_bytes_, reserved_bytes_;
  std::uint64_t block_ = 0;
  place at_;                                                          // of the running block
  cluster_state* running_ = nullptr;                                  // null until running() is called
  std::map<std::uint64_t, std::unique_ptr<cluster_state>> clusters_;  // those that run
  std::vector<std::uint64_t> sites_;                                  // the device addresses of instructions
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;          // the index in sites_ of each
  std::map<key, seen> found_;
};

}  // namespace bankwise
