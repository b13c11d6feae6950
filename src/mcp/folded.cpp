#include "mcp/folded.hpp"

#include <algorithm>
#include <numeric>
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

json folded_text(const json& value, std::size_t bytes, const std::string& at) {
  if (bytes <= 2 * place_bytes) return place_of(value, at);
  const std::string& whole = value.get_ref<const std::string&>();
  std::size_t kept = std::min(bytes - place_bytes, whole.size());
  while (kept > 0 && (static_cast<unsigned char>(whole[kept]) & 0xC0U) == 0x80U) --kept;  // not inside a character
  return formatted("{}... ({} of {} bytes; more: {})", whole.substr(0, kept), kept, whole.size(), at);
}

// Small members are kept whole first. What they leave is divided among the large members.
json folded_object(const json& value, std::size_t bytes, const std::string& at) {
  std::vector<std::pair<std::string, const json*>> members;
  for (const auto& [name, member] : value.items()) members.emplace_back(name, &member);
  std::vector<std::size_t> order(members.size()), sizes(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < members.size(); ++i) sizes[i] = size_of(*members[i].second);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  std::vector<json> kept(members.size());
  std::size_t left = bytes > 2 ? bytes - 2 : 0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const auto& [name, member] = members[order[n]];
    const std::size_t share = left / (order.size() - n), key = name.size() + 4;
    kept[order[n]] = folded(*member, share > key ? share - key : 0, formatted("{}/{}", at, escaped(name)));
    left -= std::min(left, size_of(kept[order[n]]) + key);
  }
  json all = json::object();
  for (std::size_t i = 0; i < members.size(); ++i) all[members[i].first] = std::move(kept[i]);
  return all;
}

json folded_list(const json& value, std::size_t bytes, const std::string& at) {
  json all = json::array();
  std::size_t left = bytes - 2 * place_bytes;
  for (std::size_t i = 0; i < value.size(); ++i) {
    json item = value[i];
    std::size_t size = size_of(item) + 1;
    if (size > left && i == 0) {  // the first item shows what the items are
      item = folded(value[i], left, formatted("{}/0", at));
      size = size_of(item) + 1;
    }
    if (size > left && i > 0) break;
    left -= std::min(left, size);
    all.push_back(std::move(item));
  }
  if (all.size() < value.size()) {
    json place = place_of(value, at);
    place["from"] = all.size();
    all.push_back(std::move(place));
  }
  return all;
}

}  // namespace

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json folded(const json& value, std::size_t bytes, const std::string& at) {
  const std::size_t size = size_of(value);
  if (size <= std::max(bytes, place_bytes)) return value;
  if (value.is_string()) return folded_text(value, bytes, at);
  if (!value.is_structured()) return value;
  // An object or list with room for little more than the places of its items is a place itself.
  if (bytes < 3 * place_bytes) return place_of(value, at);
  return value.is_object() ? folded_object(value, bytes, at) : folded_list(value, bytes, at);
}

}  // namespace bankwise::mcp
