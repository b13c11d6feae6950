// Applies a padding and a swizzle to addresses. If an address is then no longer a multiple of its width, this is an
// error, because the access would fault on hardware.
#include "expr/layout_change.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

result<layout_change> read_layout(const flag_values& flags, std::string& title) {
  layout_change change;
  if (const auto text = flags.value("pad")) {
    const std::vector<std::string_view> parts = split(*text, ':');
    const auto every = parse_size(trim(parts[0])), free_bytes = parse_size(trim(parts.size() == 2 ? parts[1] : ""));
    if (!every || !free_bytes || *every < 1 || *every > 1u << 20 || *free_bytes > 1u << 20)
      return about(
          "pad", {formatted("{} {}: expected EVERY:BYTES, two numbers of at most 1M each", worded(setting::pad), *text),
                  {},
                  formatted("{} leaves 4 bytes free after every 128 bytes, like rows of 33 floats",
                            worded(setting::pad, "128:4"))});
    change.every = *every;
    change.free_bytes = *free_bytes;
    title += formatted(", padded {}:{}", *every, *free_bytes);
  }
  if (const auto text = flags.value("swizzle")) {
    const std::vector<std::string_view> parts = split(*text, ',');
    std::array<std::uint32_t, 3> n{};
    bool good = parts.size() == 3;
    for (std::size_t i = 0; good && i < 3; ++i) {
      const auto value = parse_u64(trim(parts[i]));
      good = value && *value < 32;
      if (good) n[i] = static_cast<std::uint32_t>(*value);
    }
    const swizzle s{n[0], n[1], n[2]};
    if (!good || !is_bijective(s))
      return about(
          "swizzle",
          {formatted("{} {}: expected three numbers B,M,S. S must be at least B, and B + M + S must be at most 32{}",
                     worded(setting::swizzle), *text, good ? "" : ", each below 32"),
           {},
           formatted("for example, {} is CuTe's Swizzle<3,4,3> over bytes. This swizzle permutes the 16-byte chunks in "
                     "groups of "
                     "eight rows of 128 bytes",
                     worded(setting::swizzle, "3,4,3"))});
    change.permute = s;
    title += formatted(", swizzled {},{},{}", n[0], n[1], n[2]);
  }
  return change;
}

flag_values without_change(flag_values flags) {
  flags.values.erase("pad");
  flags.values.erase("swizzle");
  return flags;
}

layout_words words_of(const layout_change& change) {
  layout_words w;
  if (change.every != 0) w.pad = formatted("{}:{}", change.every, change.free_bytes);
  if (const auto& s = change.permute) w.swizzle = formatted("{},{},{}", s->bits, s->base, s->shift);
  return w;
}

result<done> move_addresses(const layout_change& change, const named_operation& op, access& what) {
  const u32 width = op.op.width_bytes;
  for (u32 lane = 0; lane < 32; ++lane) {
    if ((what.mask >> lane & 1) == 0) continue;
    const auto padded = change.padded(what.address[lane]);
    if (!padded) return about("pad", {formatted("lane {}: the padded address is beyond 2^32 - 1", lane)});
    if (*padded % width != 0)
      return about("pad",
                   {formatted("lane {}: the padding moves the address of this lane to byte {}, which is not a multiple "
                              "of {}, the width of {}",
                              lane, *padded, width, op.spelling),
                    {},
                    formatted("the hardware faults on a misaligned address. Pad by a multiple of {} bytes", width)});
    what.address[lane] = *padded;
    if (!change.permute) continue;
    const u32 swizzled = (*change.permute)(*padded);
    if (swizzled % width != 0)
      return about(
          "swizzle",
          {formatted("lane {}: the swizzle moves the address of this lane to byte {}, which is not a multiple of {}, "
                     "the width of {}",
                     lane, swizzled, width, op.spelling),
           {},
           formatted("the hardware faults on a misaligned address. A swizzle with M of at least {} does not change the "
                     "low bits of the address",
                     width == 16  ? 4
                     : width == 8 ? 3
                                  : width / 2)});
    what.address[lane] = swizzled;
  }
  return done{};
}

}  // namespace bankwise
