#include "profile/cluster_races.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "sass/fields/fields.hpp"
#include "sass/flow/spin_loops.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_cluster_races = 256;

constexpr std::uint32_t page_bytes = 1024;

// An access: `arrivals` of its thread before it.
struct cluster_access {
  std::uint32_t site = 0, arrivals = 0;
  std::uint16_t thread = 0;
  std::uint8_t rank = 0;
  bool is_there : 1 = false, is_atomic : 1 = false;
};

// The last write to a byte, the last one that is not atomic, and the last reads by two blocks.
struct shared_byte {
  cluster_access write, plain, read[2];
};
using shared_page = std::array<shared_byte, page_bytes>;

}  // namespace

struct cluster_race_checker::cluster_state {
  struct block {
    std::vector<std::unique_ptr<shared_page>> pages;  // null if no byte was accessed
    std::vector<std::uint32_t> arrivals, waits;       // of each thread
    // For each instruction of other blocks that has accessed this block's memory: its access that came last.
    std::map<std::uint32_t, std::pair<cluster_access, std::uint32_t>> visits;  // with the address

    shared_byte& at(std::uint32_t address) {
      std::unique_ptr<shared_page>& page = pages[address / page_bytes];
      if (page == nullptr) page = std::make_unique<shared_page>();
      return (*page)[address % page_bytes];
    }
  };
  std::vector<block> blocks;
  std::uint32_t ended = 0;
};

bool cluster_race_checker::applies_to(const emulate::launch& l) {
  const auto [x, y, z] = emulate::cluster_of(l);
  if (x * y * z <= 1) return false;
  const sass::isa set = sass::isa_of(l.program->sm);
  std::vector<std::uint32_t> sections = l.program->function_sections();
  sections.push_back(l.kernel->section);
  for (const std::uint32_t n : sections) {
    const cubin::code_section& code = l.program->sections[n];
    for (std::size_t at = 0; at + sass::instruction_bytes <= code.bytes.size(); at += sass::instruction_bytes) {
      const sass::instruction i = sass::load_instruction(code.bytes.data() + at, set);
      const sass::opcode_info* const info = i.info();
      if (info == nullptr) return false;
      const sass::opcode_traits& does = sass::traits_of(info->op);
      const bool is_mbarrier = sass::touches(does.space, sass::space::shared) && !sass::is_generic(info->op) &&
                               does.action == sass::action::other;
      const sass::fields fields = sass::fields_of(i);
      const auto* const access = std::get_if<sass::memory_access>(&fields);
      const bool looks_at_others = access != nullptr && access->strong && does.action == sass::action::load;
      if (is_mbarrier || looks_at_others) return false;
    }
    if (!sass::spinning_loads(code.bytes, set).empty()) return false;
  }
  return true;
}

cluster_race_checker::cluster_race_checker(const emulate::launch& l, std::uint32_t shared_bytes,
                                           std::uint32_t reserved_bytes, const atomic_parts& parts)
    : grid_(l.grid),
      cluster_(emulate::cluster_of(l)),
      parts_(parts),
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

void cluster_race_checker::on_block(std::uint64_t block) {
  block_ = block;
  at_ = place_of(block);
  running_ = nullptr;
}

cluster_race_checker::cluster_state& cluster_race_checker::running() {
  if (running_ != nullptr) return *running_;
  std::unique_ptr<cluster_state>& state = clusters_[at_.cluster];
  if (state == nullptr) {
    state = std::make_unique<cluster_state>();
    state->blocks.resize(ranks_);
    for (cluster_state::block& b : state->blocks) {
      b.pages.resize(shared_bytes_ / page_bytes + 1);
      b.arrivals.resize(threads_);
      b.waits.resize(threads_);
    }
  }
  return *(running_ = state.get());
}

std::uint32_t cluster_race_checker::site_of(std::uint64_t pc) {
  const auto [at, is_new] = numbers_.try_emplace(pc, static_cast<std::uint32_t>(sites_.size()));
  if (is_new) sites_.push_back(pc);
  return at->second;
}

// The example of a race is that of the lowest blocks, whichever worker has found it first.
void cluster_race_checker::join(seen& to, const seen& from) {
  const std::uint64_t count = to.count + from.count;
  if (to.count == 0 || std::tuple(from.second_block, from.first_block) < std::tuple(to.second_block, to.first_block))
    to = from;
  to.count = count;
}

