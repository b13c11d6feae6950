#include "support/peer_formulas.hpp"

#include <algorithm>
#include <array>

#include "bankwise/wavefronts.hpp"

namespace bankwise::test {

namespace {

constexpr u32 banks = 32;

// The words (or other units of memory) that lanes request, at most four for each lane.
class wants {
 public:
  void add(u32 unit) { at_[count_++] = unit; }
  void add_words(const access& a, u32 lane) {
    for (u32 byte = 0; byte < std::max<u32>(4, a.op.width_bytes); byte += 4) add((a.address[lane] + byte) / 4);
  }
  // Removes duplicates: several requests for one unit count once.
  wants& distinct() {
    std::sort(at_.begin(), at_.begin() + count_);
    count_ = static_cast<u32>(std::unique(at_.begin(), at_.begin() + count_) - at_.begin());
    return *this;
  }
  u32 fullest_bank() const {
    std::array<u32, banks> in_bank{};
    for (u32 i = 0; i < count_; ++i) ++in_bank[at_[i] % banks];
    return *std::max_element(in_bank.begin(), in_bank.end());
  }

 private:
  std::array<u32, lanes_per_warp * 4> at_{};
  u32 count_ = 0;
};

template <class Visit>
void each_lane(u32 lanes, Visit visit) {
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((lanes >> lane & 1) != 0) visit(lane);
}

u32 lanes_of_phase(const access& a) { return std::min<u32>(lanes_per_warp, 128 / a.op.width_bytes); }

u32 sum_of_phases(const access& a, u32 size) {
  u32 sum = 0;
  for (u32 first = 0; first < lanes_per_warp; first += size) {
    wants words;
    each_lane(lanes_used(a), [&](u32 lane) {
      if (lane / size == first / size) words.add_words(a, lane);
    });
    sum += words.distinct().fullest_bank();
  }
  return sum;
}

// Returns whether every active lane has the same address as the active lane at this distance.
bool agree(const access& a, u32 distance) {
  bool same = true;
  each_lane(lanes_used(a), [&](u32 lane) {
    const u32 other = lane ^ distance;
    if ((lanes_used(a) >> other & 1) != 0) same = same && a.address[lane] == a.address[other];
  });
  return same;
}

}  // namespace

u32 by_phases(const access& a) { return sum_of_phases(a, lanes_of_phase(a)); }

u32 by_merged_phases(const access& a) {
  const bool merge = a.op.width_bytes > 4 && (agree(a, 1) || agree(a, 2));
  return sum_of_phases(a, merge ? 2 * lanes_of_phase(a) : lanes_of_phase(a));
}

u32 by_first_phase(const access& a) {
  const u32 lanes = a.op.matrices != 0 ? a.op.matrices * 8u : lanes_per_warp;
  const u32 size = std::min(lanes, lanes_of_phase(a));
  wants words;
  for (u32 lane = 0; lane < size; ++lane) words.add(a.address[lane] / 4);
  return words.distinct().fullest_bank() * (lanes / size);
}

u32 by_words_of_the_warp(const access& a) {
  wants words;
  each_lane(lanes_used(a), [&](u32 lane) { words.add_words(a, lane); });
  return words.distinct().fullest_bank();
}

u32 by_first_words(const access& a) {
  wants words;
  each_lane(lanes_used(a), [&](u32 lane) { words.add(a.address[lane] / 4); });
  return words.distinct().fullest_bank();
}

u32 by_lanes_in_a_bank(const access& a) {
  wants words;
  each_lane(lanes_used(a), [&](u32 lane) { words.add(a.address[lane] / 4); });
  return words.fullest_bank();
}

u32 by_bytes_as_banks(const access& a) {
  wants bytes;
  each_lane(lanes_used(a), [&](u32 lane) { bytes.add(a.address[lane]); });
  const bool atomic = a.op.kind == op_kind::atomic || a.op.kind == op_kind::compare_and_swap;
  return (atomic ? bytes : bytes.distinct()).fullest_bank();
}

std::span<const peer_formula> peer_formulas() {
  static constexpr peer_formula all[] = {
      {"the rule", "bankwise", [](const access& a) { return wavefronts(a); }},
      {"phases", "Triton", by_phases},
      {"merged phases", "NVIDIA's forum", by_merged_phases},
      {"first phase x phases", "nvFuser, hidet", by_first_phase},
      {"words of the warp", "tensor-layouts, PantheonSim, most calculators", by_words_of_the_warp},
      {"first words of the lanes", "GPGPU-Sim, Accel-Sim", by_first_words},
      {"lanes in a bank", "cuda-oxide, TVM, cupr", by_lanes_in_a_bank},
      {"bytes as banks", "gem5", by_bytes_as_banks},
  };
  return all;
}

}  // namespace bankwise::test
