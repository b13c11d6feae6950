#include "profile/cluster_races.hpp"

#include <algorithm>
#include <bit>

#include "sass/fields/fields.hpp"
#include "sass/flow/spin_loops.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_cluster_races = 256;

// An access: `arrivals` of its thread before it.
struct cluster_access {
  std::uint64_t pc = 0;
  std::uint32_t arrivals = 0;
  std::uint16_t thread = 0;
  std::uint8_t rank = 0;
  bool is_there = false, is_atomic = false;
};

// The last write to a byte, and the last reads by two blocks.
struct shared_byte {
  cluster_access write, read[2];
};

}  // namespace

struct cluster_race_checker::cluster_state {
  struct block {
    std::vector<shared_byte> bytes;
    std::vector<std::uint32_t> arrivals, waits;  // of each thread
    // For each instruction of other blocks that has accessed this block's memory: its last access.
    std::map<std::uint64_t, std::pair<cluster_access, std::uint32_t>> visits;  // with the address
  };
  std::vector<block> blocks;
  std::uint32_t ended = 0;
};

bool cluster_race_checker::applies_to(const emulate::launch& l) {
  const auto [x, y, z] = emulate::cluster_of(l);
  if (x * y * z <= 1) return false;
  const cubin::code_section& code = l.program->sections[l.kernel->section];
  const sass::isa set = sass::isa_of(l.program->sm);
  for (std::size_t at = 0; at + sass::instruction_bytes <= code.bytes.size(); at += sass::instruction_bytes) {
    const sass::instruction i = sass::load_instruction(code.bytes.data() + at, set);
    const sass::opcode_info* const info = i.info();
    if (info == nullptr) return false;
    const sass::opcode_traits& does = sass::traits_of(info->op);
    const bool is_mbarrier = sass::touches(does.space, sass::space::shared) && !sass::is_generic(info->op) &&
                             does.action == sass::action::other;
    if (is_mbarrier) return false;
  }
  return sass::spinning_loads(code.bytes, set).empty();
}

cluster_race_checker::cluster_race_checker(const emulate::launch& l, std::uint32_t shared_bytes,
                                           std::uint32_t reserved_bytes)
    : grid_(l.grid),
      cluster_(emulate::cluster_of(l)),
      threads_(l.block[0] * l.block[1] * l.block[2]),
      ranks_(cluster_[0] * cluster_[1] * cluster_[2]),
      shared_bytes_(shared_bytes),
      reserved_bytes_(reserved_bytes) {}

cluster_race_checker::~cluster_race_checker() = default;

cluster_race_checker::place cluster_race_checker::place_of(std::uint64_t block) const {
  const auto& [x, y, z] = cluster_;
  const std::uint64_t wide = grid_[0], high = grid_[1];
  const std::uint64_t bx = block % wide, by = block / wide % high, bz = block / wide / high;
  return {(bz / z * (high / y) + by / y) * (wide / x) + bx / x,
          static_cast<std::uint32_t>((bz % z * y + by % y) * x + bx % x)};
}

std::uint64_t cluster_race_checker::block_of(const place& p) const {
  const auto& [x, y, z] = cluster_;
  const std::uint64_t wide = grid_[0], high = grid_[1], columns = wide / x, rows = high / y;
  const std::uint64_t bx = p.cluster % columns * x + p.rank % x, by = p.cluster / columns % rows * y + p.rank / x % y,
                      bz = p.cluster / columns / rows * z + p.rank / x / y;
  return (bz * high + by) * wide + bx;
}

cluster_race_checker::cluster_state& cluster_race_checker::state_of(const place& p) {
  std::unique_ptr<cluster_state>& state = clusters_[p.cluster];
  if (state == nullptr) {
    state = std::make_unique<cluster_state>();
    state->blocks.resize(ranks_);
    for (cluster_state::block& b : state->blocks) {
      b.bytes.resize(shared_bytes_);
      b.arrivals.resize(threads_);
      b.waits.resize(threads_);
    }
  }
  return *state;
}

void cluster_race_checker::report(const key& k, const seen& s) {
  if (found_.size() >= most_cluster_races && !found_.contains(k)) return;
  const auto [there, is_new] = found_.try_emplace(k, s);
  if (!is_new) ++there->second.count;
}

