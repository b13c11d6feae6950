#include "timing/line_sharing.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <vector>

namespace bankwise::timing {

line_sharing::line_sharing(const launch_trace& t) {
  const std::uint64_t blocks = t.grid_blocks();
  const std::uint64_t wave =
      std::min<std::uint64_t>(blocks, std::uint64_t{t.multiprocessors} * std::max(1u, t.blocks_per_multiprocessor));
  std::unordered_set<std::uint64_t> own;
  for (const traced_block& b : t.blocks)
    if (t.in_order ? b.linear % t.multiprocessors == 0 : b.linear < wave) own.insert(b.linear);
  std::vector<char> is_of_wave(t.touching.size()), is_own(t.touching.size());
  std::uint64_t looked_at = 0;
  for (std::size_t i = 0; i < t.touching.size(); ++i) {
    is_of_wave[i] = t.touching[i] < wave;
    is_own[i] = own.contains(t.touching[i]);
    looked_at += is_of_wave[i];
  }
  if (looked_at != 0) raise_ = static_cast<double>(wave) / static_cast<double>(looked_at);
  double sectors = 0, written = 0;
  for (const touched_line& l : t.touched) {
    if (l.block >= is_of_wave.size()) continue;
    const auto n = static_cast<double>(std::popcount(sectors_of(l.what)));
    sectors += n;
    if (l.stores) written += n;
    if (!is_of_wave[l.block]) continue;
    counted& c = lines_[line_number(l.what)];
    ++c.blocks;
    c.own += is_own[l.block];
    c.first = std::min(c.first, l.at);
  }
  double sum = 0;
  std::uint64_t n = 0;
  for (const auto& [line, c] : lines_)
    if (c.own != 0) {
      sum += of(line).dram;
      ++n;
    }
  if (n != 0) mean_dram_ = sum / static_cast<double>(n);
  if (!t.touching.empty()) {
    const double each = 32.0 * static_cast<double>(blocks) / static_cast<double>(t.touching.size());
    written_ = written * each;
    bytes_ = sectors * each;
  }
}

line_sharing::share line_sharing::of(std::uint64_t line) const {
  const auto it = lines_.find(line);
  if (it == lines_.end()) return {mean_dram_, 1, 0, false};
  const counted& c = it->second;
  const double all = std::max(1.0, static_cast<double>(c.own) + (c.blocks - c.own) * raise_);
  return {std::max(1u, c.own) / all, all, c.first, true};
}

}  // namespace bankwise::timing
