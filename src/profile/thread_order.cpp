#include "profile/thread_order.hpp"

#include <algorithm>
#include <bit>

namespace bankwise {

namespace {

constexpr std::size_t most_waits = 16;

template <class F>
void each_lane_of(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace

void join(event_clocks& to, const event_clocks& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

void thread_order::begin(std::uint32_t threads, std::uint32_t first) {
  first_ = settled_ = first;
  warps_.assign((threads + lanes_of_warp - 1) / lanes_of_warp, {});
  for (warp_state& w : warps_) {
    w.paths.assign(1, {});
    w.paths[0].members = ~0u;
    w.paths[0].own.fill(1);
    w.lane_clock.fill(1);
    w.alive = ~0u;
  }
  if (const std::uint32_t rest = threads % lanes_of_warp; rest != 0) warps_.back().alive = (1u << rest) - 1;
  settled_groups_.clear();
  settled_group_ = 0;
  bulk_copies_ = 0;
  bulk_clock_ = {};
}

void thread_order::settle(std::uint32_t first) {
  settled_ = first;
  std::uint32_t least = ~0U;
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    const std::vector<lane_copies>& copies = warps_[warp].copies;
    if (copies.empty()) continue;
    settled_groups_.resize(warps_.size() * lanes_of_warp);
    for (std::size_t lane = 0; lane < lanes_of_warp; ++lane) {
      std::uint32_t& last = settled_groups_[warp * lanes_of_warp + lane];
      if (!copies[lane].waits.empty()) last = copies[lane].waits.back().last;
      least = std::min(least, last);
    }
  }
  if (!settled_groups_.empty()) settled_group_ = least;
}

path_clocks& thread_order::path(std::uint32_t warp, std::uint32_t members) {
  warp_state& w = warps_[warp];
  if (path_clocks& same = w.paths[w.path_of[std::countr_zero(members)]]; same.members == members) return same;
  path_clocks all;
  all.members = members;
  for (std::uint32_t rest = members; rest != 0;) {
    path_clocks& from = w.paths[w.path_of[std::countr_zero(rest)]];
    const std::uint32_t here = from.members & members;
    rest &= ~from.members;
    join(all.events, from.events);
    for (unsigned i = 0; i < lanes_of_warp; ++i) all.own[i] = std::max(all.own[i], from.own[i]);
    from.members &= ~members;
    if (from.members == 0) continue;
    // `from` divides into two paths. Operations before the division are ordered before all later operations of both
    // paths. Later operations of the two paths are not ordered, so each lane gets a new clock.
    each_lane_of(from.members | here, [&](unsigned lane) {
      ++w.lane_clock[lane];
      if ((from.members >> lane & 1) != 0) from.own[lane] = w.lane_clock[lane];
    });
  }
  each_lane_of(members, [&](unsigned lane) { all.own[lane] = w.lane_clock[lane]; });
  const auto free = std::find_if(w.paths.begin(), w.paths.end(), [](const path_clocks& p) { return p.members == 0; });
  const auto at = static_cast<std::size_t>(free - w.paths.begin());
  if (free == w.paths.end()) w.paths.emplace_back();
  w.paths[at] = all;
  each_lane_of(members, [&](unsigned lane) { w.path_of[lane] = static_cast<std::uint8_t>(at); });
  return w.paths[at];
}

void thread_order::release(std::uint32_t warp, const path_clocks& from, event_clocks& to) {
  join(to, from.events);
  to[warp] = std::max(to[warp], end_of_clock(warp));
}

void thread_order::end(std::uint32_t warp, std::uint32_t lanes) {
  path(warp, lanes).members = 0;
  warps_[warp].alive &= ~lanes;
}

void thread_order::meet(std::uint32_t warp, std::uint32_t lanes) {
  path(warp, lanes);
  warp_state& w = warps_[warp];
  ++w.meetings;
  if ((w.alive & ~lanes) == 0) {
    w.met_all = w.meetings;
    return;
  }
  if (w.met.empty()) w.met.assign(lanes_of_warp, {});
  lane_meetings all{};
  each_lane_of(lanes, [&](unsigned lane) {
    for (unsigned i = 0; i < lanes_of_warp; ++i) all[i] = std::max(all[i], w.met[lane][i]);
  });
  each_lane_of(lanes, [&](unsigned lane) { all[lane] = w.meetings; });
  each_lane_of(lanes, [&](unsigned lane) { w.met[lane] = all; });
}

void thread_order::begin_copies(std::uint32_t warp) {
  if (std::vector<lane_copies>& copies = warps_[warp].copies; copies.empty()) copies.assign(lanes_of_warp, {});
}

void thread_order::commit(std::uint32_t warp, std::uint32_t lanes) {
  warp_state& w = warps_[warp];
  begin_copies(warp);
  each_lane_of(lanes, [&](unsigned lane) { ++w.copies[lane].open; });
}

void thread_order::wait(std::uint32_t warp, std::uint32_t lanes, std::uint32_t most) {
  warp_state& w = warps_[warp];
  if (w.copies.empty()) return;
  each_lane_of(lanes, [&](unsigned lane) {
    lane_copies& c = w.copies[lane];
    if (c.open > most + 1) c.add({c.open - 1 - most, w.clock, w.lane_clock[lane], w.meetings, static_cast<int>(lane)});
  });
}

// The wait is also a meeting of the lanes.
void thread_order::wait_for_products(std::uint32_t warp, std::uint32_t lanes, std::uint32_t most) {
  warp_state& w = warps_[warp];
  const int lane = std::countr_zero(lanes);
  if (w.products.open > most + 1)
    w.products.add(
        {w.products.open - 1 - most, w.clock, w.lane_clock[static_cast<std::size_t>(lane)], w.meetings, lane});
  meet(warp, lanes);
}

void thread_order::lane_copies::add(const completed& wait) {
  if (!waits.empty() && waits.back().last >= wait.last) return;
  if (waits.size() == most_waits) {
    forgotten = waits.front().last;
    waits.erase(waits.begin());
  }
  waits.push_back(wait);
}

const thread_order::completed* thread_order::lane_copies::wait_for(std::uint32_t group) const {
  const auto at = std::find_if(waits.begin(), waits.end(), [&](const completed& one) { return one.last >= group; });
  return at == waits.end() ? nullptr : &*at;
}

void thread_order::begin_bulk_copy() { ++bulk_clock_[++bulk_copies_ % most_bulk_copies]; }

void thread_order::complete(event_clocks& to) const {
  const std::uint32_t n = bulk_copies_ % most_bulk_copies;
  to[most_ordered_warps + n] = std::max(to[most_ordered_warps + n], bulk_clock_[n]);
}

access_stamp thread_order::stamp(std::uint32_t warp, std::uint64_t pc, std::uint32_t number) const {
  const warp_state& w = warps_[warp];
  access_stamp s;
  s.pc = pc;
  s.clock = w.clock;
  s.meetings = w.meetings;
  s.number = number;
  s.agent = s.warp = static_cast<std::uint8_t>(warp);
  return s;
}

void thread_order::set_lane(access_stamp& s, int lane, bool copies) const {
  const warp_state& w = warps_[s.warp];
  s.lane = static_cast<std::uint8_t>(lane);
  s.lane_clock = w.lane_clock[s.lane];
  if (copies) s.group = w.copies.empty() ? 1 : w.copies[s.lane].open;
}

void thread_order::make_bulk_copy(access_stamp& s) const {
  const std::uint32_t n = bulk_copies_ % most_bulk_copies;
  s.agent = static_cast<std::uint8_t>(most_ordered_warps + n);
  s.clock = bulk_clock_[n];
}

// Sets the time of a copy to the time at which its thread had waited for it. Returns false if the thread has not waited.
bool thread_order::when(const warp_state& w, access_stamp& s) {
  if (w.copies.empty()) return false;
  const lane_copies& c = w.copies[s.lane];
  if (s.group <= c.forgotten) return true;
  const completed* const at = c.wait_for(s.group);
  if (at == nullptr) return false;
  s.clock = at->clock;
  s.lane_clock = at->lane_clock;
  s.meetings = at->meetings;
  return true;
}

// The four warps of a group execute a product together, so the wait of one of them is enough. Calls f for the wait of each
// warp, as if it were the access, until f returns true.
template <class F>
bool thread_order::any_wait_for_product(const access_stamp& s, F f) const {
  constexpr std::size_t warps_of_group = 4;
  const std::uint32_t group = s.group - product_groups;
  const std::size_t first = s.warp / warps_of_group * warps_of_group;
  for (std::size_t n = first; n < std::min(first + warps_of_group, warps_.size()); ++n) {
    const lane_copies& products = warps_[n].products;
    if (group <= products.forgotten) return true;
    const completed* const wait = products.wait_for(group);
    if (wait == nullptr) continue;
    access_stamp end = s;
    end.group = 0;
    end.number = ~0U;  // only clocks tell when the wait was
    end.agent = end.warp = static_cast<std::uint8_t>(n);
    end.lane = static_cast<std::uint8_t>(wait->lane);
    end.clock = wait->clock;
    end.lane_clock = wait->lane_clock;
    end.meetings = wait->meetings;
    if (f(end)) return true;
  }
  return false;
}

bool thread_order::is_copy_before(access_stamp s, std::uint32_t warp, const path_clocks& now) const {
  if (s.group >= product_groups)
    return any_wait_for_product(s, [&](const access_stamp& end) { return is_before(end, warp, now); });
  return when(warps_[s.warp], s) &&
         (now.events[s.agent] >= s.clock || (s.agent == warp && now.own[s.lane] >= s.lane_clock));
}

known_order thread_order::order_within(access_stamp s, std::uint32_t warp, int lane, const path_clocks& now) const {
  if (s.group >= product_groups) {
    const auto is_given = [&](const access_stamp& end) { return order(end, warp, lane, now) == known_order::given; };
    return any_wait_for_product(s, is_given) ? known_order::given : known_order::none;
  }
  const warp_state& w = warps_[s.warp];
  if (s.group != 0 && !when(w, s)) return known_order::none;
  if (now.events[s.agent] >= s.clock) return known_order::given;
  if (s.agent != warp || now.own[s.lane] < s.lane_clock) return known_order::none;
  if (s.lane == lane || s.meetings < w.met_all) return known_order::given;
  if (!w.met.empty() && w.met[static_cast<std::size_t>(lane)][s.lane] > s.meetings) return known_order::given;
  return known_order::in_step;
}

}  // namespace bankwise
