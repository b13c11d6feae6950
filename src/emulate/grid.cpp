#include "emulate/grid.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "emulate/block_runner.hpp"
#include "emulate/printed_output.hpp"

namespace bankwise::emulate {

namespace {

// What the workers of a launch come to together.
struct tally {
  explicit tally(const launch_hooks& hooks) : printed(hooks) {}

  std::atomic<std::uint64_t> finished{0}, instructions{0}, threads{0};
  printed_output printed;
  std::mutex mutex;  // of what follows
  std::condition_variable changed;
  unsigned running = 0;
  std::uint64_t failed_block = ~std::uint64_t{0};
  std::optional<fault_report> failure;

  void end_worker(const block_runner& one) {
    threads.fetch_add(one.thread_instructions());
    const std::lock_guard lock(mutex);
    --running;
    changed.notify_all();
  }
};

// The block that is the n-th to begin: n, or with a seed another, each once. A Feistel network permutes a power of four,
// and is walked until it leads below `blocks`.
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

// Takes the next block until there is none, or one before it has failed: blocks before the first that failed still run.
void run_side_by_side(const launch_state& s, std::uint64_t blocks, std::atomic<std::uint64_t>& next,
                      std::atomic<std::uint64_t>& stop_at, listener* events, tally& sum) {
  block_runner one(s, events);
  block_state block;
  for (;;) {
    const std::uint64_t number = next.fetch_add(1);
    if (number >= stop_at.load()) break;
    one.start(block, in_order(number, s.l->seed, blocks));
    block.position = number;
    const bool ok = one.run(block, false) == block_runner::outcome::ended;
    const bool spent = sum.instructions.fetch_add(block.instructions) + block.instructions > s.l->budget;
    sum.finished.fetch_add(1);
    sum.printed.add(block, !ok || spent);
    if (ok && !spent) continue;
    const std::lock_guard lock(sum.mutex);
    if (number < sum.failed_block) {
      sum.failed_block = number;
      sum.failure = ok ? report_spent_budget(*s.l) : one.failure;
    }
    stop_at.store(std::min(stop_at.load(), number));
  }
  sum.end_worker(one);
}

void run_in_turns(const launch_state& s, const grid_plan& plan, listener* events, tally& sum) {
  block_runner one(s, events);
  std::deque<std::unique_ptr<block_state>> resident;
  std::vector<std::unique_ptr<block_state>> spare;
  std::uint64_t next = 0;
  const auto begin = [&] {
    if (spare.empty()) spare.push_back(std::make_unique<block_state>());
    one.start(*spare.back(), in_order(next, s.l->seed, plan.blocks));
    spare.back()->position = next++;
    resident.push_back(std::move(spare.back()));
    spare.pop_back();
  };
  while (plan.all_at_once && next < plan.blocks) begin();
  while (next < plan.blocks || !resident.empty()) {
    if (resident.empty()) begin();
    block_state& block = *resident.front();
    const std::uint64_t before = block.instructions;
    const auto end = one.run(block, true);
    const std::uint64_t ran = block.instructions - before;
    const bool spent = sum.instructions.fetch_add(ran) + ran > s.l->budget;
    if (end == block_runner::outcome::failed || spent) {
      sum.failure = end == block_runner::outcome::failed ? one.failure : report_spent_budget(*s.l);
      for (const auto& b : resident) sum.printed.add(*b, false);
      sum.printed.finish();
      break;
    }
    if (end == block_runner::outcome::ended) {
      sum.printed.add(block, false);
      spare.push_back(std::move(resident.front()));
      resident.pop_front();
      sum.finished.fetch_add(1);
      continue;
    }
    // The new one first, then those that have waited longest.
    std::rotate(resident.begin(), resident.begin() + 1, resident.end());
    if (next == plan.blocks || resident.size() >= plan.most_resident) continue;
    begin();
    std::rotate(resident.begin(), resident.end() - 1, resident.end());
  }
  sum.end_worker(one);
}

}  // namespace

grid_result run_grid(const launch_state& s, const grid_plan& plan, const launch_hooks& hooks) {
  tally sum(hooks);
  sum.running = plan.workers;
  std::atomic<std::uint64_t> next{0}, stop_at{plan.blocks};
  {
    std::vector<std::jthread> pool;
    for (unsigned i = 0; i < plan.workers; ++i) {
      listener* events = hooks.make_listener ? hooks.make_listener(i) : nullptr;
      if (plan.in_turns)
        pool.emplace_back([&, events] { run_in_turns(s, plan, events, sum); });
      else
        pool.emplace_back([&, events] { run_side_by_side(s, plan.blocks, next, stop_at, events, sum); });
    }
    std::unique_lock lock(sum.mutex);
    while (!sum.changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return sum.running == 0; }))
      if (hooks.progress) hooks.progress(sum.finished.load(), plan.blocks);
  }
  return {sum.instructions.load(), sum.threads.load(), std::move(sum.failure)};
}

}  // namespace bankwise::emulate
