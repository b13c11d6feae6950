#include "timing/trace/trace_recorder.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include "bankwise/asynchronous_cost.hpp"
#include "bankwise/wavefronts.hpp"
#include "rule/clocks.hpp"
#include "sass/fields/fields.hpp"
#include "sass/instruction.hpp"

namespace bankwise::timing {

namespace {

memory_action action_of(op_kind k) {
  switch (k) {
    case op_kind::load:
    case op_kind::ldmatrix: return memory_action::load;
    case op_kind::store:
    case op_kind::stmatrix: return memory_action::store;
    case op_kind::copy_async:
    case op_kind::copy_async_cg: return memory_action::copy;
    default: return memory_action::update;
  }
}
memory_action action_of(global_kind k) {
  switch (k) {
    case global_kind::load:
    case global_kind::local_load:
    case global_kind::texture_read:
    case global_kind::surface_load: return memory_action::load;
    case global_kind::store:
    case global_kind::local_store:
    case global_kind::surface_store: return memory_action::store;
    case global_kind::atomic:
    case global_kind::reduction:
    case global_kind::surface_reduction: return memory_action::update;
    case global_kind::copy: return memory_action::copy;
  }
  return memory_action::load;
}

// The lines that the lanes of an access touch, in the order of the lanes.
struct accessed_lines {
  std::array<line_sectors, 256> all;  // 32 lanes with up to 8 words
  std::array<line_bytes, 32> bytes;   // of each line, if it is global memory
  std::size_t count = 0;

  // Adds words of a stack. The next word of a lane is in the next line.
  void add_words(const std::array<std::uint64_t, 32>& address, std::uint32_t mask, unsigned words) {
    for (; mask != 0; mask &= mask - 1)
      for (unsigned w = 0; w < words; ++w) {
        const std::uint64_t at = address[std::countr_zero(mask)] + w * 128;
        all[place_of(at / 128)] |= std::uint64_t{1} << at / 32 % 4;
      }
  }
  // Adds `width` bytes of each lane, which are in one sector.
  void add_bytes(const std::array<std::uint64_t, 32>& address, std::uint32_t mask, unsigned width) {
    const std::uint64_t own = ~std::uint64_t{0} >> (64 - std::clamp(width, 1u, 64u));
    std::uint64_t line = address[std::countr_zero(mask)] / 128;
    line_bytes now{};
    const auto add_line = [&] {
      const std::size_t k = place_of(line);
      for (unsigned sector = 0; sector < 4; ++sector)
        if ((now.bits[sector / 2] >> sector % 2 * 32 & 0xffffffff) != 0) all[k] |= std::uint64_t{1} << sector;
      bytes[k].add(now);
      now = {};
    };
    for (; mask != 0; mask &= mask - 1) {
      const std::uint64_t at = address[std::countr_zero(mask)];
      if (at / 128 != line) {
        add_line();
        line = at / 128;
      }
      const std::uint64_t is_upper = std::uint64_t{0} - (at / 64 % 2), bits = own << at % 64;
      now.bits[0] |= bits & ~is_upper;
      now.bits[1] |= bits & is_upper;
    }
    add_line();
  }

