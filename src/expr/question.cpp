// Flags are read in the order in which one decides about another: machine, names, mask, width, layout, then addresses.
#include "expr/question.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.hpp"
#include "expr/address_list.hpp"
#include "expr/declaration.hpp"
#include "expr/expression.hpp"
#include "expr/layout_change.hpp"
#include "expr/type_names.hpp"

namespace bankwise {

namespace {

result<u32> read_mask(const flag_values& flags, const expr::scope& names) {
  u32 mask = full_mask;
  const std::uint64_t threads = std::uint64_t{names.block[0]} * names.block[1] * names.block[2];
  if (const std::uint64_t left = threads - std::uint64_t{names.warp} * 32; left < 32) mask = (1u << left) - 1;
  if (const auto text = flags.value("mask")) {
    const auto given = parse_u64(*text);
    if (!given || *given > full_mask)
      return about("mask",
                   {"--mask " + *text + ": expected 32 bits", {}, "write it as 0xffff or 0b1010, or use --where"});
    mask &= static_cast<u32>(*given);
  }
  if (const auto text = flags.value("where")) {
    const auto condition = expr::parse(*text, names, "--where");
    if (!condition) return about("where", condition.error());
    for (u32 lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const auto v = condition->evaluate(lane);
      if (!v) return about("where", v.error());
      if (v->number == 0) mask &= ~(1u << lane);
    }
  }
  return mask;
}

// The list as the question's addresses, of the lanes that `mask` has.
result<done> take_addresses(const std::string& text, const std::string& name, u32 mask, named_access& q) {
  const auto list = read_addresses(text, name);
  if (!list) return list.error();
  std::copy(std::begin(list->address), std::end(list->address), q.what.address);
  q.what.mask = list->lanes & mask;
  q.title = std::to_string(list->count) + (list->count == 1 ? " address" : " addresses") + " of " + name;
  return done{};
}

struct chosen_width {
  std::uint32_t unit = 1;   // bytes that EXPR counts
  std::uint32_t width = 4;  // bytes a lane
  bool given = false;
};

result<chosen_width> read_width(const flag_values& flags) {
  chosen_width w;
  if (const auto type = flags.value("type")) {
    const auto bytes = type_bytes(*type);
    if (!bytes) {
      const auto near = nearest(*type, type_names(), 1);
      return about("type",
                   {"--type " + *type + ": unknown type",
                    {},
                    near.empty() ? "types are CUDA's: float, half2, float4, double" : "did you mean " + near[0] + "?"});
    }
    w = {*bytes, *bytes, true};
  }
  if (flags.has("width")) {
    const auto bytes = number(flags, "width", 4, 1, 16);
    if (!bytes) return bytes.error();
    if ((*bytes & (*bytes - 1)) != 0)
      return about("width", {"--width " + std::to_string(*bytes) + ": a lane moves 1, 2, 4, 8 or 16 bytes"});
    w.width = static_cast<std::uint32_t>(*bytes);
    w.given = true;
  }
  return w;
}

// The address of every active lane. Elements of arrays set the width unless a flag did.
result<done> read_expression(const std::string& text, const expr::scope& names, u32 mask, chosen_width& width,
                             named_access& q) {
  const auto e = expr::parse(text, names);
  if (!e) return about("expr", e.error());
  q.title = text;
  q.what.mask = mask;
  u32 outside = 0;
  for (u32 lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto v = e->evaluate(lane);
    if (!v) return about("expr", v.error());
    const bool element = v->element_bytes != 0;
    if (element && !width.given) width.width = v->element_bytes;
    std::int64_t address = 0;
    const bool overflow = __builtin_mul_overflow(v->number, element ? 1 : std::int64_t{width.unit}, &address);
    if (overflow || address < 0 || address > 0xffffffffll)
      return about("expr", {"lane " + std::to_string(lane) + ": the byte address " +
                                (overflow ? "overflows" : std::to_string(address) + " is not in 0 .. 2^32 - 1"),
                            {.file = "expression",
                             .line = 1,
                             .column = 1,
                             .length = static_cast<std::uint32_t>(text.size()),
                             .source_line = text},
                            "--where leaves lanes out, such as --where 't > 0'"});
    if (v->out_of_bounds) outside |= 1u << lane;
    q.what.address[lane] = static_cast<u32>(address);
  }
  if (outside != 0) {
    const bool one = (outside & (outside - 1)) == 0;
    q.notes.push_back(std::string(one ? "lane " : "lanes ") + lane_list(outside) + (one ? " indexes" : " index") +
                      " past the declared extents");
  }
  return done{};
}

// `list_name` empty: `text` is an expression.
result<named_access> read(const flag_values& flags, const std::string& text, const std::string& list_name) {
  named_access q;
  const auto on = read_machine(flags);
  if (!on) return on.error();
  q.on = *on;
  const auto names = read_scope(flags);
  if (!names) return names.error();
  const auto mask = read_mask(flags, *names);
  if (!mask) return mask.error();
  auto width = read_width(flags);
  if (!width) return width.error();
  std::string layout_title;
  const auto change = read_layout(flags, layout_title);
  if (!change) return change.error();

  const std::string op_name = flags.value("op").value_or("ld");
  const auto named = parse_operation(op_name, width->width);
  if (!named) return about("op", named.error());
  if (named->width_given) {
    // A matrix row and an asynchronous copy are wider than the elements they move: --type only says what EXPR counts.
    const bool of_elements = named->op.matrices != 0 || is_copy(named->op.kind);
    const bool asked = of_elements ? flags.has("width") : width->given;
    if (asked && width->width != named->op.width_bytes)
      return about("width", {"--op " + op_name + " and --width or --type ask for different widths"});
    width->width = named->op.width_bytes;
    width->given = true;
  }
  const auto addressed =
      list_name.empty() ? read_expression(text, *names, *mask, *width, q) : take_addresses(text, list_name, *mask, q);
  if (!addressed) return addressed.error();
  const auto op = parse_operation(op_name, width->width);
  if (!op) return about(flags.has("type") && !flags.has("op") ? "type" : "op", op.error());
  q.op = *op;
  q.what.op = op->op;

  if (const u32 lane = first_misaligned_lane(q.what); lane < 32)
    return about(
        list_name.empty() ? "expr" : "addresses",
        {"lane " + std::to_string(lane) + ": byte address " + std::to_string(q.what.address[lane]) +
             " is not a multiple of " + std::to_string(q.what.op.width_bytes) + ", the width of " + op->spelling,
         {},
         list_name.empty() ? "the hardware faults here; is EXPR in bytes? --type float makes it count elements"
                           : "the hardware faults here; the list is of byte addresses"});
  q.title += layout_title;
  if (const auto moved = move_addresses(*change, q.op, q.what); !moved) return moved.error();
  if (auto missing = unsupported(*on, q.op)) return about("arch", *missing);
  if (on->rules == &cdna3_rules)
    q.notes.push_back("this is half of a wave: lanes 32 to 63 are served by themselves, in the same way");
  if (on->rules == &cdna3_rules || on->rules == &rdna3_rules)
    q.notes.push_back("cycles and passes are those of NVIDIA's pipe; of this machine none are published");
  if (op->op.kind == op_kind::copy_async_cg)
    q.notes.push_back("cp.async.cg is counted as Nsight Compute's source page does; its clocks are not known");
  if (const auto text_of_source = flags.value("source")) {
    if (!is_copy(op->op.kind)) return about("source", {"--source belongs to --op cp.async.ca or cp.async.cg"});
    named_access from;
    from.what.op = op->op;
    const auto sources = is_address_list(*text_of_source)
                             ? take_addresses(*text_of_source, "--source", *mask, from)
                             : read_expression(*text_of_source, *names, *mask, *width, from);
    if (!sources) return about("source", sources.error());
    if (const u32 lane = first_misaligned_lane(from.what); lane < 32)
      return about("source",
                   {"lane " + std::to_string(lane) + ": source address " + std::to_string(from.what.address[lane]) +
                    " is not a multiple of " + std::to_string(op->op.width_bytes) + ", the width of " + op->spelling});
    q.has_source = true;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) q.from.address[lane] = from.what.address[lane];
    if (is_address_list(*text_of_source)) q.from.reads = from.what.mask;  // the others get zeros
    q.title += " from " + *text_of_source;
  }
  if (flags.has("zfill")) {
    if (!is_copy(op->op.kind)) return about("zfill", {"--zfill belongs to --op cp.async.cg"});
    if (!q.has_source)
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) q.from.address[lane] = lane * op->op.width_bytes;
    q.has_source = true;
    q.from.may_fill = true;
    q.title += ", which may fill with zeros";
  }
  return q;
}

}  // namespace

