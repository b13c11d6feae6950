#include "report/json/access_json.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

bool is_hex(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string op_of(const site& s) {
  if (!is_access(s)) return s.op.spelling;
  if (is_copy(s.op.op.kind)) return s.op.op.kind == op_kind::copy_async ? "cp.async.ca" : "cp.async.cg";
  return s.op.spelling.substr(0, s.op.spelling.find(".b"));
}

// Returns the bytes of a lane for an access. For all other operations, returns the bytes of a unit: an mbarrier, or a
// row of 16 bytes.
u32 width_of(const site& s) {
  if (is_access(s)) return s.op.op.width_bytes;
  return s.async.kind == async_kind::barrier_init || s.async.kind == async_kind::barrier ? 8 : 16;
}

nlohmann::ordered_json addresses_json(u32 mask, const u32 (&address)[lanes_per_warp]) {
  auto list = nlohmann::ordered_json::array();
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    list.push_back((mask >> lane & 1) != 0 ? nlohmann::ordered_json(address[lane]) : nlohmann::ordered_json(nullptr));
  return list;
}

named_operation read_operation(json_reader& r, const node& n, const machine& on) {
  const std::string name = r.text(n, "op");
  const auto width = static_cast<std::uint32_t>(r.number(n, "width_bytes", 16, 1));
  if (r.wrong()) return {};
  auto op = parse_operation(name, width);
  if (!op) {
    r.fail(r.value_at(n, "op"), op.error().message, op.error().hint);
    return {};
  }
  if (op->op.width_bytes != width || !valid(op->op)) {
    r.fail(r.value_at(n, "width_bytes"),
           formatted("the operation {} does not exist with a width of {} bytes", name, width));
    return {};
  }
  if (const auto none = unsupported(on, *op)) r.fail(r.value_at(n, "op"), none->message, none->hint);
  // The name from the report is kept, because the atomics of older reports have no arithmetic operation in their names.
  const std::string bits = formatted(".b{}", 8 * width);
  if (is_copy(op->op.kind))
    op->spelling = spell(op->op);
  else if (name.find(".b") != std::string::npos)
    r.refuse(r.value_at(n, "op"), "expected an operation name without the width");
  else
    op->spelling = name + (is_matrix(op->op.kind) ? "" : bits);
  op->width_given = false;
  return *op;
}

u32 read_mask(json_reader& r, const node& n) {
  const node mask = r.value_at(n, "mask");
  const std::string digits = r.text(mask);
  if (digits.size() != 8 || !is_hex(digits)) r.refuse(mask, "expected 8 hexadecimal digits");
  return static_cast<u32>(parse_u64(formatted("0x{}", digits)).value_or(0));
}

access read_access(json_reader& r, const node& n, operation op) {
  access a{op, 0, {}};
  a.mask = read_mask(r, n);
  const node addresses = r.list(n, "addresses", lanes_per_warp);
  if (!r.wrong() && r.size(addresses) != lanes_per_warp) r.fail(addresses, "expected 32 addresses, one for each lane");
  if (r.wrong()) return a;
  const u32 used = lanes_used(a);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    const node one = r.item(addresses, lane);
    const bool active = (a.mask >> lane & 1) != 0;
    if (active != !one.value->is_null()) {
      r.refuse(one,
               active ? "expected an address for a lane in the mask" : "expected null for a lane outside the mask");
      return a;
    }
    if (!active) continue;
    // If a lane is not used, its address may be any number.
    const bool read = (used >> lane & 1) != 0;
    a.address[lane] = static_cast<u32>(r.number(one, read ? shared_memory_limit - op.width_bytes : most_u32));
    if (read && a.address[lane] % op.width_bytes != 0)
      r.refuse(one, formatted("expected a multiple of {} (the bytes that each lane accesses)", op.width_bytes));
  }
  return a;
}

copy_source read_source(json_reader& r, const node& n, const access& a) {
  copy_source from = contiguous_source();
  from.reads = a.mask;
  if (!r.has(n, "sources")) return from;
  from = {{}, 0, r.has(n, "may_fill") && r.flag(n, "may_fill")};
  const node sources = r.list(n, "sources", lanes_per_warp);
  if (!r.wrong() && r.size(sources) != lanes_per_warp) r.fail(sources, "expected 32 addresses, one for each lane");
  for (u32 lane = 0; lane < lanes_per_warp && !r.wrong(); ++lane) {
    const node one = r.item(sources, lane);
    if (one.value->is_null()) continue;
    from.reads |= 1u << lane;
    from.address[lane] = static_cast<u32>(r.number(one, most_u32));
    if ((a.mask >> lane & 1) == 0 || from.address[lane] % a.op.width_bytes != 0)
      r.refuse(one, formatted("expected null or a multiple of {} (the bytes that each lane copies)", a.op.width_bytes));
  }
  return from;
}

}  // namespace bankwise