void cluster_race_checker::report(const key& k, const seen& s) {
  if (found_.size() < most_cluster_races || found_.contains(k)) join(found_[k], s);
}

void cluster_race_checker::examine(way how, std::uint32_t rank, std::uint32_t address, std::uint32_t bytes,
                                   std::uint32_t thread, std::uint64_t pc) {
  cluster_state& c = running();
  if (rank >= ranks_ || thread >= threads_ || address < reserved_bytes_ || address > shared_bytes_ ||
      shared_bytes_ - address < bytes)
    return;
  if (how == way::update && parts_.writes.contains(pc)) how = way::write;
  const cluster_state::block& by = c.blocks[at_.rank];
  cluster_state::block& of = c.blocks[rank];
  cluster_access now;
  now.site = site_of(pc);
  now.arrivals = by.arrivals[thread];
  now.thread = static_cast<std::uint16_t>(thread);
  now.rank = static_cast<std::uint8_t>(at_.rank);
  now.is_there = true;
  now.is_atomic = how == way::update || (how == way::read && parts_.loads.contains(pc));
  if (rank != at_.rank)
    if (auto& [last, where] = of.visits[now.site]; !last.is_there || now.arrivals >= last.arrivals)
      last = now, where = address;
  bool is_told = false;
  const auto judge = [&](hazard_kind kind, const cluster_access& first) {
    if (is_told || !first.is_there || first.rank == at_.rank || (first.is_atomic && now.is_atomic)) return;
    if (by.waits[thread] > first.arrivals) return;
    is_told = true;
    report({kind, sites_[first.site], pc}, {1, block_of({at_.cluster, first.rank}), block_,
                                            block_of({at_.cluster, rank}), first.thread, thread, address});
  };
  for (std::uint32_t i = address; i < address + bytes; ++i) {
    shared_byte& b = of.at(i);
    const cluster_access& written = b.write.is_atomic && now.is_atomic ? b.plain : b.write;
    if (how == way::read) {
      judge(hazard_kind::read_after_write, written);
      cluster_access& kept = !b.read[0].is_there || b.read[0].rank == at_.rank   ? b.read[0]
                             : !b.read[1].is_there || b.read[1].rank == at_.rank ? b.read[1]
                             : b.read[0].arrivals < b.read[1].arrivals           ? b.read[0]
                                                                                 : b.read[1];
      if (!kept.is_there || now.arrivals >= kept.arrivals) kept = now;
    } else {
      judge(hazard_kind::write_after_write, written);
      for (const cluster_access& r : b.read) judge(hazard_kind::write_after_read, r);
      if (!now.is_atomic) b.plain = now;
      b.write = now;
      b.read[0] = b.read[1] = {};
    }
  }
}

void cluster_race_checker::on_access(const emulate::shared_access& a) {
  for (std::uint32_t m = addressing_lanes(a.what); m != 0; m &= m - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(m));
    examine(way_of(a.what.op.kind), at_.rank, a.what.address[lane], a.what.op.width_bytes, a.warp * 32 + lane, a.pc);
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
        cluster_state::block& b = running().blocks[at_.rank];
        each_thread([&](std::uint32_t t) { ++(o.kind == kind::release ? b.arrivals : b.waits)[t]; });
      }
      break;
    case kind::open:
      if (o.of_all) {
        std::vector<std::uint32_t>& waits = running().blocks[at_.rank].waits;
        if (!waits.empty()) std::fill(waits.begin(), waits.end(), *std::max_element(waits.begin(), waits.end()));
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
  cluster_state& c = running();
  const cluster_state::block& b = c.blocks[at_.rank];
  const std::uint32_t waits = b.waits.empty() ? 0 : *std::max_element(b.waits.begin(), b.waits.end());
  for (const auto& [site, visit] : b.visits)
    if (const auto& [s, address] = visit; s.arrivals >= waits) {
      const std::uint64_t visitor = block_of({at_.cluster, s.rank}), pc = sites_[site];
      report({hazard_kind::ended_block, pc, pc}, {1, visitor, visitor, block_, s.thread, s.thread, address});
    }
  if (++c.ended != ranks_) return;
  clusters_.erase(at_.cluster);
  running_ = nullptr;
}

void cluster_race_checker::add(const cluster_race_checker& other) {
  for (const auto& [k, from] : other.found_) join(found_[k], from);
}

}  // namespace bankwise
