// The order of the events of a block's threads, as vector clocks.
//
// Each path of a warp has a clock for each warp, and for each lane of its own warp. Events up to this clock happened
// before the path's next operation. Barriers, named barriers, mbarriers and atomics pass clocks to other warps:
//
//     warp 0   STS A      BAR            After BAR, warp 1 knows all events of warp 0 before BAR. Its LDS of A is in
//     warp 1         BAR      LDS A      order. It does not know later writes of warp 0 before the next barrier.
//
// The instructions of a path are in order for all lanes of the path, because a warp splits only at branches. After
// different branches, lanes are not ordered until they join at a BSYNC or WARPSYNC. But CUDA C++ promises only the order
// that barriers, __syncwarp(), shuffles and votes make. Any other order of lanes is known_order::in_step.
//
// A bulk copy has a clock of its own, which mbarriers pass on. A cp.async ends when its thread waits for its group. The
// reads of a product of a warp group (wgmma) end when one of the four warps waits for the group of the product.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bankwise {

// The groups of products of a warp group begin here.
inline constexpr std::uint32_t product_groups = 1U << 31;

inline constexpr unsigned most_ordered_warps = 32, most_bulk_copies = 8, lanes_of_warp = 32;

// A set of events, such as the events that happened before an operation. It contains, for each warp, the warp's events
// up to this clock. The clocks after those of the warps are those of bulk copies.
using event_clocks = std::array<std::uint32_t, most_ordered_warps + most_bulk_copies>;
void join(event_clocks& to, const event_clocks& from);

// The lanes of a path, and the events that happened before the next operation of all these lanes.
struct path_clocks {
  std::uint32_t members = 0;  // mask of the lanes; 0 if the entry is free
  event_clocks events{};
  std::array<std::uint32_t, lanes_of_warp> own{};  // clock of each lane of the path's own warp
};

// An access, and when it happened.
struct access_stamp {
  std::uint64_t pc = 0;
  std::uint32_t clock = 0, lane_clock = 0;
  std::uint32_t meetings = 0;  // number of meetings of the warp's lanes before the access
  // for an asynchronous copy of a thread, or a read by a product (product_groups): its group; 0 for other accesses
  std::uint32_t group = 0;
  std::uint32_t number = 0;    // number of the executed instruction; 0 if there was no access
  std::uint8_t agent = 0;      // index of the clock
  std::uint8_t warp = 0, lane = 0;
  bool atomic = false;

  std::uint32_t thread() const { return warp * lanes_of_warp + lane; }
  bool is_copy() const { return group != 0 || agent >= most_ordered_warps; }
};

enum class known_order : std::uint8_t {
  none,
  in_step,  // only because lanes of a warp execute together
  given,
};

class thread_order {
 public:
  // `first`: number of the first executed instruction. Accesses before it are those of an earlier block.
  void begin(std::uint32_t threads, std::uint32_t first);
  bool is_of_earlier_block(const access_stamp& s) const { return s.number < first_; }
  // A barrier orders all earlier accesses before all later ones, except copies that no thread has waited for.
  void settle(std::uint32_t first);
  // All copies of threads up to this group are in order before all later accesses.
  std::uint32_t settled_group() const { return settled_group_; }
  // Whether the access is certainly in order.
  bool is_old(const access_stamp& s) const { return s.number < (s.is_copy() ? first_ : settled_); }

  // Finds or creates the path of exactly these lanes. The path is new if lanes have left a path, or if lanes of several
  // paths have joined.
  path_clocks& path(std::uint32_t warp, std::uint32_t members);
  void release(std::uint32_t warp, const path_clocks& from, event_clocks& to);
  // The clock of the next events of the warp. Later events have a later clock.
  std::uint32_t end_of_clock(std::uint32_t warp) { return warps_[warp].clock++; }
  void end(std::uint32_t warp, std::uint32_t lanes);
  void meet(std::uint32_t warp, std::uint32_t lanes);

