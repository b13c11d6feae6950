// Reads flags in the order of their dependencies: line, mask, width, layout, addresses.
#include "expr/asked_lanes.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/address_list.hpp"
#include "expr/misaligned.hpp"
#include "expr/parse/type_names.hpp"

namespace bankwise {

namespace {

result<asked_width> read_width(const flag_values& flags, std::uint32_t most) {
  asked_width w;
  if (const auto type = flags.value("type")) {
    const auto found = find_type(*type);
    if (!found) {
      const auto near = nearest(*type, all_type_names(), 1);
      return about("type", {formatted("{} {}: unknown type", worded(setting::type), *type),
                            {},
                            near.empty() ? "use a type of CUDA, such as float, half2, float4 or double"
                                         : formatted("did you mean {}?", near[0])});
    }
    const std::uint32_t piece = expr::piece_bytes(*found);
    w = {found->bytes, piece, found->bytes / piece, true};
  }
  if (flags.has("width")) {
    const auto bytes = number(flags, "width", 4, 1, most);
    if (!bytes) return bytes.error();
    if ((*bytes & (*bytes - 1)) != 0)
      return about("width", {formatted("{} {}: a lane accesses 1, 2, 4, 8{}", worded(setting::width), *bytes,
                                       most == 32 ? ", 16 or 32 bytes" : " or 16 bytes")});
    w.width = static_cast<std::uint32_t>(*bytes);
    w.pieces = 1;
    w.given = true;
  }
  return w;
}

// Returns whether an operation loads, stores or updates. The result helps to find the operation among the accesses of a
// line.
char direction(const named_operation& op) {
  switch (op.op.kind) {
    case op_kind::load:
    case op_kind::ldmatrix: return 'l';
    case op_kind::store:
    case op_kind::stmatrix:
    case op_kind::copy_async:
    case op_kind::copy_async_cg: return 's';
    default: return 'a';
  }
}

}  // namespace

result<done> asked_lanes::read(expr::scope names_of_it) {
  names = std::move(names_of_it);
  if (!is_list())
    if (const auto read = read_line(); !read) return read.error();
  const auto read = read_width(flags_, most_.width);
  if (!read) return read.error();
  width = *read;
  const auto moved = read_layout(flags_, names, is_list() ? "" : text_, layout_title);
  if (!moved) return moved.error();
  change = *moved;
  return done{};
}

// Chooses the access that the question is about: the access of the line that --op names, or the first access without
// --op.
result<done> asked_lanes::read_line() {
  auto read = expr::parse_line(text_, names);
  if (!read) return about("expr", read.error());
  line = std::move(*read);
  if (line->accesses.empty()) return done{};
  const auto op = flags_.value("op");
  if (!op) return done{};
  const auto named = parse_operation(*op);
  if (!named) return done{};  // an unknown name is reported later, when the width is known
  const auto at = std::find_if(line->accesses.begin(), line->accesses.end(), [&](const expr::line_access& a) {
    if (a.op.empty()) return true;
    const auto own = parse_operation(a.op);
    return own && direction(*own) == direction(*named);
  });
  if (at == line->accesses.end()) {
    const expr::line_access& first = line->accesses.front();
    return about("op", {formatted("{} {}: the line of code does not have this operation. The first operation of the "
                                  "line is {} of {}",
                                  worded(setting::op), *op, first.op, first.text),
                        {},
                        formatted("leave {} out, or write only the element of the array", worded(setting::op))});
  }
  chosen = static_cast<std::size_t>(at - line->accesses.begin());
  return done{};
}

const expr::expression& asked_lanes::address() const {
  return line->accesses.empty() ? *line->number : line->accesses[chosen].address;
}

std::string asked_lanes::op_name() const {
  const std::string own = is_element() ? line->accesses[chosen].op : "";
  return flags_.value("op").value_or(own.empty() ? "ld" : own);
}

result<done> asked_lanes::take_width_of(const named_operation& named) {
  if (!named.width_given) return done{};
  // A row of a matrix and the bytes of an asynchronous copy are wider than one element. For these operations, --type
  // only defines the unit of EXPR.
  const bool of_elements = named.op.matrices != 0 || is_copy(named.op.kind);
  const bool asked = of_elements ? flags_.has("width") : width.given;
  if (asked && width.width != named.op.width_bytes)
    return about("width", {formatted("{} {} accesses {} per lane, but {} asks for {}", worded(setting::op), op_name(),
                                     count_of(named.op.width_bytes, "byte"),
                                     worded(flags_.has("width") ? setting::width : setting::type),
                                     count_of(std::uint64_t{width.width} * width.pieces, "byte"))});
  width.width = named.op.width_bytes;
  width.pieces = 1;
  width.given = true;
  return done{};
}

result<u32> asked_lanes::mask(const expr::scope& names_of_it) const {
  u32 mask = full_mask;
  const std::uint64_t first = std::uint64_t{names_of_it.warp} * names_of_it.warp_lanes + names_of_it.first_lane;
  const std::uint64_t threads = expr::threads_of(names_of_it);
  if (first >= threads) return u32{0};
  if (threads - first < 32) mask = (1u << (threads - first)) - 1;
  if (const auto text = flags_.value("mask")) {
    const auto given = parse_u64(*text);
    if (!given || (*given > full_mask && names_of_it.warp_lanes == 32))
      return about("mask", {formatted("{} {}: expected {} bits", worded(setting::mask), *text, names_of_it.warp_lanes),
                            {},
                            formatted("write the mask as 0xffff or 0b1010, or use {}", worded(setting::where))});
    mask &= static_cast<u32>(*given >> names_of_it.first_lane);
  }
  const auto leave_out = [&](const expr::expression& condition, std::string_view flag) -> result<done> {
    for (u32 lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const auto v = condition.evaluate(lane);
      if (!v) return about(flag, v.error());
      if (v->number == 0) mask &= ~(1u << lane);
    }
    return done{};
  };
  if (const auto text = flags_.value("where")) {
    const auto e = expr::parse(*text, names_of_it, worded(setting::where));
    if (!e) return about("where", e.error());
    if (const auto left = leave_out(*e, "where"); !left) return left.error();
  }
  if (line && line->where)
    if (const auto left = leave_out(line->where->in(names_of_it), "expr"); !left) return left.error();
  return mask;
}

result<placed_lanes> asked_lanes::evaluate(const expr::expression& given, const expr::scope& names_of_it, u32 mask,
                                           const std::string& e_text, asked_width& its_width) const {
  const expr::expression e = given.in(names_of_it);
  placed_lanes placed;
  placed.mask = mask;
  for (u32 lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto v = e.evaluate(lane);
    if (!v) return about("expr", v.error());
    const bool element = v->element_bytes != 0;
    if (element && !its_width.given) its_width.width = v->element_bytes, its_width.pieces = v->pieces;
    std::int64_t address = 0;
    const bool overflow = __builtin_mul_overflow(v->number, element ? 1 : std::int64_t{its_width.unit}, &address);
    if (overflow || address < 0 || static_cast<u64>(address) > most_.address)
      return about("expr", {formatted("lane {}: the byte address {}", names_of_it.first_lane + lane,
                                      overflow ? "overflows"
                                               : formatted("{} is not between 0 and 2^{} - 1", address,
                                                           most_.address > 0xffffffff ? "48" : "32")),
                            {.file = "expression",
                             .line = 1,
                             .column = 1,
                             .length = static_cast<std::uint32_t>(e_text.size()),
                             .source_line = e_text},
                            formatted("use {} to exclude lanes, such as {}", worded(setting::where),
                                      worded(setting::where, "t > 0"))});
    if (v->out_of_bounds) placed.outside |= 1u << lane;
    placed.address[lane] = static_cast<u64>(address);
  }
  return placed;
}

result<placed_lanes> asked_lanes::place(const expr::scope& names_of_it) {
  const auto active = mask(names_of_it);
  if (!active) return active.error();
  if (!is_list()) {
    title = line->accesses.size() > 1 ? line->accesses[chosen].text : std::string(trim(text_));
    return evaluate(address(), names_of_it, *active, text_, width);
  }
  const auto list = read_addresses(text_, list_name_, names.warp_lanes, most_.address);
  if (!list) return list.error();
  placed_lanes placed;
  std::copy_n(std::begin(list->address) + names_of_it.first_lane, lanes_per_warp, placed.address);
  placed.mask = static_cast<u32>(list->lanes >> names_of_it.first_lane) & *active;
  title = formatted("{}{} of {}", list->count, list->count == 1 ? " address" : " addresses", list_name_);
  return placed;
}

diagnostic asked_lanes::misaligned(u64 address, u32 lane, u32 width_bytes, const std::string& spelling) const {
  return about(
      is_list() ? "addresses" : "expr",
      {formatted("lane {}: byte address {} is not a multiple of {}, the width of {}", lane, address, width_bytes,
                 spelling),
       {},
       is_list()      ? "the hardware faults on a misaligned address. The list must contain byte addresses"
       : is_element() ? aligned_hint(names, address, width_bytes)
       : flags_.has("type")
           ? formatted(
                 "EXPR is in elements of {} ({} each). The address of each lane must be a multiple of {}. A smaller "
                 "{} allows more addresses",
                 *flags_.value("type"), count_of(width.unit, "byte"), count_of(width_bytes, "byte"),
                 worded(setting::width))
           : formatted("the hardware faults on a misaligned address. EXPR is in bytes. With {}, EXPR is in floats",
                       worded(setting::type, "float"))});
}

std::string asked_lanes::unit() const {
  if (is_list() || is_element()) return {};
  return flags_.has("type") ? formatted("elements of {}, {}{}", *flags_.value("type"), width.unit,
                                        width.unit == 1 ? " byte each" : " bytes each")
                            : "bytes";
}

std::string asked_lanes::bounds_note(u64 outside) {
  const bool one = (outside & (outside - 1)) == 0;
  std::string lanes = lane_list(static_cast<u32>(outside));
  if (outside >> 32 != 0) lanes = (static_cast<u32>(outside) != 0 ? formatted("{} and others", lanes) : "32 and above");
  return one ? formatted("the index of lane {} is outside the declared extents of the array", lanes)
             : formatted("the indices of lanes {} are outside the declared extents of the array", lanes);
}

}  // namespace bankwise
