// If an address is no longer a multiple of its width after the change, this is an error, because the hardware would
// fault.
#include "expr/layout_change.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

result<layout_change> read_layout(const flag_values& flags, std::string& title) {
  layout_change change;
  if (const auto text = flags.value("pad")) {
    const std::vector<std::string_view> parts = split(*text, ':');
    const auto every = parse_size(trim(parts[0])), free_bytes = parse_size(trim(parts.size() == 2 ? parts[1] : ""));
    if (!every || !free_bytes || *every < 1 || *every > 1u << 20 || *free_bytes > 1u << 20)
      return about("pad", {worded(setting::pad) + " " + *text + ": expected EVERY:BYTES, each at most 1M",
                           {},
                           worded(setting::pad, "128:4") +
                               " leaves 4 bytes free after every 128 bytes, like rows of 33 floats"});
    change.every = *every;
    change.free_bytes = *free_bytes;
    title += ", padded " + std::to_string(*every) + ":" + std::to_string(*free_bytes);
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
          {worded(setting::swizzle) + " " + *text + ": expected B,M,S with S at least B and B + M + S at most 32" +
               (good ? "" : ", each below 32"),
           {},
           worded(setting::swizzle, "3,4,3") +
               " is CuTe's Swizzle<3,4,3> over bytes: it permutes the 16-byte chunks of eight rows of 128 bytes"});
    change.permute = s;
    title += ", swizzled " + std::to_string(n[0]) + "," + std::to_string(n[1]) + "," + std::to_string(n[2]);
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
  if (change.every != 0) w.pad = std::to_string(change.every) + ":" + std::to_string(change.free_bytes);
  if (const auto& s = change.permute)
    w.swizzle = std::to_string(s->bits) + "," + std::to_string(s->base) + "," + std::to_string(s->shift);
  return w;
}

result<done> move_addresses(const layout_change& change, const named_operation& op, access& what) {
  const u32 width = op.op.width_bytes;
  for (u32 lane = 0; lane < 32; ++lane) {
    if ((what.mask >> lane & 1) == 0) continue;
    const auto padded = change.padded(what.address[lane]);
    if (!padded) return about("pad", {"lane " + std::to_string(lane) + ": the padded address is beyond 2^32 - 1"});
    if (*padded % width != 0)
      return about("pad",
                   {"lane " + std::to_string(lane) + ": the padding moves it to byte " + std::to_string(*padded) +
                        ", which is not a multiple of " + std::to_string(width) + ", the width of " + op.spelling,
                    {},
                    "the hardware faults there; pad by a multiple of " + std::to_string(width)});
    what.address[lane] = *padded;
    if (!change.permute) continue;
    const u32 swizzled = (*change.permute)(*padded);
    if (swizzled % width != 0)
      return about("swizzle",
                   {"lane " + std::to_string(lane) + ": the swizzle moves it to byte " + std::to_string(swizzled) +
                        ", which is not a multiple of " + std::to_string(width) + ", the width of " + op.spelling,
                    {},
                    "the hardware faults there; M of at least " +
                        std::to_string(width == 16  ? 4
                                       : width == 8 ? 3
                                                    : width / 2) +
                        " keeps these low bits"});
    what.address[lane] = swizzled;
  }
  return done{};
}

}  // namespace bankwise
