#include "profile/collect.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>

#include "profile/arrays.hpp"
#include "profile/hazards.hpp"
#include "sass/basic_blocks.hpp"
#include "sass/print.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_inside = std::size_t{1} << 16;  // warps in a loop around a compare-and-swap

// True if the second access is the first, shifted by whole rows of banks.
bool same_pattern(const access& a, const access& b, u32 row_bytes) {
  if (a.op != b.op || a.mask != b.mask || a.mask == 0) return false;
  u32 first = 0;
  while ((a.mask >> first & 1) == 0) ++first;
  const u32 shift = b.address[first] - a.address[first];
  if (shift % row_bytes != 0) return false;
  u32 differ = 0;
  if (a.mask == full_mask) {
    for (u32 i = 0; i < lanes_per_warp; ++i) differ |= b.address[i] - a.address[i] - shift;
  } else {
    for (u32 i = 0; i < lanes_per_warp; ++i) differ |= (b.address[i] - a.address[i] - shift) & (0u - (a.mask >> i & 1));
  }
  return differ == 0;
}

// Whether two copies of the same pattern cost the same for their sources: the same, shifted by whole lines.
bool same_source(const copy_source& a, const copy_source& b, u32 mask) {
  if (a.may_fill != b.may_fill || ((a.reads ^ b.reads) & mask) != 0) return false;
  mask &= a.reads;
  u32 first = 0;
  while (first < lanes_per_warp && (mask >> first & 1) == 0) ++first;
  if (first == lanes_per_warp) return true;
  const u32 shift = b.address[first] - a.address[first];
  u32 differ = shift % detail::line_bytes;
  for (u32 i = first; i < lanes_per_warp; ++i) differ |= (b.address[i] - a.address[i] - shift) & (0u - (mask >> i & 1));
  return differ == 0;
}

// What is above the floor first, then what is slow anyway.
bool is_worse(const cost& a, const cost& b) {
  const u32 above_a = a.wavefronts - a.reachable, above_b = b.wavefronts - b.reachable;
  return above_a != above_b ? above_a > above_b : a.wavefronts > b.wavefronts;
}

// Adds what a pattern came to since it was counted last.
void count(counts& sum, collector::tally::pattern& p) {
  sum.wavefronts += p.times * p.value.wavefronts;
  sum.ideal += p.times * p.value.ideal;
  sum.reachable += p.times * p.value.reachable;
  sum.ncu_wavefronts += p.times * p.page.wavefronts;
  sum.ncu_ideal += p.times * p.page.ideal;
  sum.layout_floor += p.times * p.floor;
  // The floor of a copy past L1 is of no pipe's time.
  sum.best_cycles +=
      p.times * std::min(p.value.cycles, std::max({p.floor, p.value.passes, detail::return_floor(p.what.op)}));
  sum.passes += p.times * p.value.passes;
  sum.cycles += p.times * p.value.cycles;
  p.times = 0;
}

collector::tally::pattern price(const access& a, const machine& on) {
  collector::tally::pattern p;
  p.what = a;
  p.value = analyze(a, on.model);
  p.page = source_page(a, p.value, on.model);
  p.floor = detail::shares(a.op.kind) ? p.value.reachable : layout_floor(a, on.model);
  return p;
}

// Sources from the beginning of the first line that is read; 0 for lanes that do not read.
void count_from_first_line(copy_source& from, u32 mask) {
  from.reads &= mask;
  u32 first = ~0u;
  for (u32 i = 0; i < lanes_per_warp; ++i)
    if ((from.reads >> i & 1) != 0) first = std::min(first, from.address[i] / detail::line_bytes * detail::line_bytes);
  for (u32 i = 0; i < lanes_per_warp; ++i) from.address[i] = (from.reads >> i & 1) != 0 ? from.address[i] - first : 0;
}

// What the sources of a copy add.
void add_source(collector::tally::pattern& p, const copy_source& from, const machine& on) {
  p.from = from;
  p.value = analyze(p.what, from, on.model);
  p.page = source_page(p.what, from, p.value, on.model);
  p.floor = p.what.op.kind == op_kind::copy_async_cg ? p.value.reachable
                                                     : std::max(p.floor, source_floor(p.what, from, on.model));
}

