// Finds the best simple layout. Layouts that change little in a source are tried first: longer rows, a swizzle, other
// padding. A later layout is chosen only if it is better.
#include "advise/plain_layout.hpp"

#include <algorithm>
#include <bit>

#include "advise/search/swizzles.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/parse/type_names.hpp"
#include "expr/question.hpp"

namespace bankwise::advise {

namespace {

class plain_search {
 public:
  plain_search(plain_layout& found, const named_access& asked)
      : found_(found), asked_(asked), row_bytes_(u32{asked.on.model.banks} * asked.on.model.bank_bytes) {}

  void run() {
    const problem& p = found_.what;
    found_.before = found_.best.wavefronts = wavefronts({});
    // The source of a copy adds a cost that is the same in every layout.
    found_.floor = asked_.has_source ? explain(asked_.what, asked_.from, p.on.model).layout_floor
                                     : layout_floor(asked_.what, p.on.model);
    const u32 step = granule_bytes(p);
    if (p.pitch_bytes != 0 && p.pitch_bytes < p.bytes)
      paddings(advise::family::row_padding, p.pitch_bytes, step);
    else if (row_bytes_ < p.bytes)
      paddings(advise::family::padding, row_bytes_, step);
    swizzles(step);
    // The longest period is tried first, because it wastes the fewest bytes.
    if (const u32 longest = std::bit_floor(static_cast<u32>(p.bytes) - 1); p.bytes > 1)
      for (u32 every = longest; every >= step && every != 0; every /= 2) paddings(advise::family::padding, every, step);
    found_.best.bytes = bytes_after(found_.best.layout, p.bytes);
    found_.best.by_group = {found_.best.wavefronts};
    apply();
  }

 private:
  std::uint64_t wavefronts(const relayout& layout) const {
    access moved = asked_.what;
    for (u32& address : moved.address) address = layout(address);
    return cost_of(moved);
  }
  std::uint64_t cost_of(const access& a) const {
    return (asked_.has_source ? analyze(a, asked_.from, asked_.on.model) : analyze(a, asked_.on.model)).wavefronts;
  }

  void consider(answer a) {
    ++found_.tried;
    a.wavefronts = wavefronts(a.layout);
    if (a.wavefronts < found_.best.wavefronts) found_.best = std::move(a);
  }
  bool done() const { return found_.best.wavefronts <= found_.floor; }

  void paddings(advise::family kind, u32 every, u32 step) {
    for (u32 gap = step; gap < row_bytes_ && every % step == 0 && !done(); gap += step)
      consider({.kind = kind, .layout = {.every = every, .gap = gap}});
  }

  void swizzles(u32 step) {
    each_swizzle(row_bytes_, step, found_.what.pitch_bytes, found_.what.bytes, {}, [&](swizzle s) {
      if (done()) return false;
      consider({.kind = advise::family::swizzle, .layout = {.terms = terms_of(s)}, .permute = s});
      return true;
    });
  }

  // Stores the best layout as a change of addresses. A layout moves offsets in the array, but the change moves
  // addresses. The cost is therefore counted again.
  void apply() {
    const relayout& l = found_.best.layout;
    found_.change = {l.every, l.gap, found_.best.permute};
    access moved = asked_.what;
    for (u32& address : moved.address) address += static_cast<u32>(found_.array.offset);
    found_.applies = move_addresses(found_.change, asked_.op, moved) && cost_of(moved) == found_.best.wavefronts;
  }

  plain_layout& found_;
  const named_access& asked_;
  u32 row_bytes_;
};

}  // namespace

result<plain_layout> find_plain_layout(const flag_values& flags, const std::string& text,
                                       const std::string& list_name) {
  const flag_values plain = without_change(flags);
  auto q = read_question(plain, text, list_name);
  if (!q) return q.error();
  const auto names = read_scope(plain);
  if (!names) return names.error();
  if (lanes_used(q->what) == 0) return diagnostic{"no lane is active, so there is no layout to search for"};

  u32 first = ~0u;
  std::uint64_t end = 0;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((lanes_used(q->what) >> lane & 1) == 0) {
      q->what.address[lane] = 0;
      continue;
    }
    first = std::min(first, q->what.address[lane]);
    end = std::max<std::uint64_t>(end, std::uint64_t{q->what.address[lane]} + q->what.op.width_bytes);
  }
  plain_layout found;
  found.what.on = q->on;
  found.what.element_bytes = q->what.op.width_bytes;
  if (const auto type = plain.value("type"); type && list_name.empty()) {
    found.array.type = *type;
    found.what.element_bytes = type_bytes(*type).value_or(1);
  }
  found.what.bytes = end;
  for (const expr::array_decl& a : names->arrays) {
    if (first < a.offset || end > a.offset + bytes_of(a)) continue;
    found.array = expr::without_layout(a);
    found.what.bytes = bytes_of(a);
    found.what.element_bytes = a.element_bytes;
    if (found.array.extents.size() > 1)
      found.what.pitch_bytes = static_cast<u32>(found.array.extents.back() * a.element_bytes);
  }
  if (found.what.bytes > most_array_bytes)
    return diagnostic{formatted("the addresses of the access span {} bytes, but shared memory has less than {} bytes",
                                grouped(found.what.bytes), grouped(most_array_bytes)),
                      {},
                      "count the addresses from the start of the array"};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((lanes_used(q->what) >> lane & 1) != 0) q->what.address[lane] -= static_cast<u32>(found.array.offset);
  found.what.groups.push_back({text, q->op, false});
  found.what.accesses.push_back({q->what, 1, 0});
  plain_search(found, *q).run();
  return found;
}

}  // namespace bankwise::advise
