#include "timing/trace/touched_memory.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace bankwise::timing {

namespace {

// If blocks access more lines, only some of the lines are counted.
constexpr std::size_t most_lines = std::size_t{1} << 17;

// The accesses of a block to a line.
struct counted_line {
  std::uint64_t line = 0;
  const line_of_block* what = nullptr;
  bool is_of_first = false, is_early = false;
};

std::uint64_t mixed(std::uint64_t line) { return line * 0x9e3779b97f4a7c15u >> 32; }

// The bytes of one line that several blocks access.
struct bytes_of_blocks {
  line_bytes all{}, of_first{}, early{};

  void add(const line_bytes& b, const counted_line& by) {
    all.add(b);
    if (by.is_of_first) of_first.add(b);
    if (by.is_early) early.add(b);
  }
  void count(distinct_bytes& to, double times) const {
    to.all += times * all.count();
    to.of_first += times * of_first.count();
    to.early += times * early.count();
  }
};

std::vector<counted_line> lines_of(const std::vector<memory_of_block>& blocks, std::size_t first, std::size_t one_in) {
  std::vector<counted_line> lines;
  for (std::size_t n = 0; n < blocks.size(); ++n)
    for (const auto& [line, what] : *blocks[n].lines)
      if (one_in == 1 || mixed(line) % one_in == 0)
        lines.push_back({line, &what, n < first, what.at * std::uint64_t{2} < blocks[n].instructions});
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  return lines;
}

}  // namespace

touched_memory touched_memory_of(std::vector<memory_of_block> blocks,
                                 const std::function<allocation(std::uint64_t)>& find) {
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.linear < b.linear; });
  touched_memory m;
  m.blocks = blocks.size();
  m.first_blocks = m.blocks / 2;
  std::size_t entries = 0;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    entries += blocks[n].lines->size();
    m.instructions += blocks[n].instructions;
    if (n < m.first_blocks) m.first_instructions += blocks[n].instructions;
    m.is_cut |= blocks[n].is_cut;
  }
  const std::size_t one_in = entries / most_lines + 1;
  m.is_sampled = one_in > 1;
  const std::vector<counted_line> lines = lines_of(blocks, m.first_blocks, one_in);
  allocation in;
  std::map<std::uint64_t, std::size_t> known;  // by the address of the allocation
  for (std::size_t i = 0; i < lines.size();) {
    const std::uint64_t line = lines[i].line, address = line * 128;
    if (known.empty() || address < in.address || address - in.address >= in.bytes) {
      in = find(address);
      if (in.bytes == 0) in = find(address + 127);  // an allocation may begin in the middle of a line
    }
    const auto [at, is_new] = known.try_emplace(in.address, m.regions.size());
    if (is_new)
      m.regions.push_back({in.bytes == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(in.bytes),
                           in.of_host,
                           {},
                           {}});
    bytes_of_blocks read, written;
    for (; i < lines.size() && lines[i].line == line; ++i) {
      read.add(lines[i].what->read, lines[i]);
      written.add(lines[i].what->written, lines[i]);
    }
    read.count(m.regions[at->second].read, static_cast<double>(one_in));
    written.count(m.regions[at->second].written, static_cast<double>(one_in));
  }
  return m;
}

needed_bytes needed_bytes_of(const touched_memory& m, std::uint64_t blocks, std::uint64_t instructions) {
  needed_bytes n;
  const auto real = [](std::uint64_t x) { return static_cast<double>(x); };
  // What was not recorded, in multiples of the second half of the recorded blocks, and of the second half of the
  // recorded instructions of a block.
  double more_blocks = 0, more_instructions = 0;
  if (blocks > m.blocks && m.blocks != 0) {
    more_blocks = real(blocks - m.blocks) / real(m.blocks - m.first_blocks);
    // Blocks may find more or less work than the recorded ones.
    if (!m.is_cut && instructions != 0 && m.instructions > m.first_instructions)
      more_blocks =
          std::max(0.0, real(instructions) - real(m.instructions)) / real(m.instructions - m.first_instructions);
  }
  if (m.is_cut && m.instructions != 0 && blocks != 0) {
    const double recorded = real(m.instructions) / real(m.blocks);
    more_instructions = std::max(0.0, real(instructions) / real(blocks) - recorded) / (recorded / 2);
  }
  n.is_estimated = m.is_sampled || m.is_cut || blocks > m.blocks;
  for (const touched_region& r : m.regions) {
    const auto whole = [&](const distinct_bytes& d) {
      if (d.all == 0) return 0.0;
      const double by_blocks = 1 + more_blocks * (1 - d.of_first / d.all),
                   by_instructions = 1 + more_instructions * (1 - d.early / d.all);
      return std::min(r.allocated, d.all * by_blocks * by_instructions);
    };
    (r.of_host ? n.read_of_host : n.read) += whole(r.read);
    (r.of_host ? n.written_of_host : n.written) += whole(r.written);
  }
  return n;
}

}  // namespace bankwise::timing