void keep_worst(collector::tally& t, const collector::tally::pattern& p, std::uint64_t block) {
  if (t.has_worst && !is_worse(p.value, t.worst_cost)) return;
  t.worst = p.what;
  t.worst_from = p.from;
  t.worst_cost = p.value;
  t.worst_block = block;
  t.has_worst = true;
}

// A warp comes into the loop around a compare-and-swap.
collector::tally::entry enter(const access& a, const bank_model& m) {
  collector::tally::entry e;
  e.pending = a.mask;
  const u32 size = detail::phase_lanes(a, m);
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    u32 queue = 0, crowd = 0;
    for (u32 j = 0; j < lanes_per_warp; ++j) {
      if ((a.mask >> i & a.mask >> j & 1) == 0) continue;
      queue += a.address[i] == a.address[j] ? 1 : 0;
      const auto bank_of = [&](u32 lane) { return a.address[lane] / m.bank_bytes % m.banks; };
      crowd += i / size == j / size && bank_of(i) == bank_of(j) ? 1 : 0;
    }
    e.queue = std::max(e.queue, queue);
    e.crowd = std::max(e.crowd, crowd);
  }
  if (a.op.kind != op_kind::cas_spin) e.crowd = 0;  // it serves all lanes
  return e;
}

// And out of it.
void leave(retries& r, const collector::tally::entry& e) {
  if (e.rounds == 0) return;
  const u32 by_queue = std::min(e.rounds, e.queue), by_crowd = std::min(e.rounds, std::max(e.queue, e.crowd));
  ++r.entries;
  r.rounds += e.rounds;
  r.queued += by_queue - 1;
  r.conflicting += by_crowd - by_queue;
  r.contended += e.rounds - by_crowd;
  r.most = std::max<std::uint64_t>(r.most, e.rounds);
}

// Of shared memory, for one execution by one warp.
std::uint64_t bytes_of(const async_operation& o) {
  const async_cost cost = analyze(o);
  return o.kind == async_kind::wgmma ? cost.bank_reads * 4 / warps_per_group : (cost.bank_reads + cost.bank_writes) * 4;
}

// What a site is and costs that did `done` times what is no access.
void judge(site& s, const async_operation& o, std::uint64_t done, const machine& on) {
  s.async = o;
  s.async.bytes = 0;
  s.op.spelling = spell(o.kind);
  s.rule = on.async_rules->by_group[static_cast<u32>(group_of(o.kind))];
  const async_cost cost = analyze(o);
  const std::uint64_t warps = o.kind == async_kind::wgmma ? warps_per_group : 1;
  const auto all = [&](std::uint64_t one) { return (done * one + warps - 1) / warps; };
  s.wavefronts = s.ideal = s.reachable = s.layout_floor = all(cost.page_wavefronts);
  s.ncu_wavefronts = s.ncu_ideal = s.wavefronts;
  s.passes = all(cost.tensor_cycles);
  s.cycles = s.best_cycles = std::max(s.wavefronts, s.passes);
  s.worst_cost.wavefronts = s.worst_cost.reachable = cost.page_wavefronts;
}

// An instruction that touches shared memory whatever its operands are.
bool is_shared(const sass::instruction& i) {
  using op = sass::opcode;
  const sass::opcode_info* info = i.info();
  if (info == nullptr) return false;
  switch (info->op) {
    case op::LDS:
    case op::STS:
    case op::STS_U:
    case op::LDSM:
    case op::STSM:
    case op::ATOMS:
    case op::ATOMS_U:
    case op::ATOMS_CAS:
    case op::ATOMS_CAST:
    case op::ATOMS_POPC:
    case op::LDGSTS:
    case op::HGMMA:
    case op::QGMMA:
    case op::IGMMA:
    case op::BGMMA:
    case op::UBLKCP:
    case op::UBLKRED:
    case op::UTMALDG:
    case op::UTMALDG_U:
    case op::UTMASTG:
    case op::UTMAREDG:
    case op::STAS:
    case op::REDAS: return true;
    default: return false;
  }
}

