#include "emulate/grid/grid.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "base/system/start_thread.hpp"
#include "emulate/block/spare_blocks.hpp"
#include "emulate/counting/block_class.hpp"
#include "emulate/grid/cluster_places.hpp"
#include "emulate/grid/printed_output.hpp"
#include "emulate/turns/block_runner.hpp"

namespace bankwise::emulate {

namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_progress{100};
// If a launch ends within this time, starting threads does not pay off.
constexpr std::chrono::microseconds alone{500};
// If the blocks of a sample change nothing for this number of instructions, they must be waiting for blocks that do not
// run.
constexpr std::uint64_t sample_patience = 1u << 22;
// The number of resident blocks whose registers and shared memory stay in the caches of this machine while they take
// turns.
constexpr std::uint64_t most_in_cache = 64;
// After each resident block has had this number of turns in which it only read, launch_hooks::idle is called.
constexpr std::uint64_t rounds_before_idle = 2;

// The number of the block that begins as the n-th block. Without a seed, this is n. With a seed, a Feistel network
// permutes the numbers below a power of four. The permutation is repeated until the result is below `blocks`.
std::uint64_t in_order(std::uint64_t n, std::uint64_t seed, std::uint64_t blocks) {
  if (seed == 0 || blocks < 2) return n;
  const unsigned half = (static_cast<unsigned>(std::bit_width(blocks - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = n >> half, right = n & mask;
    for (std::uint64_t round = 1; round <= 4; ++round) {
      std::uint64_t mixed = (right + seed * 0x9e3779b97f4a7c15u + round) * 0xbf58476d1ce4e5b9u;
      mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
      const std::uint64_t next = left ^ (mixed >> 32 & mask);
      left = right;
      right = next;
    }
    n = left << half | right;
  } while (n >= blocks);
  return n;
}

// The blocks of a cluster, which begin and end together. Usually, a cluster is one block.
struct cluster {
  std::vector<std::unique_ptr<block_state>> blocks;  // by rank
  cluster_state state;
  std::uint64_t linear = 0;
  std::uint64_t place = 0;  // cluster_places.hpp

  whole_counts sum() const {
    whole_counts all;
    for (const auto& b : blocks) all += b->sum;
    return all;
  }
  std::uint64_t instructions() const { return sum().warp_instructions; }
};

bool waits_for_cluster(const block_state& b) {
  return std::all_of(b.warps.begin(), b.warps.end(), [](const warp& w) { return (w.alive & ~w.at_cluster) == 0; });
}

block_runner::outcome run_cluster(block_runner& one, cluster& c, block_runner::turn_length length) {
  using outcome = block_runner::outcome;
  const std::uint64_t before = c.instructions();
  outcome end = outcome::ended;
  bool all_stuck = true;
  for (const auto& block : c.blocks) {
    if (block->ended) continue;
    const outcome turn = one.run_block(*block, length);
    if (turn == outcome::failed || turn == outcome::spent || turn == outcome::stopped) return turn;
    if (turn != outcome::ended) end = outcome::waits;
    all_stuck &= turn == outcome::stuck;
  }
  // A block of the cluster that runs later in this round may release a stuck block. But if no block made progress, all
  // blocks stay stuck. Polls of mbarriers do not count as progress.
  if (end == outcome::ended || !all_stuck) return end;
  const bool only_looks = std::all_of(c.blocks.begin(), c.blocks.end(), [&](const auto& b) {
    return b->ended || waits_for_cluster(*b) || one.only_looks(*b);
  });
  if (c.blocks.size() > 1 && c.instructions() != before && !only_looks) return end;
  // Reports a block that does not wait for its cluster, if possible. A block that waits for its cluster is not the
  // cause.
  const block_state* blamed = nullptr;
  for (const auto& block : c.blocks)
    if (!block->ended && (blamed == nullptr || (waits_for_cluster(*blamed) && !waits_for_cluster(*block))))
      blamed = block.get();
  one.failure = one.deadlock(*c.blocks[blamed->rank]);
  return outcome::failed;
}

// The turns of the blocks of a cluster, if no cluster waits for another cluster.
block_runner::turn_length turn_of(const cluster& c) {
  return c.blocks.size() > 1 ? block_runner::turn_length::brief : block_runner::turn_length::whole;
}

std::uint64_t linear_index(const std::array<std::uint32_t, 3>& index, const std::array<std::uint32_t, 3>& grid) {
  return index[0] + std::uint64_t{grid[0]} * (index[1] + std::uint64_t{grid[1]} * index[2]);
}

// The boxes of blocks that have not run yet.
class open_boxes {
 public:
  open_boxes(const block_box& all, const std::array<std::uint32_t, 3>& grid) : grid_(grid) { boxes_[0] = all; }

  // Returns the box that has not run and whose first block has the lowest number. So a single worker runs blocks with
  // increasing numbers. Waits while other workers may still add boxes. Returns nothing if no box is left.
  std::optional<block_box> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || !boxes_.empty() || running_ == 0; });
    if (stopped_ || boxes_.empty()) return {};
    ++running_;
    return boxes_.extract(boxes_.begin()).mapped();
  }
  // Reports that a box from next() has run. `rest`: boxes of the blocks that are not in the class of the block that
  // ran.
  void done(const std::vector<block_box>& rest) {
    const std::lock_guard lock(mutex_);
    for (const block_box& b : rest) boxes_[linear_index(b.first, grid_)] = b;
    --running_;
    changed_.notify_all();
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::array<std::uint32_t, 3> grid_;
  std::map<std::uint64_t, block_box> boxes_;  // by the number of the first block
  unsigned running_ = 0;
  bool stopped_ = false;
};

// State that the workers of a launch share.
struct teamwork {
  teamwork(const launch_state& state, const grid_plan& p, const launch_hooks& hooks)
      : s(state),
        plan(p),
        stop_at(p.places != 0 ? p.places : p.blocks),
        stop(hooks.stop),
        idle(hooks.idle),
        printed(hooks),
        boxes({{}, {state.l->grid[0] - 1, state.l->grid[1] - 1, state.l->grid[2] - 1}}, state.l->grid) {
    if ((p.time && !p.all_at_once && !p.by_class) || (p.blocks < size_of(p.grid) && state.l->chosen == nullptr))
      order.emplace(p.grid);
    if (p.places != 0) places.emplace(p.blocks, p.places);
  }

