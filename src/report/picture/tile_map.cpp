#include "report/picture/tile_map.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "expr/layout_change.hpp"
#include "expr/question.hpp"

namespace bankwise {

namespace {

// Returns the array that contains the bytes of the first active lane.
const expr::array_decl& array_of(const std::vector<expr::array_decl>& arrays, const access& a) {
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((lanes_used(a) >> lane & 1) == 0) continue;
    for (const expr::array_decl& one : arrays)
      if (a.address[lane] >= one.offset && a.address[lane] < one.offset + bytes_of(one)) return one;
  }
  return arrays.front();
}

}  // namespace

result<tile_map> map_tile(const flag_values& flags, const std::string& text, const std::string& list_name) {
  std::string title;
  const flag_values plain = without_change(flags);
  const auto names = read_scope(plain);
  if (!names) return names.error();
  const auto change = read_layout(flags, *names, list_name.empty() ? text : "", title);
  if (!change) return change.error();
  const auto q = read_question(plain, text, list_name);
  if (!q) return q.error();
  if (names->arrays.empty()) return diagnostic{"no array is declared", {}, "such as float tile[32][32]"};

  const expr::array_decl& array = array_of(names->arrays, q->what);
  const bank_model& model = q->on.model;
  tile_map m;
  m.name = array.name;
  m.type = array.type;
  m.element_bytes = array.element_bytes;
  m.banks = model.banks;
  m.extents = array.extents;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : array.extents) count = std::min(count * extent, std::uint64_t{1} << 40);
  m.columns = array.extents.size() > 1
                  ? array.extents.back()
                  : std::min(count, std::max<std::uint64_t>(1, u64{model.banks} * model.bank_bytes / m.element_bytes));
  m.rows = (count + m.columns - 1) / m.columns;
  if (m.columns > most_tile_elements)
    return diagnostic{"a row of " + array.name + " has more than " + grouped(most_tile_elements) + " elements"};

  const std::uint64_t shown = std::min(count, most_tile_elements / m.columns * m.columns);
  std::vector<std::pair<std::uint64_t, std::size_t>> at;  // address of each element's first byte, before the change
  std::vector<std::uint64_t> indices(array.extents.size());
  for (std::uint64_t i = 0; i < shown; ++i) {
    std::uint64_t left = i;
    for (std::size_t k = indices.size(); k-- > 0; left /= array.extents[k]) indices[k] = left % array.extents[k];
    const std::uint64_t byte = array.offset + offset_of(array, indices) * array.element_bytes;
    at.emplace_back(byte, i);
    auto moved = change->padded(static_cast<u32>(byte));
    if (!moved) return about("pad", {"the padding moves the address of an element above 2^32 - 1"});
    moved = change->swizzled(byte, *moved);
    m.byte.push_back(*moved);
    m.bank.push_back(*moved / model.bank_bytes % model.banks);
  }
  std::sort(at.begin(), at.end());
  m.lanes.assign(shown, 0);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((lanes_used(q->what) >> lane & 1) == 0) continue;
    const std::uint64_t begin = q->what.address[lane], end = begin + q->what.op.width_bytes;
    // The search starts at the first element that ends after `begin`. If the stride is 0, several elements have the
    // same address.
    auto found =
        std::partition_point(at.begin(), at.end(), [&](const auto& e) { return e.first + m.element_bytes <= begin; });
    for (; found != at.end() && found->first < end; ++found) m.lanes[found->second] |= 1u << lane;
  }
  return m;
}

// All values are numbers and identifiers, so no character needs an escape.
std::string to_json(const tile_map& m) {
  const auto list = [](const auto& numbers) {
    std::string s;
    for (const auto n : numbers) s += (s.empty() ? "[" : ",") + std::to_string(n);
    return s.empty() ? std::string("[]") : s + "]";
  };
  std::string lanes;
  for (std::size_t i = 0; i < m.lanes.size(); ++i)
    if (m.lanes[i] != 0)
      lanes += (lanes.empty() ? "[" : ",[") + std::to_string(i) + "," + std::to_string(m.lanes[i]) + "]";
  return "{\"name\":\"" + m.name + "\",\"type\":\"" + m.type +
         "\",\"element_bytes\":" + std::to_string(m.element_bytes) + ",\"banks\":" + std::to_string(m.banks) +
         ",\"extents\":" + list(m.extents) + ",\"rows\":" + std::to_string(m.rows) +
         ",\"columns\":" + std::to_string(m.columns) + ",\"bank\":" + list(m.bank) + ",\"byte\":" + list(m.byte) +
         ",\"lanes\":[" + lanes + "]}";
}

}  // namespace bankwise