// Those of the kernel's own code that are not among `sites`.
std::vector<code_place> not_executed(const cubin::program& p, const cubin::kernel& k,
                                           const std::vector<site>& sites) {
  std::set<std::uint64_t> executed;
  for (const site& s : sites)
    if (s.function.empty()) executed.insert(s.pc);
  const cubin::code_section& code = p.sections[k.section];
  std::vector<code_place> list;
  for (std::uint64_t pc = 0; pc + cubin::instruction_bytes <= k.code_bytes; pc += cubin::instruction_bytes) {
    const std::uint64_t at = k.offset + pc;
    if (executed.contains(pc) || at + cubin::instruction_bytes > code.bytes.size()) continue;
    const sass::instruction i = sass::load_instruction(code.bytes.data() + at, sass::isa_of(p.sm));
    if (!is_shared(i)) continue;
    code_place& idle = list.emplace_back();
    idle.pc = pc;
    idle.sass = sass::to_text(i, pc);
    if (const auto place = p.source_of(k.section, at)) {
      idle.file = place->file;
      idle.line = place->line;
    }
  }
  return list;
}

std::array<std::uint32_t, 3> split_index(std::uint64_t n, const std::array<std::uint32_t, 3>& extent) {
  return {static_cast<std::uint32_t>(n % extent[0]), static_cast<std::uint32_t>(n / extent[0] % extent[1]),
          static_cast<std::uint32_t>(n / extent[0] / extent[1])};
}

code_place place_of(const emulate::launch& l, std::uint64_t address) {
  const cubin::program& p = *l.program;
  code_place place;
  const auto n = p.section_at(address);
  if (!n) return place;
  const cubin::code_section& in = p.sections[*n];
  const std::uint64_t pc = address - in.address;
  place.pc = pc;
  if (*n == l.kernel->section)
    place.pc -= l.kernel->offset;
  else
    place.function = cubin::function_of(in);
  place.sass = sass::to_text(sass::load_instruction(in.bytes.data() + pc, sass::isa_of(p.sm)), place.pc);
  if (const auto source = p.source_of(*n, pc)) {
    place.file = source->file;
    place.line = source->line;
  }
  return place;
}

// The declared array at an offset of the kernel's own shared memory; empty: not known.
std::string array_at(const std::optional<declared_arrays>& declared, std::uint64_t static_bytes, std::uint64_t offset) {
  if (!declared) return {};
  if (offset >= static_bytes) return declared->dynamic.size() == 1 ? declared->dynamic[0] : std::string();
  if (!declared->is_placed || declared->fixed_bytes != static_bytes) return {};
  for (const declared_array& a : declared->fixed)
    if (offset >= a.begin && offset - a.begin < a.bytes) return a.name;
  return {};
}

std::vector<hazard> hazards_of(const emulate::launch& l, const hazard_checker& checker) {
  const auto declared = read_declarations(*l.program, l.kernel->mangled);
  std::vector<hazard> list;
  for (const auto& [key, seen] : checker.found()) {
    const auto& [kind, first, second] = key;
    hazard& h = list.emplace_back();
    h.kind = kind;
    h.first = {place_of(l, first), split_index(seen.first_thread, l.block)};
    h.second = {place_of(l, second), split_index(seen.second_thread, l.block)};
    h.count = seen.count;
    h.block = split_index(seen.block, l.grid);
    h.offset = seen.address - l.kernel->reserved_shared_bytes;
    h.array = array_at(declared, l.kernel->static_shared_bytes, h.offset);
  }
  return list;
}

access_direction direction_of(const std::string& verb) {
  return verb == "reads"    ? access_direction::read
         : verb == "writes" ? access_direction::write
                            : access_direction::update;
}

std::vector<out_of_bounds_access> out_of_bounds_of(const emulate::launch& l,
                                                   const emulate::out_of_bounds_accesses& found) {
  std::vector<out_of_bounds_access> list;
  for (const auto& [pc, a] : found)
    list.push_back({direction_of(a.verb), place_of(l, pc), a.bytes, a.count, a.lanes, a.block, a.thread, a.warp, a.lane,
                    a.address, a.nearest, a.trail});
  return list;
}

}  // namespace

