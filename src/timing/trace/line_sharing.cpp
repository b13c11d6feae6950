#include "timing/trace/line_sharing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <vector>

namespace bankwise::timing {

namespace {
constexpr std::uint32_t meanwhile = 400;  // instructions that a block executes while DRAM answers
// So many blocks next to each other in the grid run on one part of the GPU (GPC): blocks on their own multiprocessors
// print %smid in this order.
constexpr std::uint64_t neighbours = 16;
}  // namespace

line_sharing::line_sharing(const launch_trace& t, double l2_bytes) {
  const std::uint64_t blocks = t.grid_blocks();
  const std::uint64_t wave =
      std::min<std::uint64_t>(blocks, std::uint64_t{t.multiprocessors} * std::max(1u, t.blocks_per_multiprocessor));
  wave_ = static_cast<double>(wave);
  // If the multiprocessors are at least as many as the blocks, each block has its own multiprocessor.
  one_of_each_ = t.in_order || blocks <= t.multiprocessors;
  multiprocessors_ = std::min<double>(t.multiprocessors, static_cast<double>(blocks));
  std::unordered_set<std::uint64_t> own;
  if (blocks <= t.multiprocessors && !t.blocks.empty())
    own.insert(t.blocks[t.longest_block()].linear);  // the model follows this block alone
  else
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
  double sectors = 0, of_wave = 0;
  std::uint32_t longest = 1;
  for (const touched_line& l : t.touched)
    if (l.block < is_of_wave.size() && is_of_wave[l.block]) {
      of_wave += 32.0 * std::popcount(sectors_of(l.what)) * raise_;
      longest = std::max(longest, l.at);
    }
  // L2 evicts the line before another block needs it, if the data of accesses in between do not fit into L2.
  const double stays = of_wave > l2_bytes ? longest * (l2_bytes / of_wave) : longest + 1.0;
  for (const touched_line& l : t.touched) {
    if (l.block >= is_of_wave.size()) continue;
    sectors += static_cast<double>(std::popcount(sectors_of(l.what)));
    if (!is_of_wave[l.block]) continue;
    for (unsigned half = 0; half < 2; ++half) {
      if ((sectors_of(l.what) >> 2 * half & 3) == 0) continue;
      counted& c = lines_[line_number(l.what) * 2 + half];
      c.first = std::min(c.first, l.at);
      if (is_own[l.block]) c.own_first = std::min(c.own_first, l.at);
      if (c.last == l.block) continue;
      c.last = l.block;
      ++c.blocks;
      c.own += is_own[l.block];
    }
  }
  if (t.copies_ahead()) find_neighbours(t, is_of_wave);
  look_at_stores(t);
  look_at_updates(t);
  if (stays < longest) count_returns(t, is_of_wave, stays);
  double sum = 0, sharers = 0;
  std::uint64_t n = 0;
  for (const auto& [half, c] : lines_)
    if (c.own != 0) {
      const share s = of(half / 2, half % 2 == 0 ? 3 : 12);
      sum += s.dram;
      sharers += s.blocks;
      ++n;
    }
  if (n != 0) mean_dram_ = sum / static_cast<double>(n), mean_blocks_ = sharers / static_cast<double>(n);
  if (!t.touching.empty()) {
    const double each = 32.0 * static_cast<double>(blocks) / static_cast<double>(t.touching.size());
    // Data that several blocks write count only once.
    for (const touched_line& l : t.touched)
      if (l.stores && l.block < is_of_wave.size())
        written_ += std::popcount(sectors_of(l.what)) * each / of(line_number(l.what), sectors_of(l.what)).blocks;
    bytes_ = sectors * each;
    // Blocks that do not run at the same time may access the same data.
    if (t.memory) {
      const needed_bytes all = needed_bytes_of(*t.memory, blocks, t.instructions);
      bytes_ = std::min(bytes_, all.read + all.written);
    }
  }
  recorded_ = {written_, stored_};
  look_at_later_blocks(t, l2_bytes);
}

// Blocks that run together read some data, and the blocks after them read as much. All of them read fewer bytes in total
// if they read the same ones.
void line_sharing::look_at_later_blocks(const launch_trace& t, double l2_bytes) {
  const std::uint64_t blocks = t.grid_blocks();
  const double waves = static_cast<double>(blocks) / wave_;
  if (!t.memory || waves <= 1 || wave_ < static_cast<double>(t.memory->blocks)) return;
  const auto of_wave = static_cast<std::uint64_t>(static_cast<double>(t.instructions) / waves);
  const auto read_of_first = [&](const touched_memory& m) {
    return needed_bytes_of(m, static_cast<std::uint64_t>(wave_), of_wave);
  };
  const needed_bytes first = read_of_first(*t.memory);
  const double of_first = first.read + first.written;
  if (first.read <= 0 || of_first > l2_bytes) return;
  double fresh = 0;
  touched_memory one = *t.memory;
  for (const touched_region& r : t.memory->regions) {
    if (r.of_host) continue;
    one.regions = {r};
    const double begun = read_of_first(one).read;
    if (begun <= 0) continue;
    // Blocks that have read all of an array begin with it again. Until then, L2 gets all other data.
    const bool stays = of_first * r.allocated / begun <= l2_bytes;
    if (!stays && begun < r.allocated) one.regions[0].allocated = std::numeric_limits<double>::infinity();
    fresh += needed_bytes_of(one, blocks, t.instructions).read - begun;
  }
  fresh_ = std::clamp(fresh / (first.read * (waves - 1)), 0.0, 1.0);
}

bool line_sharing::was_read_earlier(std::uint64_t line) const {
  constexpr double numbers = 1u << 24;
  return static_cast<double>((line & line_of_trace) * 0x9e3779b97f4a7c15u >> 40) >= fresh_ * numbers;
}

// Estimates which part of the requests for each line L2 gets, if neighbours that are at the same place of the code send one
// request. Not all blocks may have been sampled. A group then has as many such blocks as its sampled part, and at least
// as many as all groups on average.
void line_sharing::find_neighbours(const launch_trace& t, const std::vector<char>& is_of_wave) {
  struct request {
    std::uint64_t line = 0;
    std::uint32_t when = 0;
    std::uint64_t group = 0;
    std::uint32_t block = 0;
    auto operator<=>(const request&) const = default;
    bool is_with(const request& r) const { return line == r.line && when == r.when; }
  };
  const double groups = std::ceil(wave_ / neighbours);
  std::vector<double> sampled(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < t.touching.size(); ++i)
    if (is_of_wave[i]) ++sampled[t.touching[i] / neighbours];
  std::vector<request> all;
  for (const touched_line& l : t.touched) {
    if (l.stores || l.block >= is_of_wave.size() || !is_of_wave[l.block]) continue;
    all.push_back({line_number(l.what), l.at / meanwhile, t.touching[l.block] / neighbours, l.block});
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (auto from = all.begin(); from != all.end();) {
    double requests = 0, sent = 0;
    const std::uint64_t line = from->line;
    while (from != all.end() && from->line == line) {
      const auto end = std::find_if(from, all.end(), [&](const request& r) { return !r.is_with(*from); });
      const double average = static_cast<double>(end - from) * raise_ / groups;
      while (from != end) {
        const std::uint64_t group = from->group;
        const auto last = std::find_if(from, end, [&](const request& r) { return r.group != group; });
        const auto seen = static_cast<double>(last - from);
        const double size = std::min<double>(neighbours, wave_ - static_cast<double>(group * neighbours));
        const double others = sampled[group] > 1 ? (seen - 1) * (size - 1) / (sampled[group] - 1) : 0;
        requests += seen;
        sent += seen / std::max({1 + others, average, 1.0});
        from = last;
      }
    }
    for (unsigned half = 0; half < 2; ++half)
      if (const auto it = lines_.find(line * 2 + half); it != lines_.end())
        it->second.together = static_cast<float>(sent / requests);
  }
  guess_later_lines(t);
}

// Blocks of later waves copy other lines, but their neighbours copy them as those of the first wave do.
void line_sharing::guess_later_lines(const launch_trace& t) {
  struct mean {
    double sum = 0, lines = 0;
  };
  std::unordered_map<std::uint32_t, mean> means;
  const auto each_line = [&t](const auto& visit) {
    for (const traced_access& a : t.accesses)
      if (a.does == memory_action::copy || a.space == memory_space::bulk)
        for (std::uint32_t i = 0; i < a.lines; ++i) visit(a.code, line_number(t.lines[a.first_line + i]));
  };
  each_line([&](std::uint32_t code, std::uint64_t line) {
    if (const share s = of(line); s.is_known) means[code].sum += s.together, ++means[code].lines;
  });
  each_line([&](std::uint32_t code, std::uint64_t line) {
    if (const auto it = means.find(code); it != means.end() && !of(line).is_known)
      later_lines_[line] = static_cast<float>(it->second.sum / it->second.lines);
  });
}

void line_sharing::change_stores(const launch_trace& t) {
  look_at_stores(t);
  written_ = recorded_.sectors == 0 ? recorded_.written : recorded_.written * stored_ / recorded_.sectors;
}

void line_sharing::look_at_stores(const launch_trace& t) {
  struct stored_line {
    unsigned sectors = 0;
    double bytes = 0;
  };
  std::unordered_map<std::uint64_t, stored_line> stored;
  for (const traced_block& b : t.blocks)
    for (const traced_warp& w : b.warps)
      for (const traced_run& r : w.runs)
        for (std::uint32_t i = r.first_access; i < r.first_access + r.accesses && i < t.accesses.size(); ++i) {
          const traced_access& a = t.accesses[i];
          if (a.space != memory_space::global || a.does != memory_action::store) continue;
          unsigned sectors = 0;
          for (std::uint32_t k = 0; k < a.lines; ++k) sectors += std::popcount(sectors_of(t.lines[a.first_line + k]));
          for (std::uint32_t k = 0; k < a.lines; ++k) {
            const line_sectors l = t.lines[a.first_line + k];
            stored_line& s = stored[line_number(l)];
            s.sectors |= sectors_of(l);
            s.bytes += static_cast<double>(r.lanes * a.bytes) * std::popcount(sectors_of(l)) / sectors;
          }
        }
  double all = 0, left = 0;
  for (const auto& [line, s] : stored) {
    all += std::popcount(s.sectors);
    if (s.bytes < 0.9 * 32 * std::popcount(s.sectors)) left += std::popcount(s.sectors);
  }
  incomplete_ = all == 0 ? 0 : left / all;
  stored_ = all;
}

void line_sharing::look_at_updates(const launch_trace& t) {
  traced_ = std::max<double>(1, static_cast<double>(t.blocks.size()));
  for (std::uint32_t n = 0; n < t.blocks.size(); ++n)
    for (const traced_warp& w : t.blocks[n].warps)
      for (const traced_run& r : w.runs)
        for (std::uint32_t i = r.first_access; i < r.first_access + r.accesses && i < t.accesses.size(); ++i) {
          const traced_access& a = t.accesses[i];
          if (a.does != memory_action::update) continue;
          for (std::uint32_t k = 0; k < a.lines; ++k) {
            const line_sectors l = t.lines[a.first_line + k];
            updated_[line_number(l) / 4] += std::popcount(sectors_of(l));
          }
          updated_word& word = words_[t.word_of(a)];
          if (word.last == n) continue;
          word.last = n;
          ++word.blocks;
        }
}

std::vector<double> line_sharing::updates_by_slice(std::size_t slices) const {
  std::vector<double> parts(slices, 0);
  double all = 0;
  for (const auto& [lines, sectors] : updated_) {
    parts[slice_of(lines * 4, slices)] += sectors;
    all += sectors;
  }
  for (double& part : parts) part = all == 0 ? 0 : part / all;
  return parts;
}

double line_sharing::part_updating(std::uint64_t word) const {
  const auto it = words_.find(word);
  return it == words_.end() || (it->second.blocks < 2 && traced_ > 1) ? 0 : it->second.blocks / traced_;
}

// Counts how often each line is loaded from DRAM. L2 evicts a line after `stays` instructions without use.
void line_sharing::count_returns(const launch_trace& t, const std::vector<char>& is_of_wave, double stays) {
  std::vector<std::uint32_t> order;
  order.reserve(t.touched.size());
  for (std::uint32_t i = 0; i < t.touched.size(); ++i)
    if (t.touched[i].block < is_of_wave.size() && is_of_wave[t.touched[i].block]) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&t](std::uint32_t a, std::uint32_t b) { return t.touched[a].at < t.touched[b].at; });
  for (const std::uint32_t i : order) {
    const touched_line& l = t.touched[i];
    for (unsigned half = 0; half < 2; ++half) {
      if ((sectors_of(l.what) >> 2 * half & 3) == 0) continue;
      counted& c = lines_[line_number(l.what) * 2 + half];
      c.brought += c.is_touched && l.at > c.last_at + stays;
      c.is_touched = true;
      c.last_at = l.at;
    }
  }
}

line_sharing::share line_sharing::of(std::uint64_t line, unsigned sectors) const {
  const auto it = lines_.find((line & line_of_trace) * 2 + ((sectors & 3) == 0 ? 1 : 0));
  if (it == lines_.end()) {
    const auto later = later_lines_.find(line & line_of_trace);
    return {mean_dram_, 1, false, false, later == later_lines_.end() ? 1 : later->second};
  }
  const counted& c = it->second;
  // first and own_first count instructions in the order in which the emulator executes the warps of a block.
  const bool is_there = c.own != 0 && c.own_first > c.first + meanwhile;
  if (one_of_each_) {
    // The traced blocks represent the blocks of any multiprocessor. The result is therefore the first access by any
    // traced block.
    const double all = c.blocks == 1 ? 1 : c.blocks * raise_;
    return {std::min(1.0, c.brought * std::max(1.0, all / multiprocessors_) / all), all, is_there, true, c.together};
  }
  const double all = std::max(1.0, static_cast<double>(c.own) + (c.blocks - c.own) * raise_);
  return {std::min(1.0, c.brought * std::max(1u, c.own) / all), all, is_there, true, c.together};
}

}  // namespace bankwise::timing
