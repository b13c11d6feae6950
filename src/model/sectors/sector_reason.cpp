#include "model/sectors/sector_reason.hpp"

#include <algorithm>
#include <bit>

#include "bankwise/global_sectors.hpp"
#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

constexpr std::uint32_t most_registers = 255;  // limit for the registers of a thread on every GPU since sm_50
// largest number of bytes that one lane loads or stores with one instruction on most GPUs
constexpr std::uint64_t widest_access = 16;
constexpr std::uint64_t most_bytes_of_struct = 256;  // assumed: rows of a matrix are longer

// A group of accesses touches `whole` sectors, of which `part` are distinct. For an access of this group that touches
// n sectors, returns its share of the distinct sectors: n * part / whole, rounded to the nearest integer, at most n.
std::uint64_t part_of(std::uint64_t n, std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? n : std::min(n, scaled(n, part, whole));
}

// Also of the lowest number, which addresses of a damaged report can give.
std::uint64_t magnitude(std::int64_t n) {
  const auto bits = static_cast<std::uint64_t>(n);
  return n < 0 ? 0 - bits : bits;
}

std::string apart(std::int64_t stride, std::uint32_t width) {
  return formatted("neighbouring lanes are {} apart and access {} each", count_of(magnitude(stride), "byte"),
                   count_of(width, "byte"));
}

std::string group_words(const global_site& s) {
  return formatted("{} {} of the warp touch the same sectors: {} sectors in total, of which only {} are distinct",
                   s.group.pcs.size(), s.kind == global_kind::store ? "stores" : "loads", grouped(s.group.sectors),
                   grouped(s.group.distinct_sectors));
}

bool is_repeated(const global_site& s) {
  return s.group.pcs.size() > 1 && s.group.sectors >= 2 * std::uint64_t{s.group.distinct_sectors};
}

std::string registers_words(const launch_report& l) {
  if (l.registers == 0) return {};
  return formatted(". The kernel uses {} registers per thread{}", l.registers,
                   l.registers >= most_registers ? ", which is the maximum" : "");
}

sector_reason local_reason(const launch_report& l, const global_site& s) {
  sector_reason r;
  r.is = s.in_loop ? sector_problem::local_in_loop : sector_problem::local;
  // If the indices are constant, accesses to a local array look like spilled registers.
  const bool has_array = std::any_of(l.global_sites.begin(), l.global_sites.end(),
                                     [](const global_site& other) { return is_local(other.kind) && !is_spill(other); });
  r.why = (!is_spill(s) ? "an array with a computed index"
           : has_array  ? "an element of an array, or a register that the compiler spilled to local memory"
                        : "a register that the compiler spilled to local memory") +
          std::string(s.in_loop ? ", in a loop" : "") + registers_words(l);
  r.remedy = has_array || !is_spill(s)
                 ? "unroll the loop over the array, so that every index is a constant, or keep the array in shared "
                   "memory"
             : l.registers >= most_registers
                 ? "let each thread keep fewer values, for example with smaller tiles or less unrolling"
                 : "allow more registers (-maxrregcount, __launch_bounds__), or let each thread keep fewer values";
  return r;
}

// Returns which axes to exchange, if lanes are far apart along x, but threads may be neighbours along another axis.
// Returns an empty string if no axis can have neighbours.
std::string exchange_of(const launch_report& l, const global_site& s) {
  const auto apart = axis_strides_of(s.worst, l.block);
  const bool is_y_known = apart && apart->y;
  const bool is_y = l.block[1] > 1 && !(is_y_known && is_distant(*apart->y));
  if (!is_y && l.block[2] < 2) return {};
  return formatted("exchange threadIdx.x and threadIdx.{}, ", is_y ? "y" : "z");
}
std::string distant_remedy(const launch_report& l, const global_site& s) {
  const std::string exchange = exchange_of(l, s);
  return formatted("let neighbouring threads access neighbouring elements: {}or transpose in shared memory",
                   exchange.empty() ? "exchange the indices, " : exchange);
}