  const launch_state& s;
  const grid_plan& plan;
  const clock::time_point launched = clock::now();
  std::optional<block_order> order;  // for a sample, and for a run that becomes a sample if the time runs out
  std::mutex ordering;
  std::optional<cluster_places> places;  // used if plan.places is set; each turn of a worker runs one place
  std::uint64_t turns() const { return places ? places->count() : plan.blocks; }
  // becomes 1 at the end of the launch's time, so that blocks that still run are stopped
  std::atomic<std::uint32_t> late{0};
  std::atomic<std::uint64_t> next{0}, stop_at;
  std::atomic<std::uint64_t> finished{0}, begun{0}, counted{0}, instructions{0};
  const std::atomic<std::uint32_t>* const stop;
  const std::function<bool(bool)>& idle;
  bool given_up = false;  // whether launch_hooks::idle stopped the launch
  printed_output printed;
  open_boxes boxes;                        // for runs by class
  std::atomic<std::uint64_t> executed{0};  // for runs by class: number of executed instructions
  std::mutex mutex;                        // guards the members below
  std::condition_variable changed;
  unsigned running = 1;
  whole_counts sum;  // sum over all workers that have ended; `instructions` also includes running workers
  std::uint64_t failed_block = ~std::uint64_t{0}, stopped_block = ~std::uint64_t{0};
  bool spent = false;  // whether the launch failed because the budget was used up
  std::optional<fault_report> interruption;
  out_of_bounds_accesses out_of_bounds;
  std::optional<fault_report> failure;
  std::map<unsigned, block_sum> by_class;