  // Groups of asynchronous copies: `begin_copies` comes before the first copy of a warp, `commit` ends a group, and `wait` waits for all but the last `most` groups.
  void begin_copies(std::uint32_t warp);
  void commit(std::uint32_t warp, std::uint32_t lanes);
  void wait(std::uint32_t warp, std::uint32_t lanes, std::uint32_t most);

  // Groups of products of a warp: as for copies.
  void end_products(std::uint32_t warp) { ++warps_[warp].products.open; }
  void wait_for_products(std::uint32_t warp, std::uint32_t lanes, std::uint32_t most);

  // A bulk copy begins. Its accesses are known after `complete`, to threads that acquire `to`.
  void begin_bulk_copy();
  void complete(event_clocks& to) const;

  // The stamp of an access by a warp. `set_lane` completes it for a lane; `copies`: the lane begins an asynchronous copy.
  access_stamp stamp(std::uint32_t warp, std::uint64_t pc, std::uint32_t number) const;
  void set_lane(access_stamp& s, int lane, bool copies) const;
  void make_bulk_copy(access_stamp& s) const;
  void make_product(access_stamp& s) const { s.group = product_groups + warps_[s.warp].products.open; }
  // How an access is ordered before the next operation of a lane on the path `now`.
  known_order order(const access_stamp& s, std::uint32_t warp, int lane, const path_clocks& now) const {
    if (is_old(s) || (s.group == 0 ? now.events[s.agent] >= s.clock : is_settled_copy(s))) return known_order::given;
    return order_within(s, warp, lane, now);
  }
  // Whether the machine orders the access before all next operations of the path.
  bool is_before(const access_stamp& s, std::uint32_t warp, const path_clocks& now) const {
    if (is_old(s)) return true;
    if (s.group != 0) return is_settled_copy(s) || is_copy_before(s, warp, now);
    return now.events[s.agent] >= s.clock || (s.agent == warp && now.own[s.lane] >= s.lane_clock);
  }

 private:
  // When a lane had waited for all groups up to `last`.
  struct completed {
    std::uint32_t last = 0, clock = 0, lane_clock = 0, meetings = 0;
    int lane = 0;
  };
  struct lane_copies {
    std::uint32_t open = 1, forgotten = 0;  // the open group, and the last group whose wait is forgotten
    std::vector<completed> waits;
    void add(const completed& wait);
    // The first wait for the group. Null if no lane has waited.
    const completed* wait_for(std::uint32_t group) const;
  };
  using lane_meetings = std::array<std::uint32_t, lanes_of_warp>;
  struct warp_state {
    std::vector<path_clocks> paths;
    std::array<std::uint8_t, lanes_of_warp> path_of{};
    std::array<std::uint32_t, lanes_of_warp> lane_clock{};
    std::uint32_t clock = 1, alive = 0;
    // The number of meetings of lanes, and of the last meeting of all lanes. If only some lanes have met: for each lane,
    // the last meeting of each other lane that it knows of.
    std::uint32_t meetings = 0, met_all = 0;
    std::vector<lane_meetings> met;
    std::vector<lane_copies> copies;  // empty if there are no copies
    lane_copies products;             // groups of products
  };
  static bool when(const warp_state& w, access_stamp& s);
  bool is_settled_copy(const access_stamp& s) const {
    return !settled_groups_.empty() && s.group <= settled_groups_[s.thread()];
  }
  template <class F>
  bool any_wait_for_product(const access_stamp& s, F f) const;
  known_order order_within(access_stamp s, std::uint32_t warp, int lane, const path_clocks& now) const;
  bool is_copy_before(access_stamp s, std::uint32_t warp, const path_clocks& now) const;

  std::vector<warp_state> warps_;
  std::vector<std::uint32_t> settled_groups_;  // for each thread: its last group that it waited for before a barrier
  std::uint32_t settled_group_ = 0;            // the smallest of them, among threads with copies
  std::uint32_t first_ = 1, settled_ = 1, bulk_copies_ = 0;
  std::array<std::uint32_t, most_bulk_copies> bulk_clock_{};
};

}  // namespace bankwise