// Whether the instructions of a group use nearly all bytes of the sectors that they touch.
bool fills_rows(const global_site& s) {
  const auto lanes = static_cast<std::uint64_t>(std::popcount(s.worst.mask));
  return 5 * s.group.pcs.size() * s.width_bytes * lanes >= 4 * sector_bytes * std::uint64_t{s.group.distinct_sectors};
}

// Returns the reason for members of a struct, and for elements that an unrolled loop accesses one by one. Without a
// stride, lanes access rows at any places, such as rows of a table whose numbers are data.
sector_reason parts_reason(const launch_report& l, const global_site& s, std::optional<std::int64_t> stride) {
  sector_reason r;
  r.is = sector_problem::parts;
  r.why = formatted("{}; {}", stride ? apart(*stride, s.width_bytes) : "each lane accesses a row of its own",
                    group_words(s));
  const std::uint64_t step = !stride ? most_bytes_of_struct + 1 : magnitude(*stride);
  r.leaves = part_of(s.sectors, s.group.distinct_sectors, s.group.sectors);
  if (step <= widest_access && std::has_single_bit(step))
    r.remedy = formatted("use one {} of {} bytes for each lane, such as a float{}",
                         s.kind == global_kind::store ? "store" : "load", step, step / 4);
  else if (step < sector_bytes) {
    r.remedy = "use a struct of arrays instead of an array of structs";
    r.leaves = s.sectors_ideal;
  } else if (stride && !fills_rows(s)) {
    // Nobody, or only other warps, use the rest of each row.
    r.remedy =
        step <= most_bytes_of_struct ? "use a struct of arrays instead of an array of structs" : distant_remedy(l, s);
    r.leaves = std::min(r.leaves, s.sectors_ideal);
  } else {
    r.remedy =
        exchange_of(l, s) +
        "let the lanes of a warp read each row together, or copy the rows through shared memory, so that the warp "
        "touches each sector only once" +
        (s.width_bytes < widest_access ? ", or load 16 bytes for each lane" : "");
    r.exchanges = true;
  }
  return r;
}

// Returns the reason for loads that touch the same sectors one after another, such as the loads of a stencil.
sector_reason again_reason(const global_site& s) {
  sector_reason r;
  r.is = sector_problem::again;
  r.why = group_words(s);
  r.remedy =
      "load each sector only once: use wider loads (float4), keep values in registers, or pass values between "
      "lanes by shuffles";
  r.leaves = part_of(s.sectors, s.group.distinct_sectors, s.group.sectors);
  return r;
}

}  // namespace

std::optional<std::int64_t> stride_of(const global_sample& s) {
  std::optional<std::int64_t> stride;
  int before = -1;
  for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (before >= 0) {
      const auto at = [&](int i) { return static_cast<std::int64_t>(s.address[static_cast<std::size_t>(i)]); };
      const std::int64_t distance = at(lane) - at(before);
      if (distance % (lane - before) != 0) return std::nullopt;
      if (stride && *stride != distance / (lane - before)) return std::nullopt;
      stride = distance / (lane - before);
    }
    before = lane;
  }
  return stride;
}

bool is_distant(std::int64_t stride) { return magnitude(stride) >= sector_bytes; }

std::optional<axis_strides> axis_strides_of(const global_sample& s, const xyz& block) {
  constexpr std::uint32_t lanes = 32;
  const std::uint32_t row = std::min(lanes, block[0]);
  if (row < 2 || (block[0] < lanes && lanes % block[0] != 0)) return std::nullopt;
  // Lanes of the first active lane's row give the distance along x, and lanes of its column the distance along y.
  std::optional<std::int64_t> x, y;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(s.mask));
  const auto at = [&](std::uint32_t lane) { return static_cast<std::int64_t>(s.address[lane]); };
  for (std::uint32_t rest = s.mask & (s.mask - 1); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::int64_t distance = at(lane) - at(first);
    const auto columns = static_cast<std::int64_t>(lane % row) - static_cast<std::int64_t>(first % row),
               rows = static_cast<std::int64_t>(lane / row) - static_cast<std::int64_t>(first / row);
    if (rows == 0 && !x) {
      if (distance % columns != 0) return std::nullopt;
      x = distance / columns;
    }
    if (columns == 0 && !y) {
      if (distance % rows != 0) return std::nullopt;
      y = distance / rows;
    }
    if ((columns != 0 && !x) || (rows != 0 && !y)) return std::nullopt;
    if (distance != columns * x.value_or(0) + rows * y.value_or(0)) return std::nullopt;
  }
  if (!x) return std::nullopt;
  return axis_strides{*x, y};
}