  // Whether it is too late for the n-th block to begin.
  bool begins_late(std::uint64_t n) const {
    return plan.time && n >= plan.time->least && clock::now() - launched >= plan.time->begins;
  }
  void look_at_clock() {
    if (plan.time && clock::now() - launched >= plan.time->until) late.store(1);
  }
  std::uint64_t place_of(std::uint64_t n) {
    if (s.l->chosen != nullptr) return (*s.l->chosen)[n];
    if (!order) return in_order(n, s.l->seed, plan.blocks);
    const std::lock_guard lock(ordering);
    return order->block_at(plan.time ? n : in_order(n, s.l->seed, plan.blocks));
  }
  // Begins the n-th cluster, or the first cluster of the n-th place.
  void begin(block_runner& one, cluster& c, std::uint64_t n) {
    c.place = n;
    if (!places)
      begin(one, c, n, place_of(n));
    else
      begin_next(one, c);
  }
  // Begins the next cluster of a place after a cluster has ended. Returns false if the place has no further cluster.
  bool begin_next(block_runner& one, cluster& c) {
    const auto n = places ? places->next(c.place) : std::nullopt;
    if (!n) return false;
    begin(one, c, *n, place_of(*n));
    c.state.cancel = [this, &c] { return cancel_next(c); };
    return true;
  }
  // Lets the cluster take over the work of the next cluster of its place. The next cluster counts as if it had run.
  std::optional<std::uint64_t> cancel_next(const cluster& c) {
    const auto n = places->next(c.place);
    if (!n) return {};
    for (std::atomic<std::uint64_t>* count : {&begun, &finished, &counted}) count->fetch_add(1);
    return place_of(*n);
  }
  // Begins the n-th cluster in the order. Its number in the launch is `linear`.
  void begin(block_runner& one, cluster& c, std::uint64_t n, std::uint64_t linear) {
    begun.fetch_add(1);
    c.linear = linear;
    c.state.blocks.clear();
    c.state.waiting = 0;
    c.blocks.resize(plan.cluster_blocks);
    for (std::uint32_t rank = 0; rank < plan.cluster_blocks; ++rank) {
      if (c.blocks[rank] == nullptr && plan.spare != nullptr) c.blocks[rank] = plan.spare->take();
      if (c.blocks[rank] == nullptr) c.blocks[rank] = std::make_unique<block_state>();
      block_state& block = *c.blocks[rank];
      block.order = n * plan.cluster_blocks + rank;
      one.start(block, linear, rank);
      block.cluster = &c.state;
      c.state.blocks.push_back(&block);
    }
  }
  void end(block_runner& one, const cluster& c) {
    finished.fetch_add(1);
    counted.fetch_add(1);
    one.end(1);
    if (!order) return;
    const std::lock_guard lock(ordering);
    by_class[class_of(plan.grid, c.linear)].add(c.instructions());
  }
  // Must be called when this worker begins no more blocks.
  void leave(cluster& c) {
    if (plan.spare == nullptr) return;
    for (std::unique_ptr<block_state>& b : c.blocks)
      if (b->ended) plan.spare->give_back(std::move(b));
    c.blocks.clear();
  }
  // Must be called if a worker stops at block n, because the block did not end or the budget was used up. If several
  // workers stop, the first block in the order is kept.
  void note_end(std::uint64_t n, block_runner::outcome how, const block_runner& one) {
    using outcome = block_runner::outcome;
    const std::lock_guard lock(mutex);
    if (how == outcome::stopped && n < stopped_block) {
      stopped_block = n;
      interruption = one.failure;
    } else if (how != outcome::stopped && n < failed_block) {
      failed_block = n;
      spent = how == outcome::ended || how == outcome::spent;
      failure = how == outcome::ended ? report_spent_budget(*s.l) : one.failure;
    }
  }
  void print(const cluster& c, bool failed) {
    // Cancelled clusters have no output. So if plan.places is set, all output is kept until finish(), and blocks
    // without output are not added.
    for (const auto& block : c.blocks)
      if (!places || failed || !block->printed.empty()) printed.add_block(*block, failed && block == c.blocks.back());
  }
  void end_worker(block_runner& one, const whole_counts& own) {
    if (one.reductions() != nullptr) one.reductions()->end_worker();
    const std::lock_guard lock(mutex);
    sum += own;
    add_out_of_bounds(out_of_bounds, one.out_of_bounds());
    --running;
    changed.notify_all();
  }
};

// Runs the next block until no block is left or an earlier block has failed. Blocks before the first failure still run.
void run_side_by_side(teamwork& team, const std::vector<listener*>& listeners, const block_runner::ticker& tick) {
  using outcome = block_runner::outcome;
  const launch_state& s = team.s;
  block_runner one(s, listeners, tick, {team.stop, &team.late});
  whole_counts sum;
  cluster c;
  for (;;) {
    if (team.begins_late(team.next.load())) break;
    const std::uint64_t n = team.next.fetch_add(1);
    const reduction_turn turn(one.reductions(), n);
    if (n >= team.stop_at.load()) break;
    team.begin(one, c, n);
    outcome end = outcome::waits;
    bool goes_on = true;
    do {
      do end = run_cluster(one, c, turn_of(c));
      while (end == outcome::waits);
      const whole_counts ran = c.sum();
      sum += ran;
      const bool spent = team.instructions.fetch_add(ran.warp_instructions) + ran.warp_instructions > s.l->budget;
      goes_on = end == outcome::ended && !spent;
      if (end == outcome::ended) team.end(one, c);
      team.print(c, end != outcome::stopped && !goes_on);
      if (tick && end != outcome::stopped) tick(0);
    } while (goes_on && team.begin_next(one, c));
    if (goes_on) continue;
    team.note_end(n, end, one);
    if (end == outcome::stopped) break;
    const std::lock_guard lock(team.mutex);
    team.stop_at.store(std::min(team.stop_at.load(), n));
  }
  team.leave(c);
  team.end_worker(one, sum);
}

std::array<std::uint32_t, 3> extent_of(const grid_extent& g) {
  return {static_cast<std::uint32_t>(g[0]), static_cast<std::uint32_t>(g[1]), static_cast<std::uint32_t>(g[2])};
}
std::array<std::uint32_t, 3> extent_of(const block_box& b) {
  return {b.last[0] - b.first[0] + 1, b.last[1] - b.first[1] + 1, b.last[2] - b.first[2] + 1};
}

// Runs one block of each class. After it has found the class of a block, a worker returns the rest of the box to all
// workers.
void run_classes(teamwork& team, const std::vector<listener*>& listeners, const block_runner::ticker& tick) {
  using outcome = block_runner::outcome;
  const launch_state& s = team.s;
  block_runner one(s, listeners, tick, {team.stop, &team.late});
  whole_counts sum;
  block_class found;
  one.find_class(&found);
  cluster c;
  while (const auto box = team.boxes.next()) {
    found.start(*box, (s.threads + 31) / 32, s.followed);
    const std::uint64_t linear = linear_index(box->first, s.l->grid);
    team.begin(one, c, linear, linear / team.plan.cluster_blocks);
    outcome end = outcome::waits;
    while (end == outcome::waits) end = run_cluster(one, c, turn_of(c));
    const bool all_do = s.followed == nullptr;
    const std::uint64_t times = all_do ? size_of(team.plan.grid) : found.box().blocks();
    whole_counts ran = c.sum();
    team.executed.fetch_add(ran.warp_instructions);
    if (tick) tick(0);
    if (end != outcome::ended || team.executed.load() > s.l->budget) {
      team.note_end(linear, end, one);
      sum += ran;
      team.instructions.fetch_add(ran.warp_instructions);
      team.boxes.stop();
      break;
    }
    const bool too_many = ran.warp_instructions > most_instructions / times;
    ran *= times;
    if (too_many) ran.warp_instructions = most_instructions + 1;
    sum += ran;
    team.instructions.fetch_add(ran.warp_instructions);
    team.finished.fetch_add(1);
    team.counted.fetch_add(times);
    one.end(all_do ? extent_of(team.plan.grid) : extent_of(found.box()));
    team.boxes.done(all_do ? std::vector<block_box>{} : rest_of(*box, found.box()));
  }
  team.leave(c);
  team.end_worker(one, sum);
}

void run_in_turns(teamwork& team, const std::vector<listener*>& listeners, const block_runner::ticker& tick) {
  using outcome = block_runner::outcome;
  const launch_state& s = team.s;
  const grid_plan& plan = team.plan;
  block_runner one(s, listeners, tick, {team.stop, &team.late});
  whole_counts sum;
  std::deque<std::unique_ptr<cluster>> resident;
  std::vector<std::unique_ptr<cluster>> spare;
  std::uint64_t next = 0, effects = 0, since = 0;
  // whether the time limit applies to the sample; it applies until blocks seem to wait for each other
  bool hurries = plan.time.has_value() && !plan.all_at_once;
  // If blocks wait for each other, the remaining blocks begin in the order of their numbers, because blocks wait for
  // earlier blocks. As many blocks begin as the time allows. The blocks of the sample are kept and do not run again.
  const std::uint64_t all = size_of(plan.grid);
  std::uint64_t blocks = team.turns(), left = 0, kept_waiting = 0;
  std::unordered_set<std::uint64_t> of_sample;
  const auto may_begin = [&] { return next < blocks && !(hurries && team.begins_late(next)); };
  const auto begin = [&] {
    if (spare.empty()) spare.push_back(std::make_unique<cluster>());
    if (of_sample.empty()) {
      team.begin(one, *spare.back(), next++);
    } else {
      while (of_sample.contains(left)) ++left;
      team.begin(one, *spare.back(), next++, left++);
    }
    resident.push_back(std::move(spare.back()));
    spare.pop_back();
  };
  while (plan.all_at_once && next < blocks) begin();
  const bool are_many = std::min(plan.most_resident, blocks) > most_in_cache;
  const auto length = !plan.shares_work ? block_runner::turn_length::until_wait
                      : are_many        ? block_runner::turn_length::shared
                                        : block_runner::turn_length::brief;
  // `waiting`: number of consecutive turns in which a block only read the same addresses again. `effects_told`: value
  // of one.effects() at the last call of team.idle().
  std::uint64_t waiting = 0, effects_told = 0;
  while (may_begin() || !resident.empty()) {
    if (resident.empty()) begin();
    while (plan.shares_work && !hurries && next < blocks && resident.size() < plan.most_resident + kept_waiting)
      begin();
    cluster& c = *resident.front();
    const whole_counts before = c.sum();
    const std::uint64_t looked = one.turns_that_looked(), more = one.turns_that_did_more();
    const auto end = run_cluster(one, c, length);
    if (end != outcome::waits || one.turns_that_did_more() != more)
      waiting = 0;
    else if (one.turns_that_looked() != looked)
      ++waiting;
    whole_counts ran = c.sum();
    ran -= before;
    sum += ran;
    team.instructions.store(sum.warp_instructions);
    if (tick) tick(0);
    if (end != outcome::waits || one.effects() != effects || (next < blocks && !hurries))
      effects = one.effects(), since = sum.warp_instructions;
    const bool spent = sum.warp_instructions > s.l->budget;
    const bool is_patient = sum.warp_instructions - since <= sample_patience;
    const bool stuck = plan.blocks < all && blocks < all && !is_patient && !hurries;
    if (end == outcome::ended) team.end(one, c);
    if (end == outcome::failed || end == outcome::spent || end == outcome::stopped || spent || stuck) {
      team.spent = end == outcome::spent || (end != outcome::failed && !stuck);
      if (end == outcome::stopped)
        team.interruption = one.failure;
      else if (end == outcome::failed || end == outcome::spent)
        team.failure = one.failure;
      else
        team.failure =
            stuck ? report_missing_blocks(*s.l, plan.blocks * plan.cluster_blocks) : report_spent_budget(*s.l);
      for (const auto& r : resident) team.print(*r, false);
      team.printed.finish();
      break;
    }
    if (end == outcome::ended) {
      team.print(c, false);
      if (team.begin_next(one, c)) continue;
      spare.push_back(std::move(resident.front()));
      resident.pop_front();
      continue;
    }
    if (hurries) {
      if (is_patient) continue;
      hurries = false;
      blocks = all;
      kept_waiting = resident.size();
      for (std::uint64_t n = 0; n < next; ++n) of_sample.insert(team.place_of(n));
    }
    // The new block runs first, then the blocks that have waited longest.
    std::rotate(resident.begin(), resident.begin() + 1, resident.end());
    if (next == blocks || resident.size() >= plan.most_resident + kept_waiting) {
      if (!team.idle || waiting < rounds_before_idle * resident.size()) continue;
      waiting = 0;
      const bool changed = one.effects() != effects_told;
      effects_told = one.effects();
      if (team.idle(changed)) {
        one.look_up_again();
        continue;
      }
      team.given_up = true;
      team.interruption = one.interruption(*resident.front()->blocks.front());
      for (const auto& r : resident) team.print(*r, false);
      team.printed.finish();
      break;
    }
    waiting = 0;
    begin();
    std::rotate(resident.begin(), resident.end() - 1, resident.end());
  }
  team.end_worker(one, sum);
}

}  // namespace

