// Reads the values of flags. If a value is outside its range, the error lists the valid values.
#include "base/flag_values.hpp"

#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

diagnostic wrong(std::string_view flag, const std::string& text, const std::string& expected) {
  return {worded_name(flag) + " " + text + ": expected " + expected, {}, {}, std::string(flag)};
}

}  // namespace

diagnostic about(std::string_view flag, diagnostic d) {
  if (d.flag.empty()) d.flag = flag;
  return d;
}

std::optional<std::string> flag_values::value(std::string_view flag) const {
  const std::vector<std::string>& list = all(flag);
  return list.empty() ? std::nullopt : std::optional(list.back());
}

const std::vector<std::string>& flag_values::all(std::string_view flag) const {
  static const std::vector<std::string> none;
  const auto entry = values.find(flag);
  return entry == values.end() ? none : entry->second;
}

result<std::uint64_t> number(const flag_values& flags, std::string_view flag, std::uint64_t otherwise,
                             std::uint64_t least, std::uint64_t most) {
  const auto text = flags.value(flag);
  if (!text) return otherwise;
  const auto n = parse_size(*text);
  if (!n || *n < least || *n > most)
    return wrong(flag, *text, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  return *n;
}

result<std::array<std::uint32_t, 3>> triple(const flag_values& flags, std::string_view flag,
                                            std::array<std::uint32_t, 3> otherwise) {
  const auto text = flags.value(flag);
  if (!text) return otherwise;
  std::array<std::uint32_t, 3> r{1, 1, 1};
  const std::vector<std::string_view> parts = split(*text, text->find('x') != std::string::npos ? 'x' : ',');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto n = parse_u64(trim(parts[i]));
    if (i > 2 || !n || *n < 1 || *n > 0x7fffffff)
      return wrong(flag, *text, "one, two or three positive numbers, such as 32,16");
    r[i] = static_cast<std::uint32_t>(*n);
  }
  return r;
}

result<std::string> choice(const flag_values& flags, std::string_view flag, std::string_view otherwise,
                           const std::vector<std::string>& words) {
  const std::string text = flags.value(flag).value_or(std::string(otherwise));
  std::string list;
  for (const std::string& w : words) {
    if (w == text) return text;
    list += (list.empty() ? "" : ", ") + w;
  }
  diagnostic d = wrong(flag, text, "one of " + list);
  if (const auto near = nearest(text, words, 1); !near.empty() && edit_distance(text, near[0]) <= text.size() / 3)
    d.hint = "did you mean " + worded_name(flag) + " " + near[0] + "?";
  return d;
}

}  // namespace bankwise