result<expr::scope> read_scope(const flag_values& flags) {
  expr::scope names;
  const auto block = triple(flags, "block", {32, 1, 1});
  if (!block) return block.error();
  const std::uint64_t threads = std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2];
  if (threads > 1024)
    return about("block", {"--block: " + std::to_string(threads) + " threads; a block has at most 1024"});
  names.block = *block;
  const auto warp = number(flags, "warp", 0, 0, 31);
  if (!warp) return warp.error();
  const std::uint64_t warps = (threads + 31) / 32;
  if (*warp >= warps)
    return about("warp",
                 {"--warp " + std::to_string(*warp) + ": a block of " + std::to_string(threads) + " threads has " +
                  std::to_string(warps) + (warps == 1 ? " warp" : " warps") + ", counted from 0"});
  names.warp = static_cast<std::uint32_t>(*warp);
  for (const std::string& text : flags.all("let")) {
    auto constant = expr::parse_constant(text, names);
    if (!constant) return about("let", constant.error());
    if (constant->first == "t" || names.constants.contains(constant->first))
      return about("let", {"--let " + text + ": " + constant->first +
                           (constant->first == "t" ? " is the lane" : " has a value already")});
    names.constants[constant->first] = constant->second;
  }
  for (const std::string& text : flags.all("array")) {
    auto array = expr::parse_array(text, names);
    if (!array) return about("array", array.error());
    expr::add_array(names, std::move(*array));
  }
  return names;
}

result<named_access> read_question(const flag_values& flags, const std::string& text, const std::string& list_name) {
  return read(flags, text, list_name.empty() && is_address_list(text) ? "the list" : list_name);
}

}  // namespace bankwise