 private:
  std::size_t place_of(std::uint64_t line) {
    for (std::size_t k = count != 0 && line > highest_ ? 0 : count; k != 0; --k)
      if (line_number(all[k - 1]) == line) return k - 1;
    highest_ = std::max(highest_, line);
    all[count] = line << 4;
    if (count < bytes.size()) bytes[count] = {};
    return count++;
  }
  std::uint64_t highest_ = 0;  // the highest of the lines
};

// Returns the address that most lanes access, and the number of these lanes.
struct wanted_word {
  std::uint64_t address = 0;
  std::uint8_t lanes = 0;
};
wanted_word most_wanted(const std::uint64_t* address, std::uint32_t mask) {
  std::array<std::uint64_t, 32> sorted;
  std::size_t n = 0;
  for (; mask != 0; mask &= mask - 1) sorted[n++] = address[std::countr_zero(mask)];
  std::sort(sorted.begin(), sorted.begin() + n);
  wanted_word most;
  for (std::size_t i = 0, first = 0; i < n; ++i) {
    if (sorted[i] != sorted[first]) first = i;
    if (i - first + 1 > most.lanes) most = {sorted[i], static_cast<std::uint8_t>(i - first + 1)};
  }
  return most;
}

// Returns the number of requests that an atomic sends to L2. There is one request for each sector, with one lane for
// each word. If several lanes access a word, additional requests are necessary.
unsigned update_requests(const std::uint64_t* address, std::uint32_t mask) {
  std::array<std::uint64_t, 32> sorted;
  std::size_t n = 0;
  for (; mask != 0; mask &= mask - 1) sorted[n++] = address[std::countr_zero(mask)];
  std::sort(sorted.begin(), sorted.begin() + n);
  unsigned all = 0, of_sector = 0, of_word = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool same_sector = i != 0 && sorted[i] / 32 == sorted[i - 1] / 32;
    of_word = i != 0 && sorted[i] == sorted[i - 1] ? of_word + 1 : 1;
    if (!same_sector) all += std::exchange(of_sector, 0);
    of_sector = std::max(of_sector, of_word);
  }
  return all + of_sector;
}

// Whether the lanes of a store of bytes or halves together write every byte of each accessed word.
bool fills_words(const access& a) {
  std::array<std::uint64_t, 32> bytes;  // a word, and which of its bytes are stored
  std::size_t n = 0;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t at = a.address[std::countr_zero(rest)], word = at / 4;
    const std::uint64_t part = ((1u << a.op.width_bytes) - 1u) << at % 4 & 15;
    std::size_t i = 0;
    while (i < n && bytes[i] >> 4 != word) ++i;
    if (i == n) bytes[n++] = word << 4;
    bytes[i] |= part;
  }
  return std::all_of(bytes.begin(), bytes.begin() + n, [](std::uint64_t b) { return (b & 15) == 15; });
}

// Calls a function with each line of the bytes: the sectors that they touch, and the bytes of the line.
template <class F>
void each_line(const emulate::copied_bytes& b, F f) {
  const std::uint64_t end = b.address + b.bytes;
  for (std::uint64_t line = b.address / 128; line * 128 < end; ++line) {
    const std::uint64_t from = std::max(b.address, line * 128), to = std::min(end, line * 128 + 128),
                        first = from / 32 % 4, last = (to - 1) / 32 % 4;
    line_bytes bytes{};
    bytes.add(static_cast<unsigned>(from % 128), static_cast<unsigned>(to - from));
    f(line << 4 | ((2u << last) - (1u << first)), bytes);
  }
}

}  // namespace

trace_recorder::trace_recorder(const cubin::program& p, const emulate::device_memory& memory, const bank_model& banks,
                               trace_limits limits, launch_trace& to)
    : program_(p), memory_(memory), cost_of_(banks), banks_(banks), limits_(std::move(limits)), to_(to) {
  to_.sharing_warps = 1;
  to_.lanes_share = false;
}

bool is_of_host(const emulate::region& r) {
  return !r.in_device_pages && reinterpret_cast<std::uintptr_t>(r.data) == r.address;
}

// Whether an address is in memory of the host.
bool trace_recorder::is_of_host(std::uint64_t address) {
  if (address >= region_begin_ && address < region_end_) return region_is_of_host_;
  const emulate::region* const r = memory_.find(address);
  if (r == nullptr) return false;
  region_begin_ = r->address;
  region_end_ = r->address + r->bytes;
  region_is_of_host_ = timing::is_of_host(*r);
  return region_is_of_host_;
}

std::uint32_t trace_recorder::code_at(std::uint64_t pc) {
  if (pc < section_begin_ || pc >= section_end_) {
    const auto n = program_.section_at(pc);
    if (!n) return 0;
    const cubin::code_section& s = program_.sections[*n];
    section_begin_ = s.address;
    section_end_ = s.address + s.bytes.size();
    const auto [at, is_new] = sections_.try_emplace(*n, static_cast<std::uint32_t>(to_.code.size()));
    section_code_ = at->second;
    if (is_new) {
      const sass::isa set = sass::isa_of(program_.sm);
      for (std::size_t i = 0; i + sass::instruction_bytes <= s.bytes.size(); i += sass::instruction_bytes) {
        const sass::instruction one = sass::load_instruction(s.bytes.data() + i, set);
        to_.code.push_back({s.address + i, one.low, one.high});
      }
    }
  }
  return section_code_ + static_cast<std::uint32_t>((pc - section_begin_) / sass::instruction_bytes);
}