collector::collector(const machine& on, std::uint64_t code_begin, std::uint64_t code_bytes,
                     std::optional<access_trace> trace)
    : on_(on),
      row_bytes_(std::uint32_t{on.model.banks} * std::max(on.model.row_bytes, on.model.bank_bytes)),
      code_begin_(code_begin),
      trace_(std::move(trace)),
      by_index_(code_bytes / cubin::instruction_bytes) {}

collector::tally& collector::tally_of(std::uint64_t pc) {
  const std::uint64_t index = (pc - code_begin_) / cubin::instruction_bytes;
  if (index >= by_index_.size()) return tallies_[pc];
  if (by_index_[index] == nullptr) by_index_[index] = &tallies_[pc];
  return *by_index_[index];
}

void collector::on_access(const emulate::shared_access& a) {
  tally& t = tally_of(a.pc);
  ++t.executed;
  t.lanes += a.lanes;
  t.op = a.what.op;
  t.generic = a.generic;
  if (a.what.mask == 0) return;
  if (a.generic) {
    ++t.shared_executed;
    t.shared_lanes += detail::count_bits(a.what.mask);
  }
  if (trace_) {
    if (t.kept == nullptr) t.kept = &trace_->at(a.pc);
    trace_->record(*t.kept, a.what);
  }
  const tally::pattern& before = t.recent[t.last];
  if (!same_pattern(before.what, a.what, row_bytes_) ||
      (is_copy(a.what.op.kind) && !same_source(before.from, a.from, a.what.mask)))
    judge(t, a);
  ++t.recent[t.last].times;
}

void collector::on_async(const emulate::async_event& e) {
  tally& t = tally_of(e.pc);
  ++t.executed;
  t.lanes += e.lanes;
  t.async = e.what;
  if (!e.done) return;
  ++t.async_done;
  t.bytes += bytes_of(e.what);
  if (!trace_) return;
  if (t.kept == nullptr) t.kept = &trace_->at(e.pc);
  for (const auto& range : e.touched) trace_->touch(*t.kept, range.begin, range.end);
}

void collector::on_swap(const emulate::shared_access& a, std::uint32_t stored) {
  if (a.what.mask == 0) return;
  tally& t = tally_of(a.pc);
  if (t.inside.size() == most_inside) {  // warps that never tried again
    for (const auto& [warp, e] : t.inside) leave(t.again, e);
    t.inside.clear();
  }
  tally::entry& e = t.inside[{block_, a.warp}];
  if ((a.what.mask & ~e.pending) != 0) {
    leave(t.again, e);
    e = enter(a.what, on_.model);
  }
  ++e.rounds;
  e.pending &= ~stored;
  if (e.pending != 0) return;
  leave(t.again, e);
  t.inside.erase({block_, a.warp});
}

// Makes the pattern of the access the last one.
void collector::judge(tally& t, const emulate::shared_access& event) {
  const access& a = event.what;
  const bool copies = is_copy(a.op.kind);
  constexpr auto places = static_cast<unsigned>(std::tuple_size_v<decltype(t.recent)>);
  for (unsigned back = 1; back < places; ++back) {
    const unsigned i = (t.last + back) % places;
    if (!same_pattern(t.recent[i].what, a, row_bytes_) ||
        (copies && !same_source(t.recent[i].from, event.from, a.mask)))
      continue;
    t.last = i;
    return;
  }
  t.last = (t.last + 1) % places;
  tally::pattern& p = t.recent[t.last];
  count(t, p);
  p = price(a, on_);
  if (copies) add_source(p, event.from, on_);
  keep_worst(t, p, block_);
}

void collector::tally::add(const access& a, const copy_source* from, std::uint64_t times, std::uint64_t block,
                           const machine& on) {
  pattern p = price(a, on);
  if (from != nullptr) add_source(p, *from, on);
  p.times = times;
  keep_worst(*this, p, block);
  count(*this, p);
}

const std::map<std::uint64_t, collector::tally>& collector::tallies() {
  for (auto& [pc, t] : tallies_) {
    for (tally::pattern& p : t.recent) count(t, p);
    for (const auto& [warp, e] : t.inside) leave(t.again, e);
    t.inside.clear();
  }
  return tallies_;
}