// The caller's thread is the first worker, and reports progress. The other workers start if the launch takes long.
grid_result run_grid(const launch_state& s, const grid_plan& plan, const launch_hooks& hooks) {
  teamwork team(s, plan, hooks);
  std::vector<std::jthread> others;
  bool asked_for_others = false;
  const auto listeners_of = [&](unsigned worker) {
    std::vector<listener*> all;
    for (const auto& make : hooks.listeners) all.push_back(make(worker));
    return all;
  };
  const auto run_all = plan.in_turns ? run_in_turns : plan.by_class ? run_classes : run_side_by_side;
  const clock::time_point begun = clock::now();
  clock::time_point told = begun;
  // number of executed instructions, including those of the block that the caller's thread is running
  std::uint64_t own = 0;
  const auto tell = [&] {
    if (hooks.progress)
      hooks.progress({team.counted.load() * plan.cluster_blocks,
                      std::max(plan.blocks, team.counted.load()) * plan.cluster_blocks,
                      std::max(own, team.instructions.load())});
  };
  const auto tick = [&](std::uint64_t instructions) {
    const clock::time_point now = clock::now();
    team.look_at_clock();
    own = instructions == 0 ? team.instructions.load() : own + instructions;
    if (!asked_for_others && plan.workers > 1 && now - begun >= alone &&
        (plan.by_class || team.next.load() < team.turns())) {
      asked_for_others = true;
      for (unsigned i = 1; i < plan.workers; ++i) {
        std::vector<listener*> listeners = listeners_of(i);
        const std::lock_guard lock(team.mutex);
        if (!start_thread(others, [&team, run_all, all = std::move(listeners)] { run_all(team, all, {}); })) break;
        ++team.running;
      }
    }
    if (!hooks.progress || now - told < between_progress) return;
    told = now;
    tell();
  };
  run_all(team, listeners_of(0), tick);
  {
    std::unique_lock lock(team.mutex);
    while (!team.changed.wait_for(lock, between_progress, [&] { return team.running == 0; })) {
      team.look_at_clock();
      tell();
    }
  }
  others.clear();
  if (team.places) team.printed.finish();
  // A failure is reported even if other blocks stopped for other reasons.
  stop_reason why = team.failure.has_value() && team.spent ? stop_reason::budget : stop_reason::none;
  if (!team.failure.has_value() && team.interruption.has_value()) {
    const bool asked = team.given_up || (hooks.stop != nullptr && hooks.stop->load() != 0);
    why = asked ? stop_reason::interrupted : stop_reason::time;
    team.failure = std::move(team.interruption);
    team.printed.finish();  // prints the output of blocks that did not end, and the output of later blocks
  }
  return {.finished = team.finished.load(),
          .begun = team.begun.load(),
          .counted = team.counted.load(),
          .sum = team.sum,
          .executed = plan.by_class ? team.executed.load() : team.sum.warp_instructions,
          .stopped = why,
          .out_of_bounds = std::move(team.out_of_bounds),
          .instructions = std::move(team.by_class),
          .failure = std::move(team.failure)};
}

}  // namespace bankwise::emulate