void trace_recorder::on_block(std::uint64_t block) {
  const auto [at, is_new] = kept_.try_emplace(block);
  block_ = &at->second;
  if (!is_new) return;
  block_->is_whole = limits_.whole.contains(block);
  if (block_->is_whole) {
    block_->number = to_.blocks.size();
    to_.blocks.emplace_back().linear = block;
    to_.blocks.back().warps.resize((to_.threads() + 31) / 32);
    block_->turns.resize(to_.blocks.back().warps.size());
  }
  block_->touching = static_cast<std::uint32_t>(to_.touching.size());
  to_.touching.push_back(block);
}

bool trace_recorder::has_enough_of_block() const {
  if (block_ == nullptr || limits_.instructions_a_block == 0) return false;
  constexpr std::uint64_t lines_like_an_instruction = 8;
  const std::uint64_t recorded = block_->instructions + block_->copied_lines / lines_like_an_instruction;
  return std::max(recorded, block_->waited) >= limits_.instructions_a_block;
}

void trace_recorder::touch(line_sectors l, const line_bytes& bytes, memory_action does, bool of_host) {
  const auto now = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_->instructions, ~0u));
  const bool is_full = block_->lines.size() >= limits_.touched_lines;
  const auto at = is_full ? block_->lines.find(line_number(l)) : block_->lines.try_emplace(line_number(l)).first;
  if (at == block_->lines.end()) {
    block_->full_at = std::min(block_->full_at, block_->instructions);
    return;
  }
  line_of_block& line = at->second;
  const bool stores = does == memory_action::store;
  line.at = std::min(line.at, now);
  if (!stores) line.read.add(bytes.without(line.written));
  if (stores || does == memory_action::update) line.written.add(bytes);
  if (of_host) return;
  const unsigned fresh = sectors_of(l) & ~line.sectors;
  if (fresh == 0 || to_.touched.size() >= limits_.touched_lines) return;
  line.sectors |= fresh;
  to_.touched.push_back({(l & ~std::uint64_t{15}) | fresh, block_->touching, now, stores});
}

std::uint64_t trace_recorder::instructions_of_last() const { return block_ == nullptr ? 0 : block_->instructions; }

memory_of_block trace_recorder::memory_of_last() const {
  if (block_ == nullptr) return {};
  const bool is_full = block_->full_at < block_->instructions;
  return {to_.touching[block_->touching], is_full ? block_->full_at : block_->instructions,
          is_full || !has_ended_ || has_enough_of_block(), &block_->lines};
}

void trace_recorder::on_access(const emulate::shared_access& a) {
  if (block_ == nullptr || !block_->is_whole || (a.generic && a.what.mask == 0)) return;
  end_copy();
  const cost c = is_copy(a.what.op.kind) ? analyze(a.what, a.from, banks_) : cost_of_(a.what);
  traced_access& t = to_.accesses.emplace_back();
  t.code = code_at(a.pc);
  t.space = memory_space::shared;
  t.does = action_of(a.what.op.kind);
  t.wavefronts = static_cast<std::uint16_t>(a.refused ? refused_wavefronts(a.what.op.kind) : c.wavefronts);
  t.bytes = a.what.op.width_bytes;
  if (t.does == memory_action::store && t.bytes < 4) t.same_word = fills_words(a.what) ? 0 : 1;
  if (to_.sharing_warps < limits_.warps || !to_.lanes_share) use_words(a.what, t.does);
}

void trace_recorder::use_words(const access& a, memory_action does) {
  constexpr std::size_t most_words = std::size_t{1} << 20;
  const bool writes = does != memory_action::load;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((a.mask >> lane & 1) == 0) continue;
    const std::size_t first = a.address[lane] / 4,
                      last = (a.address[lane] + std::max<u32>(1, a.op.width_bytes) - 1) / 4;
    if (last > most_words) continue;
    if (last >= block_->words.size()) block_->words.resize(last + 1);
    for (std::size_t i = first; i <= last; ++i) {
      kept_block::word_use& use = block_->words[i];
      if (use.warp == 0) use.warp = static_cast<std::uint16_t>(warp_ + 1), use.lane = static_cast<std::uint8_t>(lane);
      const bool is_exchanged = use.is_written || writes, is_of_warp = use.warp == warp_ + 1;
      if (is_exchanged && !is_of_warp) to_.sharing_warps = group_with(to_.sharing_warps, use.warp - 1u, warp_);
      to_.lanes_share |= is_exchanged && (!is_of_warp || use.lane != lane);
      use.is_written |= writes;
    }
  }
}

