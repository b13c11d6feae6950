#include "mcp/folded.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <vector>

#include "base/format.hpp"

namespace bankwise::mcp {

namespace {

constexpr std::size_t place_bytes = 90;  // about the text of a place

std::size_t size_of(const json& value) { return text_of(value).size(); }

// A member's name as a JSON pointer has it.
std::string escaped(std::string_view name) {
  std::string s;
  for (const char c : name)
    if (c == '~')
      s += "~0";
    else if (c == '/')
      s += "~1";
    else
      s += c;
  return s;
}

json place_of(const json& value, const std::string& at) {
  json place = {{"more", at}};
  if (value.is_structured()) place["items"] = value.size();
  place["bytes"] = size_of(value);
  return place;
}

json place_from(const json& value, const std::string& at, std::size_t from) {
  json place = place_of(value, at);
  place["from"] = from;
  return place;
}

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

// Returns the largest n, at most the text's size, for which `part(n)` takes at most `bytes` bytes as JSON.
template <typename Part>
std::size_t most_that_fit(std::size_t size, std::size_t bytes, const Part& part) {
  const auto fits = [&](std::size_t n) { return size_of(json(part(n))) <= bytes + 2; };
  const auto counts = std::views::iota(std::size_t{0}, std::min(size, bytes) + 1);
  const auto end = std::ranges::partition_point(counts, fits);
  return end == counts.begin() ? 0 : *std::ranges::prev(end);
}

// `from` may be inside of a character, which then counts as a whole.
json text_from(const json& value, std::size_t from, std::size_t bytes, const std::string& at) {
  const std::string& whole = value.get_ref<const std::string&>();
  while (from > 0 && is_inside_character(whole, from)) --from;
  const std::string_view left = std::string_view(whole).substr(from);
  const std::size_t place = place_bytes + at.size();
  std::string_view kept = first_bytes(left, bytes);
  if (kept.size() < left.size()) kept = first_bytes(left, bytes > place ? bytes - place : 0);
  // A character takes at most 4 bytes, and 6 as JSON.
  if (kept.empty()) kept = first_bytes(left, 6);
  const std::size_t end = from + kept.size();
  if (end == whole.size()) return kept;
  return formatted("{}... ({} of {} bytes; more: {} from {})", kept, end, whole.size(), at, end);
}

struct named_member {
  std::string name;
  const json* value;
  std::size_t key, size, least;  // bytes of the name with its punctuation, of the value, and of both when folded
};

std::vector<named_member> members_from(const json& value, std::size_t from, std::size_t bytes, const std::string& at) {
  std::vector<named_member> members;
  std::size_t taken = 2 * place_bytes + at.size();  // of the place of the rest
  auto member = value.begin();
  std::advance(member, static_cast<std::ptrdiff_t>(from));
  for (; member != value.end(); ++member) {
    const std::size_t key = size_of(json(member.key())) + 2, size = size_of(*member);
    const std::size_t place = place_bytes + at.size() + key;
    const std::size_t least = key + (size <= place ? size : place);
    if (taken + least > bytes) break;
    taken += least;
    members.push_back({member.key(), &*member, key, size, least});
  }
  return members;
}

// Small members are kept whole first. What they leave is divided among the large members.
json object_from(const json& value, std::size_t from, std::size_t bytes, const std::string& at) {
  std::vector<named_member> members = members_from(value, from, bytes, at);
  if (members.empty()) {
    const auto first = std::next(value.begin(), static_cast<std::ptrdiff_t>(from));
    members.push_back({first.key(), &*first, first.key().size() + 4, size_of(*first), 0});
  }
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return members[a].size < members[b].size; });
  std::vector<json> kept(members.size());
  const std::size_t end = from + members.size();
  const std::size_t around = end < value.size() ? 2 * place_bytes + at.size() : 2;
  std::size_t left = bytes > around ? bytes - around : 0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const named_member& m = members[order[n]];
    const std::size_t share = left / (order.size() - n);
    kept[order[n]] = folded(*m.value, share > m.key ? share - m.key : 0, formatted("{}/{}", at, escaped(m.name)));
    left -= std::min(left, size_of(kept[order[n]]) + m.key);
  }
  json all = json::object();
  for (std::size_t i = 0; i < members.size(); ++i) all.push_back({members[i].name, std::move(kept[i])});
  if (end < value.size()) {
    std::string name = "...";
    while (all.contains(name)) name += '.';
    all[name] = place_from(value, at, end);
  }
  return all;
}

json list_from(const json& value, std::size_t from, std::size_t bytes, const std::string& at) {
  json all = json::array();
  const std::size_t place = 2 * place_bytes + at.size();
  std::size_t left = bytes > place ? bytes - place : 0, i = from;
  for (; i < value.size(); ++i) {
    json item = value[i];
    std::size_t size = size_of(item) + 1;
    if (size > left && i > from) break;
    if (size > left) {  // the first item shows what the items are
      item = folded(value[i], left, formatted("{}/{}", at, i));
      size = size_of(item) + 1;
    }
    left -= std::min(left, size);
    all.push_back(std::move(item));
  }
  if (i < value.size()) all.push_back(place_from(value, at, i));
  return all;
}

}  // namespace

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string_view first_bytes(std::string_view text, std::size_t bytes) {
  std::size_t n = most_that_fit(text.size(), bytes, [&](std::size_t k) { return text.substr(0, k); });
  while (n > 0 && is_inside_character(text, n)) --n;
  return text.substr(0, n);
}

std::string_view last_bytes(std::string_view text, std::size_t bytes) {
  const std::size_t n = most_that_fit(text.size(), bytes, [&](std::size_t k) { return text.substr(text.size() - k); });
  std::size_t begin = text.size() - n;
  while (is_inside_character(text, begin)) ++begin;
  return text.substr(begin);
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 200;
  const std::string_view kept = first_bytes(text, most);
  return kept.size() == text.size() ? std::string(text) : formatted("{}...", kept);
}

std::size_t extent_of(const json& value) {
  return value.is_string() ? value.get_ref<const std::string&>().size() : value.is_structured() ? value.size() : 0;
}

json folded_from(const json& value, std::size_t from, std::size_t bytes, const std::string& at) {
  return value.is_string()   ? text_from(value, from, bytes, at)
         : value.is_object() ? object_from(value, from, bytes, at)
                             : list_from(value, from, bytes, at);
}

json folded(const json& value, std::size_t bytes, const std::string& at) {
  if (size_of(value) <= std::max(bytes, place_bytes)) return value;
  if (extent_of(value) == 0) return value;
  // Without room for much more than the places of its items, a value is a place itself.
  if (bytes < (value.is_string() ? 2 : 3) * place_bytes + at.size()) return place_of(value, at);
  return folded_from(value, 0, bytes, at);
}

}  // namespace bankwise::mcp