void collector::add(collector& other) {
  if (trace_ && other.trace_) trace_->add(*other.trace_);
  for (const auto& [pc, from] : other.tallies()) {
    tally& to = tallies_[pc];
    if (from.op.width_bytes != 0) to.op = from.op;
    if (from.async.kind != async_kind::none) to.async = from.async;
    to.async_done += from.async_done;
    to.generic |= from.generic;
    to += from;
    to.again += from.again;
    // Of equals the one from the first block, so that the number of workers does not show.
    if (!from.has_worst) continue;
    const bool take = !to.has_worst || is_worse(from.worst_cost, to.worst_cost) ||
                      (!is_worse(to.worst_cost, from.worst_cost) && from.worst_block < to.worst_block);
    if (!take) continue;
    to.worst = from.worst;
    to.worst_from = from.worst_from;
    to.worst_cost = from.worst_cost;
    to.worst_block = from.worst_block;
    to.has_worst = true;
  }
}

launch_report begin_report(const cubin::kernel& k, const std::array<std::uint32_t, 3>& grid,
                           const std::array<std::uint32_t, 3>& block, std::uint32_t dynamic_shared_bytes) {
  launch_report r;
  r.kernel = k.full_name;
  r.name = k.name;
  r.mangled = k.mangled;
  r.grid = grid;
  r.block = block;
  r.static_shared_bytes = k.static_shared_bytes;
  r.dynamic_shared_bytes = dynamic_shared_bytes;
  r.registers = k.registers;
  return r;
}

std::vector<std::uint64_t> add_sites(launch_report& r, const cubin::program& p, const cubin::kernel& k,
                                     const machine& on, const std::map<std::uint64_t, collector::tally>& seen) {
  std::vector<std::pair<site, std::uint64_t>> found;  // with their device addresses
  for (const auto& [pc, t] : seen) {
    // A generic access that was never in shared memory is none of it.
    if (t.generic && t.shared_executed == 0 && t.async.kind == async_kind::none) continue;
    site s;
    s.again = t.again;
    for (std::uint32_t n = 0; n < p.sections.size(); ++n) {
      const cubin::code_section& in = p.sections[n];
      if (pc < in.address || pc >= in.address + in.bytes.size()) continue;
      s.pc = pc - in.address;
      const sass::instruction i = sass::load_instruction(in.bytes.data() + s.pc, sass::isa_of(p.sm));
      if (n == k.section)
        s.pc -= k.offset;
      else
        s.function = cubin::function_of(in);
      s.sass = sass::to_text(i, s.pc);
      if (const auto place = p.source_of(n, pc - in.address)) {
        s.file = place->file;
        s.line = place->line;
        s.outer_file = place->outer_file;
        s.outer_line = place->outer_line;
      }
      s.ptx_line = p.ptx_line_of(n, pc - in.address);
      if (goes_round(s))
        if (const auto loop = sass::loop_around(in.bytes, sass::isa_of(p.sm), pc - in.address)) {
          const std::uint64_t begin = pc - in.address - s.pc;
          s.again.loop_begin = loop->first - begin;
          s.again.loop_end = loop->second - begin;
        }
      break;
    }
    s += t;
    s.generic = t.generic;
    s.executed_at_least = t.executed_at_least;
    if (t.op.width_bytes != 0) {
      s.op.op = t.op;
      s.op.spelling = spell(t.op);
      s.rule = on.rules->by_group[static_cast<u32>(group_of(t.op))];
    } else {
      judge(s, t.async, t.async_done, on);
    }
    if (r.scaled) {
      scale(s, blocks_of(r.grid), r.ctas_executed);
      scale(s.again, blocks_of(r.grid), r.ctas_executed);
    }
    if (is_access(s)) {
      s.worst = t.worst;
      s.worst_from = t.worst_from;
      s.worst_cost = t.worst_cost;
    }
    // The kernel's own shared memory begins behind what the system reserves: whole rows of banks.
    bool outside = false;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      outside |= (s.worst.mask >> lane & 1) != 0 && s.worst.address[lane] < k.reserved_shared_bytes;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      s.worst.address[lane] =
          (s.worst.mask >> lane & 1) == 0 ? 0 : s.worst.address[lane] - (outside ? 0 : k.reserved_shared_bytes);
    count_from_first_line(s.worst_from, s.worst.mask);
    found.emplace_back(std::move(s), pc);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.function, a.first.pc) < std::tie(b.first.function, b.first.pc);
  });
  std::vector<std::uint64_t> pcs;
  for (auto& [s, pc] : found) {
    r.sum += s;
    r.sites.push_back(std::move(s));
    pcs.push_back(pc);
  }
  return pcs;
}