bool is_spill(const global_site& s) {
  const std::size_t at = s.sass.find("[R1");
  return at != std::string::npos && at + 3 < s.sass.size() &&
         std::string_view("]+.-").find(s.sass[at + 3]) != std::string_view::npos;
}

sector_reason reason_of(const launch_report& l, const global_site& s) {
  if (memory_of(s.kind) == memory_kind::texture || memory_of(s.kind) == memory_kind::surface) return {};
  if (is_local(s.kind)) return s.sectors == 0 ? sector_reason() : local_reason(l, s);
  const std::uint64_t excess = excess_sectors(s);
  sector_reason r;
  r.leaves = s.sectors_ideal;
  if (excess == 0) {
    return s.kind == global_kind::load && is_repeated(s) ? again_reason(s) : sector_reason();
  }
  const auto stride = stride_of(s.worst);
  const std::uint64_t step = !stride ? 0 : magnitude(*stride);
  if (stride && step > s.width_bytes && is_repeated(s)) return parts_reason(l, s, *stride);
  if (stride && step > s.width_bytes && step < sector_bytes) {
    r.is = sector_problem::stride;
    r.why = formatted("{}, so only {} of each sector of 32 bytes are used", apart(*stride, s.width_bytes),
                      count_of(sector_bytes * s.width_bytes / step, "byte"));
    r.remedy = "place the elements next to each other: use a struct of arrays instead of an array of structs";
    return r;
  }
  if (stride && step >= sector_bytes && step > s.width_bytes) {
    r.is = sector_problem::column;
    r.why = formatted("{}, so each lane needs its own sector", apart(*stride, s.width_bytes));
    r.remedy = distant_remedy(l, s);
    return r;
  }
  if (excess <= s.requests) {
    // Each of these loads would need a different base address to be aligned. Alignment is therefore not the remedy.
    if (s.kind == global_kind::load && is_repeated(s)) return again_reason(s);
    r.is = sector_problem::misaligned;
    r.why = "neighbouring lanes access neighbouring bytes, but the first address is not a multiple of 32 bytes";
    r.remedy = "align the array and the start of each row to 32 bytes";
    r.is_of_data = s.by_data;
    return r;
  }
  if (const auto apart_on = axis_strides_of(s.worst, l.block); apart_on && is_distant(apart_on->x)) {
    r.is = sector_problem::column;
    r.why = formatted(
        "threads that are neighbours in x are {} apart and access {} each, so each of them needs its own sector",
        count_of(magnitude(apart_on->x), "byte"), count_of(s.width_bytes, "byte"));
    r.remedy = distant_remedy(l, s);
    return r;
  }
  if (is_repeated(s)) return parts_reason(l, s, stride);
  r.is = sector_problem::scattered;
  r.is_of_data = s.by_data;
  r.why = s.worst.mask == 0
              ? "the addresses of the lanes are far apart"
              : formatted("the worst access touches {} in {}, although the requested bytes would fit in {}",
                          count_of(s.worst.sectors, "sector"), count_of(s.worst.tag_requests, "line"),
                          count_of(s.worst.sectors_ideal, "sector"));
  r.remedy = s.by_data ? "sort the data, so that neighbouring threads access neighbouring elements"
                       : "let neighbouring threads access neighbouring elements";
  return r;
}

std::string remedy_sentence(const global_site& s, const sector_reason& r) {
  if (!r) return {};
  return formatted("{}: {} instead of {}", r.remedy, count_of(r.leaves, "sector"), grouped(s.sectors));
}

}  // namespace bankwise
