#include "profile/sample_collector.hpp"

#include "profile/sites.hpp"

namespace bankwise {

namespace {

// Returns the function `each` for block_samples. It visits the counts of all instructions of a collector.
auto each_site(sample_collector& c) {
  return [&c](auto take) {
    for (const auto& [pc, t] : c.tallies()) {
      if (t.generic && t.shared_executed == 0 && t.async.kind == async_kind::none)
        continue;  // the instruction does not access shared memory
      take(pc, counts_of(t));
    }
  };
}

using tallies_of = const std::map<std::uint64_t, global_tally>& (global_collector::*)();
auto each_global_site(global_collector& c, tallies_of kind) {
  return [&c, kind](auto take) {
    for (const auto& [pc, t] : (c.*kind)()) take(pc, static_cast<const global_counts&>(t));
  };
}

}  // namespace

sample_collector::sample_collector(const machine& on, std::uint64_t code_begin, std::uint64_t code_bytes,
                                   const std::array<std::uint32_t, 3>& grid,
                                   const std::array<std::uint32_t, 3>& cluster)
    : collector(on, code_begin, code_bytes), blocks_(grid, cluster) {}

void sample_collector::on_block(std::uint64_t block) {
  collector::on_block(block);
  blocks_.on_block(block, each_site(*this));
}

void sample_collector::on_block_end(std::uint64_t times) { blocks_.on_block_end(times, each_site(*this)); }

void sample_collector::add(sample_collector& other) {
  collector::add(other);
  blocks_.add(other.blocks_);
}

void sample_collector::estimate(site& s, std::uint64_t pc) const {
  const std::uint64_t counted = s.executed;
  s.within = blocks_.estimate_all(s, pc);
  if (counted != 0) scale(s.again, s.executed, counted);
}

global_sample_collector::global_sample_collector(std::uint64_t code_begin, std::uint64_t code_bytes,
                                                 const std::array<std::uint32_t, 3>& grid,
                                                 const std::array<std::uint32_t, 3>& cluster)
    : global_collector(code_begin, code_bytes),
      global_blocks_(grid, cluster),
      local_blocks_(grid, cluster),
      texel_blocks_(grid, cluster) {}

emulate::wanted_events global_sample_collector::wants() const {
  emulate::wanted_events all = global_collector::wants();
  all.block_ends = true;
  return all;
}

void global_sample_collector::on_block(std::uint64_t block) {
  global_blocks_.on_block(block, each_global_site(*this, &global_collector::global));
  local_blocks_.on_block(block, each_global_site(*this, &global_collector::local));
  texel_blocks_.on_block(block, each_global_site(*this, &global_collector::texels));
  global_collector::on_block(block);
}

void global_sample_collector::on_block_end(std::uint64_t times) {
  global_blocks_.on_block_end(times, each_global_site(*this, &global_collector::global));
  local_blocks_.on_block_end(times, each_global_site(*this, &global_collector::local));
  texel_blocks_.on_block_end(times, each_global_site(*this, &global_collector::texels));
}

void global_sample_collector::add(global_sample_collector& other) {
  global_collector::add(other);
  global_blocks_.add(other.global_blocks_);
  local_blocks_.add(other.local_blocks_);
  texel_blocks_.add(other.texel_blocks_);
}

void global_sample_collector::estimate(global_site& s, std::uint64_t pc) const {
  const auto& blocks = is_global(s.kind) ? global_blocks_ : is_local(s.kind) ? local_blocks_ : texel_blocks_;
  s.within = blocks.estimate_all(s, pc);
}

std::vector<interval> global_sample_collector::intervals() const {
  return global_blocks_.intervals_of(global_blocks_.launch());
}

}  // namespace bankwise