result<launch_report> profile_launch(const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                                     const std::function<void(const emulate::launch_progress&)>& progress,
                                     std::size_t keep_accesses, const emulate::launch_hooks& also,
                                     const checks& wanted) {
  const cubin::program& p = *l.program;
  const cubin::kernel& k = *l.kernel;
  const cubin::code_section& code = p.sections[k.section];
  std::optional<access_trace> trace;
  if (keep_accesses != 0)
    trace.emplace(keep_accesses, k.reserved_shared_bytes, k.reserved_shared_bytes + k.static_shared_bytes);
  std::vector<std::unique_ptr<collector>> collectors;
  std::vector<std::unique_ptr<hazard_checker>> checkers;
  emulate::launch_hooks hooks = also;
  hooks.make_listener = [&](unsigned) -> emulate::listener* {
    collectors.push_back(std::make_unique<collector>(on, code.address, code.bytes.size(), trace));
    if (!wanted.any()) return collectors.back().get();
    checkers.push_back(std::make_unique<hazard_checker>(
        *collectors.back(), wanted, (l.block[0] * l.block[1] * l.block[2] + 31) / 32,
        k.reserved_shared_bytes + k.static_shared_bytes + l.dynamic_shared_bytes, k.reserved_shared_bytes));
    return checkers.back().get();
  };
  hooks.progress = progress;
  const auto ran = emulate::run(l, memory, hooks);
  if (!ran) return ran.error();
  collector all(on, code.address, code.bytes.size(), trace);
  for (auto& c : collectors) {
    all.add(*c);
    c.reset();
  }

  launch_report r = begin_report(k, l.grid, l.block, l.dynamic_shared_bytes);
  r.checked = wanted;
  for (std::size_t i = 1; i < checkers.size(); ++i) checkers[0]->add(*checkers[i]);
  if (wanted.any()) r.hazards = hazards_of(l, *checkers[0]);
  r.ctas_executed = ran->blocks;
  if (ran->stopped != emulate::stop_reason::none) {
    r.partial.why =
        ran->stopped == emulate::stop_reason::budget ? early_end::reason::budget : early_end::reason::interrupted;
    r.ctas_begun = ran->begun;
    r.stopped_at = ran->stopped_at;
  }
  // What stopped in the middle is no sample.
  const std::uint64_t sample = r.partial ? 1 : ran->blocks, grid = r.partial ? 1 : blocks_of(l.grid);
  r.scaled = sample != grid;
  r.sum.warp_instructions = scaled(ran->warp_instructions, grid, sample);
  r.out_of_bounds = out_of_bounds_of(l, ran->out_of_bounds);
  for (out_of_bounds_access& a : r.out_of_bounds) {
    a.count = scaled(a.count, grid, sample);
    a.lanes = scaled(a.lanes, grid, sample);
  }

  const std::vector<std::uint64_t> pcs = add_sites(r, p, k, on, all.tallies());
  if (const auto& kept = all.trace()) {
    r.has_accesses = true;
    r.accesses_seen = scaled(kept->seen(), grid, sample);
    std::vector<touched_bytes> touched;
    for (std::size_t i = 0; i < r.sites.size(); ++i) {
      r.sites[i].accesses = kept->accesses_of(pcs[i]);
      for (recorded_access& a : r.sites[i].accesses) {
        a.count = scaled(a.count, grid, sample);
        r.accesses_kept += a.count;
      }
      touched.push_back(kept->touched_by(pcs[i]));
    }
    r.arrays = find_arrays(read_declarations(p, k.mangled), k.static_shared_bytes, r.sites, touched);
    r.not_executed = not_executed(p, k, r.sites);
  }
  return r;
}

}  // namespace bankwise