// Products of warp groups are not recorded, because their cost follows from the instruction alone.
void trace_recorder::on_async(const emulate::async_event& e) {
  if (block_ == nullptr || !e.done) return;
  end_copy();
  to_.sharing_warps = most_warps_of_block;
  to_.lanes_share = true;
  async_pc_ = e.pc;
  met_.clear();
  const bool copies = e.what.kind == async_kind::bulk_copy || e.what.kind == async_kind::tensor_copy;
  copy_stores_ = copies && !e.what.to_shared;
  if (!block_->is_whole || e.what.kind == async_kind::wgmma) return;
  traced_access& t = to_.accesses.emplace_back();
  t.code = code_at(e.pc);
  t.space = copies ? memory_space::bulk : memory_space::asynchronous;
  t.does = copy_stores_ ? memory_action::store : memory_action::load;
  t.wavefronts = static_cast<std::uint16_t>(std::min<std::uint64_t>(analyze(e.what).page_wavefronts, 0xffff));
  t.first_line = static_cast<std::uint32_t>(to_.lines.size());
  copies_ = copies;
}

void trace_recorder::on_copied(const emulate::copied_bytes& b) {
  if (block_ == nullptr || b.bytes == 0) return;
  if (b.prefetch != 0) return prefetch(b);
  each_line(b, [&](line_sectors l, const line_bytes& bytes) {
    touch(l, bytes, copy_stores_ ? memory_action::store : memory_action::load, false);
    if (copies_) block_->copied_lines += add_line(to_.accesses.back(), l);
  });
}

// Adds a line to the last access. Returns the number of new lines: 0 if the line was the last one.
unsigned trace_recorder::add_line(traced_access& t, line_sectors l) {
  if (t.lines != 0 && line_number(to_.lines.back()) == line_number(l)) {
    to_.lines.back() |= l;
    return 0;
  }
  if (t.lines == 0xffff) return 0;
  to_.lines.push_back(l);
  ++t.lines;
  return 1;
}

// Records a prefetch. Each lane of the instruction, or each row of its box, is reported on its own. The hardware ignores
// addresses without memory.
void trace_recorder::prefetch(const emulate::copied_bytes& b) {
  if (memory_.find(b.address) == nullptr || is_of_host(b.address)) return;
  end_copy();
  each_line(b, [&](line_sectors l, const line_bytes&) {
    touch(l, {}, memory_action::load, false);  // what a prefetch brings is needed only if it is read
    if (!block_->is_whole) return;
    const std::uint32_t code = code_at(b.prefetch);
    const bool is_first = to_.accesses.size() == first_pending_ || to_.accesses.back().code != code;
    traced_access& t = is_first ? to_.accesses.emplace_back() : to_.accesses.back();
    if (is_first) {
      t.code = code;
      t.space = memory_space::global;
      t.does = b.to_l1 ? memory_action::load : memory_action::prefetch;
      t.wavefronts = 1;
      t.first_line = static_cast<std::uint32_t>(to_.lines.size());
    }
    add_line(t, l);
  });
}

// Ends the record of a bulk copy. Its mbarrier follows its lines.
void trace_recorder::end_copy() {
  if (!std::exchange(copies_, false)) return;
  if (!copy_stores_) to_.lines.push_back(copy_tells_);
  copy_tells_ = launch_trace::no_mbarrier;
}

void trace_recorder::on_order(const emulate::ordering& o) {
  const bool arrives = o.kind == emulate::order_kind::release || o.kind == emulate::order_kind::complete;
  if (block_ == nullptr || !block_->is_whole || (!arrives && o.kind != emulate::order_kind::acquire)) return;
  if (async_pc_ == no_pc) return;  // it is the barrier of a cluster, which no instruction of an mbarrier uses
  std::uint32_t& arrivals = block_->arrivals[o.number];
  if (copies_) {
    if (arrives && copy_tells_ == launch_trace::no_mbarrier) {
      copy_tells_ = o.number;
      ++arrivals;
    }
    return;
  }
  // The lanes of a warp arrive together.
  if (std::find(met_.begin(), met_.end(), o.number) != met_.end()) return;
  met_.push_back(o.number);
  if (arrives) ++arrivals;
  traced_access& t = to_.accesses.emplace_back();
  t.code = code_at(async_pc_);
  t.space = memory_space::mbarrier;
  t.does = arrives ? memory_action::store : memory_action::load;
  t.lines = 1;
  t.first_line = static_cast<std::uint32_t>(to_.lines.size());
  to_.lines.push_back(std::uint64_t{o.number} | (arrives ? 0 : std::uint64_t{arrivals} << 32));
}