void cluster_race_checker::examine(way how, std::uint32_t rank, std::uint32_t address, std::uint32_t bytes,
                                   std::uint32_t thread, std::uint64_t pc) {
  const place at = place_of(block_);
  cluster_state& c = state_of(at);
  if (rank >= ranks_ || thread >= threads_ || address < reserved_bytes_ || address > shared_bytes_ ||
      shared_bytes_ - address < bytes)
    return;
  const cluster_state::block& by = c.blocks[at.rank];
  cluster_state::block& of = c.blocks[rank];
  const cluster_access now{
      pc,   by.arrivals[thread], static_cast<std::uint16_t>(thread), static_cast<std::uint8_t>(at.rank),
      true, how == way::update};
  if (rank != at.rank) of.visits[pc] = {now, address};
  bool is_told = false;
  const auto judge = [&](hazard_kind kind, const cluster_access& first) {
    if (is_told || !first.is_there || first.rank == at.rank || (first.is_atomic && now.is_atomic)) return;
    if (by.waits[thread] > first.arrivals) return;
    is_told = true;
    const std::uint64_t of_cluster = at.cluster;
    report({kind, first.pc, pc}, {1, block_of({of_cluster, first.rank}), block_, block_of({of_cluster, rank}),
                                  first.thread, thread, address});
  };
  for (std::uint32_t i = address; i < address + bytes; ++i) {
    shared_byte& b = of.bytes[i];
    if (how == way::read) {
      judge(hazard_kind::read_after_write, b.write);
      (b.read[0].is_there && b.read[0].rank != at.rank ? b.read[1] : b.read[0]) = now;
    } else {
      judge(hazard_kind::write_after_write, b.write);
      for (const cluster_access& r : b.read) judge(hazard_kind::write_after_read, r);
      b = {now, {}};
    }
  }
}

void cluster_race_checker::on_access(const emulate::shared_access& a) {
  const operation& op = a.what.op;
  std::uint32_t mask = a.what.mask;
  if (op.matrices != 0 && op.matrices < 4) mask &= (1U << 8 * op.matrices) - 1;
  const way how = op.kind == op_kind::load || op.kind == op_kind::ldmatrix ? way::read
                  : op.kind == op_kind::store || op.kind == op_kind::stmatrix || op.kind == op_kind::copy_async ||
                          op.kind == op_kind::copy_async_cg
                      ? way::write
                      : way::update;
  const std::uint32_t rank = place_of(block_).rank;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(m));
    examine(how, rank, a.what.address[lane], op.width_bytes, a.warp * 32 + lane, a.pc);
  }
}

void cluster_race_checker::on_order(const emulate::ordering& o) {
  using kind = emulate::order_kind;
  const auto each_thread = [&](auto f) {
    for (std::uint32_t m = o.lanes; m != 0; m &= m - 1)
      if (const std::uint32_t t = o.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(m)); t < threads_) f(t);
  };
  switch (o.kind) {
    case kind::release:
    case kind::acquire:
      if (o.number == emulate::cluster_barrier) {
        const place at = place_of(block_);
        cluster_state::block& b = state_of(at).blocks[at.rank];
        each_thread([&](std::uint32_t t) { ++(o.kind == kind::release ? b.arrivals : b.waits)[t]; });
      }
      break;
    case kind::remote_read:
    case kind::remote_write:
    case kind::remote_update: {
      const way how = o.kind == kind::remote_read ? way::read : o.kind == kind::remote_write ? way::write : way::update;
      each_thread([&](std::uint32_t t) { examine(how, o.rank, o.number, o.bytes, t, o.pc); });
      break;
    }
    case kind::end: end_block(); break;
    default: break;
  }
}

// Other blocks must have used the block's memory before its threads ended.
void cluster_race_checker::end_block() {
  const place at = place_of(block_);
  cluster_state& c = state_of(at);
  const cluster_state::block& b = c.blocks[at.rank];
  const std::uint32_t waits = b.waits.empty() ? 0 : *std::max_element(b.waits.begin(), b.waits.end());
  for (const auto& [pc, visit] : b.visits)
    if (const auto& [s, address] = visit; s.arrivals >= waits) {
      const std::uint64_t visitor = block_of({at.cluster, s.rank});
      report({hazard_kind::ended_block, pc, pc}, {1, visitor, visitor, block_, s.thread, s.thread, address});
    }
  if (++c.ended == ranks_) clusters_.erase(at.cluster);
}

void cluster_race_checker::add(const cluster_race_checker& other) {
  for (const auto& [k, from] : other.found_) {
    const auto [there, is_new] = found_.try_emplace(k, from);
    if (is_new) continue;
    seen& to = there->second;
    const std::uint64_t count = to.count + from.count;
    if (from.second_block < to.second_block) to = from;
    to.count = count;
  }
}

}  // namespace bankwise
