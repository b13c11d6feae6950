#include "advise/warp_shapes.hpp"

#include <algorithm>
#include <tuple>

#include "bankwise/config.hpp"
#include "base/format.hpp"

namespace bankwise::advise {

namespace {

using emulate::warp_shape;

constexpr std::uint32_t least_row = 8;

std::uint32_t threads_of(const block_sides& block) { return block[0] * block[1] * block[2]; }

bool deals_as_hardware(const warp_shape& w, std::uint32_t threads) {
  for (std::uint32_t t = 0; t < threads; ++t)
    if (emulate::thread_of(w, t / lanes_per_warp, t % lanes_per_warp) != t) return false;
  return true;
}

// Returns a term of an index, such as "t / 8" or "t % 8". Returns "0" if the term has only one value.
std::string term(const std::string& of, const char* op, std::uint32_t n) {
  if (n == 1) return op[0] == '/' ? of : "0";
  return formatted("{} {} {}", of, op, n);
}
// Returns a sum such as "a * 8 + b". Omits terms of 0 and factors of 1.
std::string sum(const std::string& a, std::uint32_t times, const std::string& b) {
  if (a == "0") return b;
  const std::string product = times == 1 ? a : formatted("{} * {}", a, times);
  return b == "0" ? product : formatted("{} + {}", product, b);
}

}  // namespace

std::optional<warp_shape> own_shape(const block_sides& block) {
  const warp_shape own{block[0], std::min(block[0], lanes_per_warp)};
  if (!emulate::covers(own, threads_of(block)) || !deals_as_hardware(own, threads_of(block))) return std::nullopt;
  return own;
}

std::vector<warp_shape> other_shapes(const block_sides& block) {
  const std::uint32_t threads = threads_of(block);
  std::vector<std::uint32_t> rows;
  if (block[1] == 1 && block[2] == 1)
    for (std::uint32_t row = least_row; row < threads; row *= 2) rows.push_back(row);
  else
    rows.push_back(block[0]);
  std::vector<warp_shape> found;
  for (const std::uint32_t row : rows)
    for (std::uint32_t along = lanes_per_warp; along != 0; along /= 2) {
      const warp_shape w{row, along};
      if (!emulate::covers(w, threads) || deals_as_hardware(w, threads)) continue;
      // Skips a shape if an earlier shape has the same warps and lanes.
      const bool is_new = std::none_of(found.begin(), found.end(), [&](const warp_shape& other) {
        for (std::uint32_t t = 0; t < threads; ++t)
          if (emulate::thread_of(w, t / lanes_per_warp, t % lanes_per_warp) !=
              emulate::thread_of(other, t / lanes_per_warp, t % lanes_per_warp))
            return false;
        return true;
      });
      if (is_new) found.push_back(w);
    }
  return found;
}

index_code code_of(const warp_shape& w, const block_sides& block) {
  const std::uint32_t beside = w.row / w.along, high = lanes_per_warp / w.along;
  std::string thread = "threadIdx.x";
  if (block[1] * block[2] > 1)
    thread = block[2] == 1 ? sum("threadIdx.y", block[0], thread)
                           : formatted("({}) * {} + {}", sum("threadIdx.z", block[1], "threadIdx.y"), block[0], thread);
  index_code code{{formatted("const unsigned thread = {}, warp = thread / 32, lane = thread % 32;", thread)}, {}};
  const std::string x = sum(term("warp", "%", beside), w.along, term("lane", "%", w.along)),
                    y = sum(term("warp", "/", beside), high,
                            w.along == lanes_per_warp ? "0" : term("lane", "/", w.along));
  const bool is_flat = block[1] == 1 && block[2] == 1;
  if (is_flat) {
    code.lines.push_back(formatted("const unsigned t = ({}) * {} + {};", y, w.row, x));
    code.in_place_of = "t instead of threadIdx.x";
  } else if (block[2] == 1) {
    code.lines.push_back(formatted("const unsigned tx = {}, ty = {};", x, y));
    code.in_place_of = "tx and ty instead of threadIdx.x and threadIdx.y";
  } else {
    const std::string side = std::to_string(block[1]);
    code.lines.push_back(
        formatted("const unsigned tx = {}, row = {}, ty = row % {}, tz = row / {};", x, y, side, side));
    code.in_place_of = "tx, ty and tz instead of threadIdx.x, threadIdx.y and threadIdx.z";
  }
  return code;
}

std::uint64_t clocks_of_both(const warp_trial& t) { return t.cycles + t.sectors / sectors_a_clock; }

const warp_trial* best_of(const warp_trial& as_it_is, const std::vector<warp_trial>& others) {
  const auto rank = [](const warp_trial& t) {
    return std::tuple(clocks_of_both(t), t.cycles, t.sectors, t.wavefronts);
  };
  const warp_trial* best = nullptr;
  for (const warp_trial& t : others) {
    const bool is_no_worse = t.sectors <= as_it_is.sectors && t.cycles <= as_it_is.cycles;
    const bool is_better = t.sectors < as_it_is.sectors || t.cycles < as_it_is.cycles;
    if (t.same_memory && is_no_worse && is_better && (best == nullptr || rank(t) < rank(*best))) best = &t;
  }
  return best;
}

}  // namespace bankwise::advise
