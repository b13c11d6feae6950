#include "profile/race_watch.hpp"

#include <bit>
#include <cstring>

#include "profile/access_way.hpp"
#include "sass/fields/fields.hpp"
#include "sass/flow/spin_loops.hpp"

namespace bankwise {

namespace {

// The blocks that are watched, the number of accesses of each that are watched, and the number of different races that
// are kept.
constexpr std::uint64_t watched_blocks = 1;
constexpr std::uint64_t watched_accesses = std::uint64_t{1} << 13;
constexpr std::size_t most_races = 64;

bool orders_warps(const sass::instruction& i) {
  const sass::opcode_info* const info = i.info();
  if (info == nullptr) return true;
  const sass::opcode_traits& does = sass::traits_of(info->op);
  const sass::fields fields = sass::fields_of(i);
  if (const auto* const barrier = std::get_if<sass::block_barrier>(&fields))
    return barrier->kind == sass::barrier_kind::arrive || barrier->threads != 0;
  switch (info->op) {
    case sass::opcode::MEMBAR:
    case sass::opcode::NANOSLEEP_I:
    case sass::opcode::NANOSLEEP_R:
    case sass::opcode::UCGABAR_ARV:
    case sass::opcode::UCGABAR_WAIT: return true;
    default: break;
  }
  if (!sass::touches(does.space, sass::space::shared) || sass::is_generic(info->op)) return false;
  const auto* const access = std::get_if<sass::memory_access>(&fields);
  const bool answers =
      does.action == sass::action::update && (access == nullptr || access->result != sass::register_zero);
  return answers || does.action == sass::action::copy || does.action == sass::action::other;
}

// Whether the code may order warps by other means than barriers of the whole block.
bool may_order_otherwise(const cubin::program& p, const cubin::kernel& k) {
  const cubin::code_section& code = p.sections[k.section];
  const sass::isa set = sass::isa_of(p.sm);
  for (std::size_t at = 0; at + sass::instruction_bytes <= code.bytes.size(); at += sass::instruction_bytes)
    if (orders_warps(sass::load_instruction(code.bytes.data() + at, set))) return true;
  return !sass::spinning_loads(code.bytes, set).empty();
}

}  // namespace

void race_watch::on_next(const next_block& b) {
  over_ |= b.order >= watched_blocks || !b.mixes_accesses;
  if (over_ || std::exchange(looked_at_code_, true)) return;
  over_ = may_order_otherwise(program_, kernel_);
}

void race_watch::on_block(std::uint64_t block) {
  if (began_ && block == block_) return;
  of_block_.clear();
  in_doubt_ = false;
  began_ = true;
  block_ = block;
  if (over_) return;
  accesses_ = 0;
  words_.resize((shared_bytes_ + 3) / 4);
  ++epoch_;
}

// Keeps what was found in the running block.
void race_watch::end_block() {
  if (!in_doubt_)
    for (const auto& [k, s] : of_block_) {
      if (found_.size() >= most_races && !found_.contains(k)) continue;
      const auto [there, is_new] = found_.try_emplace(k, s.first);
      if (!is_new) there->second.count += s.first.count;
    }
  of_block_.clear();
  began_ = false;
}

void race_watch::on_order(const emulate::ordering& o) {
  using kind = emulate::order_kind;
  if (over_) return;
  switch (o.kind) {
    case kind::meet:
    case kind::sync:
    case kind::product_read:
    case kind::product_end:
    case kind::product_wait:
    case kind::forget_l1:
    case kind::ended: return;
    case kind::arrive:
    case kind::leave: in_doubt_ |= !o.of_all; return;
    case kind::open:
      in_doubt_ |= !o.of_all;
      ++epoch_;
      return;
    case kind::end: return end_block();
    default: in_doubt_ = true;
  }
}

void race_watch::on_access(const emulate::shared_access& a) {
  if (over_ || in_doubt_ || a.what.mask == 0) return;
  if (++accesses_ > watched_accesses) {
    end_block();
    over_ = true;
    return;
  }
  const operation& op = a.what.op;
  const bool reads = way_of(op.kind) == access_way::read;
  const bool adds = (op.kind == op_kind::atomic && !op.returns) || op.kind == op_kind::increment;
  if (!reads && !adds && op.kind != op_kind::store && op.kind != op_kind::stmatrix) {
    in_doubt_ = true;
    return;
  }
  const std::uint32_t own_begin = kernel_.reserved_shared_bytes;
  std::uint32_t mask = addressing_lanes(a.what), last = ~0u;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t at = a.what.address[lane];
    if (reads && at == last) continue;  // many lanes often load the same word
    last = at;
    if (at < own_begin || at > shared_bytes_ || shared_bytes_ - at < op.width_bytes) continue;
    const stamp now{a.pc, epoch_, static_cast<std::uint16_t>(a.warp * 32 + lane), static_cast<std::uint8_t>(a.warp)};
    if (op.width_bytes < 4) {
      words_[at / 4].doubtful = epoch_;
      continue;
    }
    for (std::uint32_t i = 0; i < op.width_bytes; i += 4) {
      word& w = words_[(at + i) / 4];
      if (reads) {
        read(w, now, at + i);
        continue;
      }
      const bool is_same = knows_values_ && op.kind == op_kind::store && a.data[i / 4] != nullptr &&
                           std::memcmp(a.shared + at + i, a.data[i / 4] + lane, 4) == 0;
      if (!is_same) write(w, now, at + i, adds);
    }
  }
}

inline void race_watch::read(word& w, const stamp& now, std::uint32_t address) {
  if (w.write.epoch == epoch_ && w.write.warp != now.warp) report(hazard_kind::read_after_write, w.write, now, address);
  if (w.read.epoch != epoch_) {
    w.read = now;
    w.other_read.epoch = 0;
  } else if (w.read.warp != now.warp && w.other_read.epoch != epoch_) {
    w.other_read = now;
  }
}

// `adds`: whether the access is an atomic without a result. Such atomics do not race with each other.
void race_watch::write(word& w, const stamp& now, std::uint32_t address, bool adds) {
  for (const stamp* r : {&w.read, &w.other_read})
    if (r->epoch == epoch_ && r->warp != now.warp) {
      report(hazard_kind::write_after_read, *r, now, address);
      break;
    }
  // Several warps may write the same value on purpose.
  if (w.write.epoch == epoch_ && w.write.warp != now.warp && !adds) w.doubtful = epoch_;
  w.write = now;
}

void race_watch::report(hazard_kind kind, const stamp& first, const stamp& second, std::uint32_t address) {
  if (words_[address / 4].doubtful == epoch_) return;
  auto& [s, last] = of_block_[{kind, hazard_cause::no_order, first.pc, second.pc}];
  if (std::exchange(last, accesses_) == accesses_) return;
  if (s.count++ == 0) s = {1, block_, first.thread, second.thread, address};
}

void race_watch::add(const race_watch& other) {
  for (const auto& [k, from] : other.found_) {
    hazard_checker::seen& to = found_[k];
    const std::uint64_t count = to.count + from.count;
    if (to.count == 0 || from.block < to.block) to = from;
    to.count = count;
  }
}

}  // namespace bankwise
