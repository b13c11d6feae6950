#include "timing/trace/fewer_sectors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace bankwise::timing {

namespace {

// An access of 32 lanes touches at most 32 lines, or 256 lines of local memory.
constexpr std::size_t most_sectors = 1024;

bool has_sectors(const traced_access& a) { return a.space == memory_space::global || a.space == memory_space::local; }

// Returns a hash of the sectors of an access.
std::uint64_t set_of(const launch_trace& t, const traced_access& a) {
  std::uint64_t h = a.does == memory_action::store ? 1 : 2;
  for (std::uint32_t i = 0; i < a.lines; ++i) {
    h = (h ^ t.lines[a.first_line + i]) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace

launch_trace replayed_part(const launch_trace& t) {
  launch_trace part;
  part.kernel = t.kernel;
  part.sm = t.sm;
  part.grid = t.grid;
  part.block = t.block;
  part.cluster_blocks = t.cluster_blocks;
  part.registers = t.registers;
  part.shared_bytes = t.shared_bytes;
  part.blocks_per_multiprocessor = t.blocks_per_multiprocessor;
  part.multiprocessors = t.multiprocessors;
  part.in_order = t.in_order;
  part.instructions = t.instructions;
  part.code = t.code;
  part.accesses = t.accesses;
  part.lines = t.lines;
  part.blocks = t.blocks;
  return part;
}

fewer_sectors::fewer_sectors(const launch_trace& t) : trace_(replayed_part(t)), recorded_lines_(t.lines.size()) {}

void fewer_sectors::change(traced_access& a, const sector_change& c, touched_set& set) {
  constexpr unsigned exchange_wavefronts = 2;  // of the store to shared memory and of the load
  const double factor = std::max(0.0F, c.part);
  if (c.form == sector_form::aligned) set.from = 0;
  std::array<line_sectors, most_sectors> sectors;  // the line of each sector
  const auto first = trace_.lines.begin() + a.first_line;
  unsigned n = 0;
  for (std::uint32_t i = 0; i < a.lines; ++i)
    for (int k = std::popcount(sectors_of(first[i])); k != 0 && n < most_sectors; --k) sectors[n++] = first[i];
  if (n == 0) return;
  // The first access keeps at least one sector, unless no access keeps any.
  constexpr double nearly_one = 0.999;
  const double before = set.kept == 0 && factor != 0 ? nearly_one : set.kept;
  set.kept = before + n * factor;
  // 32 lanes with neighbouring values need as many sectors as each of them has bytes.
  const auto keeps =
      c.form == sector_form::aligned
          ? std::min<unsigned>(n, std::max<unsigned>(1, a.bytes))
          : static_cast<unsigned>(std::min<double>(n, std::floor(set.kept + 1e-6) - std::floor(before + 1e-6)));
  const std::uint64_t after = trace_.after_lines(a);
  const unsigned requests = a.does == memory_action::update ? trace_.requests_of(a) : 0;
  const std::uint32_t lines = a.lines, packed = (n + 3) / 4;
  // Another access may touch the other sectors of the same lines. It gets different lines. Two sectors of a line can be
  // neighbours or not, so the first one tells which of two it is only by being the first of the line.
  const auto shift =
      std::min(static_cast<std::uint32_t>(std::countr_zero(sectors_of(first[0]))), std::max(1U, lines / packed) - 1);
  a.first_line = static_cast<std::uint32_t>(trace_.lines.size());
  a.lines = 0;
  a.wavefronts = static_cast<std::uint16_t>(std::min<unsigned>(a.wavefronts, (keeps + 3) / 4));
  if (c.form == sector_form::staged) a.wavefronts = static_cast<std::uint16_t>(a.wavefronts + exchange_wavefronts);
  for (unsigned k = 0; k < keeps; ++k) {
    const auto at = static_cast<std::uint32_t>((set.from + k) % n);
    const std::uint64_t line = line_number(
        trace_.lines[recorded_.back().second.first_line + std::min(at / 4 * lines / packed + shift, lines - 1)]);
    const std::uint64_t bit = std::uint64_t{1} << at % 4;
    if (a.lines != 0 && line_number(trace_.lines.back()) == line)
      trace_.lines.back() |= bit;
    else {
      trace_.lines.push_back(line << 4 | bit);
      ++a.lines;
    }
  }
  set.from += keeps;
  if (keeps == 0) a.bytes = 0;
  if (a.does != memory_action::update) return;
  const auto fewer = static_cast<unsigned>(std::lround(double{1} * requests * keeps / n));
  trace_.lines.push_back(launch_trace::wanted(after, std::max<unsigned>(requests == 0 ? 0 : a.same_word, fewer)));
}

bool fewer_sectors::change(const std::vector<sector_change>& changes) {
  bool stores = false;
  std::unordered_map<std::uint64_t, touched_set> sets;
  for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
    traced_access& a = trace_.accesses[i];
    if (!has_sectors(a) || a.code >= changes.size() || changes[a.code].part >= 1) continue;
    recorded_.emplace_back(i, a);
    change(a, changes[a.code], sets[set_of(trace_, a)]);
    stores |= a.does == memory_action::store;
  }
  return stores;
}

void fewer_sectors::restore() {
  for (const auto& [i, a] : recorded_) trace_.accesses[i] = a;
  recorded_.clear();
  trace_.lines.resize(recorded_lines_);
}

}  // namespace bankwise::timing