void trace_recorder::on_global(const emulate::global_access_event& e) {
  if (block_ == nullptr || e.mask == 0) return;
  end_copy();
  const bool local = is_local(e.kind);
  const bool of_host = !local && is_of_host(e.address[std::countr_zero(e.mask)]);
  const memory_action does = action_of(e.kind);
  // In local memory, the words of neighbouring lanes are next to each other.
  constexpr std::uint64_t local_base = std::uint64_t{1} << 52, local_warp = std::uint64_t{1} << 28;
  std::array<std::uint64_t, 32> address;
  const std::uint64_t own = local_base + ((std::uint64_t{limits_.number} + block_->touching) * 64 + warp_) * local_warp;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t at = e.address[i];
    address[i] = local ? own + at / 4 * 128 + at % 4 + i * 4 : at;
  }
  const unsigned words = local ? std::max(1u, e.width_bytes / 4) : 1;
  accessed_lines lines;
  if (local)
    lines.add_words(address, e.mask, words);
  else
    lines.add_bytes(address, e.mask, e.width_bytes);
  for (std::size_t i = 0; i < lines.count && !local; ++i) touch(lines.all[i], lines.bytes[i], does, of_host);
  if (!block_->is_whole) return;
  traced_access& t = to_.accesses.emplace_back();
  t.code = code_at(e.pc);
  t.space = local ? memory_space::local : of_host ? memory_space::host : memory_space::global;
  t.does = does;
  t.bytes = static_cast<std::uint8_t>(e.width_bytes);
  t.lines = static_cast<std::uint16_t>(lines.count);
  t.first_line = static_cast<std::uint32_t>(to_.lines.size());
  to_.lines.insert(to_.lines.end(), lines.all.begin(), lines.all.begin() + lines.count);
  access banks;
  // This is an assumption: an access of 32 bytes costs as much as two accesses of 16 bytes.
  const std::uint32_t width = std::min(e.width_bytes, 16u);
  banks.op = does == memory_action::store ? st(width) : ld(width);
  banks.mask = e.mask;
  for (std::uint32_t part = 0; part < e.width_bytes && !local; part += width) {
    for (unsigned i = 0; i < 32; ++i) banks.address[i] = static_cast<std::uint32_t>(address[i]) + part;
    t.wavefronts = static_cast<std::uint16_t>(t.wavefronts + cost_of_(banks).wavefronts);
  }
  if (local) t.wavefronts = static_cast<std::uint16_t>(words);
  if (does != memory_action::update) return;
  const wanted_word most = most_wanted(address.data(), e.mask);
  t.same_word = most.lanes;
  to_.lines.push_back(launch_trace::wanted(most.address, update_requests(address.data(), e.mask)));
}

// Whether an instruction can read what other blocks store while the warp runs. Such an instruction is a volatile load,
// or a load with the scope of the GPU or the system.
bool trace_recorder::reads_anew(std::uint32_t code) const {
  if (code >= to_.code.size()) return false;
  const traced_code& c = to_.code[code];
  const sass::fields f = sass::fields_of({c.low, c.high, sass::isa_of(program_.sm)});
  const auto* const m = std::get_if<sass::memory_access>(&f);
  return m != nullptr && m->strong;
}

std::optional<sass::opcode> trace_recorder::opcode_of(std::uint32_t code) const {
  if (code >= to_.code.size()) return std::nullopt;
  const traced_code& c = to_.code[code];
  const sass::opcode_info* const info = sass::instruction{c.low, c.high, sass::isa_of(program_.sm)}.info();
  return info == nullptr ? std::nullopt : std::optional(info->op);
}

