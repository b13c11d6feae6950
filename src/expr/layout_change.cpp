// Applies a padding and a swizzle to addresses. If an address is then no longer a multiple of its width, this is an
// error, because the access would fault on hardware.
#include "expr/layout_change.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/type_names.hpp"

namespace bankwise {

namespace {

// The arrays that a question names.
std::vector<const expr::array_decl*> named_arrays(const expr::scope& names, std::string_view text) {
  std::vector<const expr::array_decl*> named;
  for (const expr::array_decl& array : names.arrays)
    if (find_word(text, array.name) != std::string_view::npos) named.push_back(&array);
  return named;
}

// Decides what the swizzle permutes. `unit` is the word after the colon, or empty. Appends the unit to `title`.
result<done> take_unit(layout_change& change, std::string_view unit, const expr::scope& names, std::string_view text,
                       std::string& title) {
  const auto named = named_arrays(names, text);
  if (unit == "bytes" || (unit.empty() && named.empty())) {
    if (!named.empty()) title += " over bytes";
    return done{};
  }
  if (named.empty())
    return about("swizzle", {formatted("{} {}: the access names no declared array, so it has no elements",
                                       worded(setting::swizzle), unit),
                             {},
                             formatted("declare the array: {}", worded(setting::array, "float tile[32][32]"))});
  for (const expr::array_decl* array : named) {
    if (packed_bits(array->type) != 0)
      return about("swizzle", {formatted("a swizzle of the elements of {} would move parts of bytes", array->name),
                               {},
                               formatted("{} permutes bytes", worded(setting::swizzle, "3,4,3:bytes"))});
    change.arrays.push_back({array->offset, array->element_bytes});
  }
  title += formatted(" over elements of {}", named.front()->type);
  return done{};
}

// The number of low bits that a swizzle must keep, so that an access of `width` bytes remains aligned.
std::uint32_t kept_bits(u32 width, const layout_change& change) {
  const u32 unit = change.arrays.empty() ? 1 : change.arrays.front().element_bytes;
  std::uint32_t bits = 0;
  while ((u64{unit} << bits) < width) ++bits;
  return bits;
}

}  // namespace

u32 layout_change::swizzled(u64 plain, u32 padded) const {
  if (!permute) return padded;
  const swizzled_array* of = nullptr;
  for (const swizzled_array& array : arrays)
    if (of == nullptr || array.begin <= plain) of = &array;
  if (of == nullptr || of->begin > padded) return (*permute)(padded);
  const u32 begin = static_cast<u32>(of->begin), index = (padded - begin) / of->element_bytes;
  return begin + (*permute)(index)*of->element_bytes + (padded - begin) % of->element_bytes;
}

result<layout_change> read_layout(const flag_values& flags, const expr::scope& names, std::string_view question,
                                  std::string& title) {
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
    const std::size_t colon = std::min(text->find(':'), text->size());
    const std::string_view unit = colon == text->size() ? "" : trim(std::string_view(*text).substr(colon + 1));
    const std::vector<std::string_view> parts = split(std::string_view(*text).substr(0, colon), ',');
    std::array<std::uint32_t, 3> n{};
    bool good = parts.size() == 3 && (colon == text->size() || unit == "bytes" || unit == "elements");
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
    if (const auto taken = take_unit(change, unit, names, question, title); !taken) return taken.error();
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
    const u32 plain = what.address[lane];
    const auto padded = change.padded(plain);
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
    const u32 swizzled = change.swizzled(plain, *padded);
    if (swizzled % width != 0)
      return about(
          "swizzle",
          {formatted("lane {}: the swizzle moves the address of this lane to byte {}, which is not a multiple of {}, "
                     "the width of {}",
                     lane, swizzled, width, op.spelling),
           {},
           formatted("the hardware faults on a misaligned address. A swizzle with M of at least {} does not change the "
                     "low bits of the {}",
                     kept_bits(width, change), change.arrays.empty() ? "address" : "index")});
    what.address[lane] = swizzled;
  }
  return done{};
}

}  // namespace bankwise
