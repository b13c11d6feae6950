#include "advise/meant_shape.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace bankwise::advise {

namespace {

struct padded_rows {
  u32 pitch = 0, used = 0;  // in bytes
};

template <class Visit>
bool each_touch(const problem& p, const Visit& visit) {
  for (const weighted_access& w : p.accesses) {
    const u32 used = lanes_used(w.what);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      if ((used >> lane & 1) != 0 && !visit(w.what.address[lane], w.what.op.width_bytes)) return false;
  }
  return true;
}

// Finds unused columns at the end of declared rows.
std::optional<padded_rows> after_columns(const problem& p) {
  padded_rows r{p.pitch_bytes, 0};
  const bool within = each_touch(p, [&](u32 at, u32 width) {
    r.used = std::max(r.used, at % p.pitch_bytes + width);
    return r.used <= p.pitch_bytes;
  });
  return within && r.used < r.pitch ? std::optional(r) : std::nullopt;
}

// Finds gaps of equal length between runs of equal length, from the first accessed byte to the last.
std::optional<padded_rows> between_runs(const problem& p) {
  std::vector<bool> touched(p.bytes, false);
  std::size_t end = 0;
  if (!each_touch(p, [&](u32 at, u32 width) {
        if (std::uint64_t{at} + width > p.bytes) return false;
        std::fill_n(touched.begin() + at, width, true);
        end = std::max<std::size_t>(end, at + width);
        return true;
      }))
    return std::nullopt;
  const auto run = [&](std::size_t from, bool of) {
    std::size_t to = from;
    while (to < end && touched[to] == of) ++to;
    return to - from;
  };
  const std::size_t used = run(0, true), gap = run(used, false);
  if (used == 0 || gap == 0) return std::nullopt;
  constexpr int fewest_rows = 4;
  int rows = 1;
  for (std::size_t at = used + gap; at < end; at += used + gap, ++rows) {
    const std::size_t length = run(at, true);
    if (length > used || (at + length < end && (length != used || run(at + length, false) != gap))) return std::nullopt;
  }
  if (rows < fewest_rows) return std::nullopt;
  return padded_rows{static_cast<u32>(used + gap), static_cast<u32>(used)};
}

}  // namespace

void take_padding_out(problem& p, expr::array_decl& array) {
  // If addresses depend on data, the data may cause gaps between accesses. Such gaps are not padding.
  if (!p.of_data.empty() || p.accesses.empty() || p.bytes > most_array_bytes) return;
  const bool declared = p.pitch_bytes != 0 && p.pitch_bytes < p.bytes;
  auto rows = declared ? after_columns(p) : between_runs(p);
  if (!rows) return;
  // Wide accesses must stay aligned.
  const u32 granule = granule_bytes(p);
  rows->used = (rows->used + granule - 1) / granule * granule;
  if (rows->used >= rows->pitch) return;
  const u32 gap = rows->pitch - rows->used;
  // If only a few of many columns are used, the question probably lacks an access, and the unused columns are not
  // padding.
  if (gap > rows->used / 2 || rows->used % array.element_bytes != 0) return;

  const auto meant = [&](u32 at) { return at / rows->pitch * rows->used + at % rows->pitch; };
  for (weighted_access& w : p.accesses) {
    const u32 used = lanes_used(w.what);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      if ((used >> lane & 1) != 0) w.what.address[lane] = meant(w.what.address[lane]);
  }
  const std::uint64_t before = p.bytes, whole = before / rows->pitch, rest = before % rows->pitch;
  p.bytes = whole * rows->used + std::min<std::uint64_t>(rest, rows->used);
  p.as_it_is = {.every = rows->used, .gap = gap};
  if (p.block.threads != 0) p.block.shared_bytes -= static_cast<std::uint32_t>(before - p.bytes);
  if (declared) {
    p.pitch_bytes = rows->used;
    array.extents.back() = rows->used / array.element_bytes;
  } else if (!array.extents.empty()) {
    array.extents = {p.bytes / array.element_bytes};
  } else if (p.bytes % rows->used == 0 && rows->used % p.element_bytes == 0) {
    p.pitch_bytes = rows->used;
    array.element_bytes = p.element_bytes;
    array.extents = {p.bytes / rows->used, rows->used / p.element_bytes};
  }
}

}  // namespace bankwise::advise