// Whether a warp is in a loop that waits until another block stores a value. The last `runs` runs of the warp must
// equal the same number of runs before them. They must only read memory, and at least one load must see the stores of
// other blocks. A loop without such a load does not wait. It may read a different word of the same sector in each
// iteration, because the trace contains only sectors. The iterations of a waiting loop are not recorded, because their
// number depends on the time of the other block's store. The same holds for a loop that tests an mbarrier in vain. A
// successful test has one more access.
bool trace_recorder::waits_again(const traced_warp& w, std::size_t runs) const {
  if (w.runs.size() < 2 * runs) return false;
  const traced_run* const now = &w.runs[w.runs.size() - runs];
  bool reads = false;
  for (std::size_t i = 0; i < runs; ++i) {
    const traced_run &a = now[i], &b = now[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(runs)];
    if (a.code != b.code || a.count != b.count || a.lanes != b.lanes || a.accesses != b.accesses) return false;
    for (std::uint32_t k = 0; k < a.accesses; ++k) {
      const traced_access &x = to_.accesses[a.first_access + k], &y = to_.accesses[b.first_access + k];
      if (x.code != y.code || x.space != y.space) return false;
      if (x.space == memory_space::sleep) continue;
      if (x.space == memory_space::asynchronous && opcode_of(x.code) == sass::opcode::SYNCS_PHASECHK) {
        reads = true;
        continue;
      }
      if (x.space != memory_space::global || x.does != memory_action::load || x.lines != 1 || y.lines != 1 ||
          to_.lines[x.first_line] != to_.lines[y.first_line])
        return false;
      reads = reads || reads_anew(x.code);
    }
  }
  return reads;
}

// Drops the accesses of a run from the trace, because a warp may wait for millions of iterations. Keeps them if
// accesses of other warps follow.
void trace_recorder::drop_accesses(const traced_run& r) {
  if (r.accesses == 0 || std::size_t{r.first_access} + r.accesses != to_.accesses.size()) return;
  const std::size_t first_line = to_.accesses[r.first_access].first_line;
  if (first_line + r.accesses == to_.lines.size())
    to_.lines.resize(first_line);  // one line for each access, because waits_again requires it
  to_.accesses.resize(r.first_access);
}

bool trace_recorder::is_indirect(std::uint32_t code) {
  const auto [it, is_new] = is_indirect_.try_emplace(code, false);
  if (is_new) {
    const auto op = opcode_of(code);
    it->second = op == sass::opcode::BRX || op == sass::opcode::BRXU;
  }
  return it->second;
}

// Adds the turn of an indirect branch for which these lanes waited.
void trace_recorder::add_turn(traced_block& b, traced_warp& w, std::uint32_t lanes) {
  const auto turn = turns_of_warp().begin(lanes);
  if (!turn) return;
  w.runs.push_back({turn->code, 1, first_pending_, 0, static_cast<std::uint16_t>(std::popcount(turn->lanes))});
  ++w.instructions;
  ++b.instructions;
  ++block_->instructions;
}

void trace_recorder::on_sleep(std::uint64_t pc, std::uint32_t nanoseconds) {
  if (block_ == nullptr || !block_->is_whole) return;
  end_copy();
  traced_access& t = to_.accesses.emplace_back();
  t.code = code_at(pc);
  t.space = memory_space::sleep;
  t.lines = 1;
  t.first_line = static_cast<std::uint32_t>(to_.lines.size());
  to_.lines.push_back(nanoseconds);
}

void trace_recorder::forget_accesses() {
  to_.accesses.clear();
  to_.lines.clear();
  first_pending_ = 0;
}

void trace_recorder::on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) {
  if (block_ == nullptr || count == 0) return;
  end_copy();
  block_->instructions += count;
  const auto accesses = static_cast<std::uint32_t>(to_.accesses.size());
  if (block_->is_whole) {
    traced_block& b = to_.blocks[block_->number];
    b.instructions += count;
    traced_warp& w = b.warps[warp_ < b.warps.size() ? warp_ : 0];
    add_turn(b, w, lanes);
    w.instructions += count;
    w.runs.push_back({code_at(pc), static_cast<std::uint32_t>(count), first_pending_,
                      static_cast<std::uint16_t>(std::min<std::uint32_t>(accesses - first_pending_, 0xffff)),
                      static_cast<std::uint16_t>(std::popcount(lanes))});
    if (const std::uint32_t last = w.runs.back().code + w.runs.back().count - 1; is_indirect(last))
      turns_of_warp().jump(last, lanes);
    constexpr std::size_t longest_wait = 4;  // limit of runs in one iteration of the waiting loop
    for (std::size_t n = 1; n <= longest_wait; ++n) {
      if (!waits_again(w, n)) continue;
      for (std::size_t i = 0; i < n; ++i, w.runs.pop_back()) {
        w.instructions -= w.runs.back().count;
        b.instructions -= w.runs.back().count;
        block_->instructions -= w.runs.back().count;
        block_->waited += w.runs.back().count;
        drop_accesses(w.runs.back());
      }
      break;
    }
    b.is_cut = has_enough_of_block();
  }
  first_pending_ = static_cast<std::uint32_t>(to_.accesses.size());
}

}  // namespace bankwise::timing
