// Flags are read in the order in which one decides about another: machine, names, line, mask, width, layout, then
// addresses.
#include "expr/question.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "bankwise/wavefronts.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/address_list.hpp"
#include "expr/atomic_choice.hpp"
#include "expr/expression.hpp"
#include "expr/layout_change.hpp"
#include "expr/line.hpp"
#include "expr/misaligned.hpp"
#include "expr/names/type_names.hpp"
#include "expr/parse/declaration.hpp"
#include "expr/wave_cost.hpp"

namespace bankwise {

namespace {

struct chosen_width {
  std::uint32_t unit = 1;    // bytes that EXPR counts
  std::uint32_t width = 4;   // bytes a lane
  std::uint32_t pieces = 1;  // accesses that move what --type says
  bool given = false;
};

result<chosen_width> read_width(const flag_values& flags) {
  chosen_width w;
  if (const auto type = flags.value("type")) {
    const auto found = find_type(*type);
    if (!found) {
      const auto near = nearest(*type, all_type_names(), 1);
      return about("type",
                   {worded(setting::type) + " " + *type + ": unknown type",
                    {},
                    near.empty() ? "types are CUDA's: float, half2, float4, double" : "did you mean " + near[0] + "?"});
    }
    const std::uint32_t piece = expr::piece_bytes(*found);
    w = {found->bytes, piece, found->bytes / piece, true};
  }
  if (flags.has("width")) {
    const auto bytes = number(flags, "width", 4, 1, 16);
    if (!bytes) return bytes.error();
    if ((*bytes & (*bytes - 1)) != 0)
      return about("width", {worded(setting::width) + " " + std::to_string(*bytes) +
                             ": a lane accesses 1, 2, 4, 8 or 16 bytes"});
    w.width = static_cast<std::uint32_t>(*bytes);
    w.pieces = 1;
    w.given = true;
  }
  return w;
}

// "ld", "st", "atom": what an operation does, for finding it among the accesses of a line.
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

class question_reader {
 public:
  question_reader(const flag_values& flags, const std::string& text, const std::string& list_name)
      : flags_(flags), text_(text), list_name_(list_name) {}

  result<named_access> run() {
    if (const auto read = read_flags(); !read) return read.error();
    if (const auto placed = place_all(); !placed) return placed.error();
    if (const auto source = read_source(); !source) return source.error();
    if (const auto compared = compare_warps(); !compared) return compared.error();
    return q_;
  }

 private:
  bool is_list() const { return !list_name_.empty(); }
  std::uint32_t halves() const { return q_.on.wave_lanes / lanes_per_warp; }

  result<done> read_flags() {
    const auto on = read_machine(flags_);
    if (!on) return on.error();
    q_.on = *on;
    auto names = read_scope(flags_, on->wave_lanes);
    if (!names) return names.error();
    names_ = std::move(*names);
    if (!is_list())
      if (const auto read = read_line(); !read) return read.error();
    const auto width = read_width(flags_);
    if (!width) return width.error();
    width_ = *width;
    const auto change = read_layout(flags_, layout_title_);
    if (!change) return change.error();
    change_ = *change;
    return done{};
  }

  // Which of the line's accesses is asked about: that of --op, or the first.
  result<done> read_line() {
    auto line = expr::parse_line(text_, names_);
    if (!line) return about("expr", line.error());
    line_ = std::move(*line);
    if (line_->accesses.empty()) return done{};
    const auto op = flags_.value("op");
    if (!op) return done{};
    const auto named = parse_operation(*op);
    if (!named) return done{};  // said later, with its width
    const auto at = std::find_if(line_->accesses.begin(), line_->accesses.end(), [&](const expr::line_access& a) {
      if (a.op.empty()) return true;
      const auto own = parse_operation(a.op);
      return own && direction(*own) == direction(*named);
    });
    if (at == line_->accesses.end()) {
      const expr::line_access& first = line_->accesses.front();
      return about("op", {worded(setting::op) + " " + *op + ": the line has no such operation; its first is " +
                              first.op + " of " + first.text,
                          {},
                          "leave " + worded(setting::op) + " out, or write only the element"});
    }
    chosen_ = static_cast<std::size_t>(at - line_->accesses.begin());
    return done{};
  }

  const expr::expression& address() const {
    return line_->accesses.empty() ? *line_->number : line_->accesses[chosen_].address;
  }
  std::string op_name() const {
    const std::string own = line_ && !line_->accesses.empty() ? line_->accesses[chosen_].op : "";
    return flags_.value("op").value_or(own.empty() ? "ld" : own);
  }

  // The lanes of a half of a warp's wave that take part.
  result<u32> read_mask(const expr::scope& names) const {
    u32 mask = full_mask;
    const std::uint64_t first = std::uint64_t{names.warp} * names.warp_lanes + names.first_lane;
    const std::uint64_t threads = expr::threads_of(names);
    if (first >= threads) return u32{0};
    if (threads - first < 32) mask = (1u << (threads - first)) - 1;
    if (const auto text = flags_.value("mask")) {
      const auto given = parse_u64(*text);
      if (!given || (*given > full_mask && names.warp_lanes == 32))
        return about("mask",
                     {worded(setting::mask) + " " + *text + ": expected " + std::to_string(names.warp_lanes) + " bits",
                      {},
                      "write it as 0xffff or 0b1010, or use " + worded(setting::where)});
      mask &= static_cast<u32>(*given >> names.first_lane);
    }
    const auto leave_out = [&](const std::string& condition) -> result<done> {
      const auto e = expr::parse(condition, names, worded(setting::where));
      if (!e) return about("where", e.error());
      for (u32 lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        const auto v = e->evaluate(lane);
        if (!v) return about("where", v.error());
        if (v->number == 0) mask &= ~(1u << lane);
      }
      return done{};
    };
    if (const auto text = flags_.value("where"))
      if (const auto left = leave_out(*text); !left) return left.error();
    if (line_ && line_->where)
      for (u32 lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        const auto v = line_->where->in(names).evaluate(lane);
        if (!v) return about("expr", v.error());
        if (v->number == 0) mask &= ~(1u << lane);
      }
    return mask;
  }

  // The address of every active lane. Elements of arrays set the width unless a flag did.
  result<done> evaluate(const expr::expression& given, const expr::scope& names, u32 mask, const std::string& text,
                        chosen_width& width, access& what, u32& outside) const {
    const expr::expression e = given.in(names);
    what.mask = mask;
    for (u32 lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const auto v = e.evaluate(lane);
      if (!v) return about("expr", v.error());
      const bool element = v->element_bytes != 0;
      if (element && !width.given) width.width = v->element_bytes, width.pieces = v->pieces;
      std::int64_t address = 0;
      const bool overflow = __builtin_mul_overflow(v->number, element ? 1 : std::int64_t{width.unit}, &address);
      if (overflow || address < 0 || address > 0xffffffffll)
        return about("expr", {"lane " + std::to_string(names.first_lane + lane) + ": the byte address " +
                                  (overflow ? "overflows" : std::to_string(address) + " is not in 0 .. 2^32 - 1"),
                              {.file = "expression",
                               .line = 1,
                               .column = 1,
                               .length = static_cast<std::uint32_t>(text.size()),
                               .source_line = text},
                              worded(setting::where) + " excludes lanes, such as " + worded(setting::where, "t > 0")});
      if (v->out_of_bounds) outside |= 1u << lane;
      what.address[lane] = static_cast<u32>(address);
    }
    return done{};
  }

  // One half of a wave, or a warp.
  result<done> place(const expr::scope& names, access& what, u32& outside) {
    const auto mask = read_mask(names);
    if (!mask) return mask.error();
    if (is_list()) {
      const auto list = read_addresses(text_, list_name_, q_.on.wave_lanes);
      if (!list) return list.error();
      std::copy_n(std::begin(list->address) + names.first_lane, lanes_per_warp, what.address);
      what.mask = static_cast<u32>(list->lanes >> names.first_lane) & *mask;
      q_.title = std::to_string(list->count) + (list->count == 1 ? " address" : " addresses") + " of " + list_name_;
      return done{};
    }
    return evaluate(address(), names, *mask, text_, width_, what, outside);
  }

  // The operation, once its width is known.
  result<done> name_operation() {
    const std::string name = op_name();
    const auto named = parse_operation(name, width_.width);
    if (!named) return about("op", named.error());
    if (!named->width_given) return done{};
    // A matrix row and an asynchronous copy are wider than the elements they move: --type only says what EXPR counts.
    const bool of_elements = named->op.matrices != 0 || is_copy(named->op.kind);
    const bool asked = of_elements ? flags_.has("width") : width_.given;
    if (asked && width_.width != named->op.width_bytes)
      return about("width", {worded(setting::op) + " " + name + " and " + worded(setting::width) + " or " +
                             worded(setting::type) + " ask for different widths"});
    width_.width = named->op.width_bytes;
    width_.pieces = 1;
    width_.given = true;
    return done{};
  }

  result<done> place_all() {
    if (const auto named = name_operation(); !named) return named;
    access placed[2] = {};
    u32 outside[2] = {};
    u32 shown = 0;
    for (u32 half = 0; half < halves(); ++half) {
      expr::scope names = names_;
      names.first_lane = half * lanes_per_warp;
      if (const auto done_half = place(names, placed[half], outside[half]); !done_half) return done_half.error();
    }
    if (halves() == 2 && placed[0].mask == 0) shown = 1;
    q_.what = placed[shown];
    if (!is_list()) q_.title = line_->accesses.size() > 1 ? line_->accesses[chosen_].text : std::string(trim(text_));
    const auto op = parse_operation(op_name(), width_.width);
    if (!op) return about(flags_.has("type") && !flags_.has("op") ? "type" : "op", op.error());
    q_.op = *op;
    for (access& a : placed) a.op = op->op;
    q_.what.op = op->op;

    note_bounds(outside[0] | u64{outside[1]} << 32);
    for (u32 half = 0; half < halves(); ++half)
      if (const u32 lane = first_misaligned_lane(placed[half]); lane < 32) return misaligned(placed[half], lane, half);
    q_.title += layout_title_;
    for (access& a : placed)
      if (const auto moved = move_addresses(change_, q_.op, a); !moved) return moved.error();
    q_.what = placed[shown];
    if (auto missing = unsupported(q_.on, q_.op)) return about("arch", *missing);
    if (halves() == 2) {
      const wave_share w = wave_cost(placed[0], placed[1], q_.on);
      q_.halves[0] = w.halves[0], q_.halves[1] = w.halves[1], q_.wave = w.whole;
    }
    add_notes(shown);
    return done{};
  }

  diagnostic misaligned(const access& what, u32 lane, u32 half) const {
    const std::string which = "lane " + std::to_string(half * 32 + lane) + ": byte address " +
                              std::to_string(what.address[lane]) + " is not a multiple of " +
                              std::to_string(what.op.width_bytes) + ", the width of " + q_.op.spelling;
    const bool element = !is_list() && !line_->accesses.empty();
    return about(is_list() ? "addresses" : "expr",
                 {which,
                  {},
                  is_list() ? "the hardware faults here; the list must contain byte addresses"
                  : element ? aligned_hint(names_, what.address[lane], what.op.width_bytes)
                  : flags_.has("type")
                      ? "the hardware faults here; the expression counts " + *flags_.value("type") + ", " +
                            std::to_string(width_.unit) + " bytes each: lanes must be " +
                            std::to_string(what.op.width_bytes) + " bytes apart, or less with " + worded(setting::width)
                      : "the hardware faults here; is EXPR in bytes? " + worded(setting::type, "float") +
                            " makes it count elements"});
  }

  void note_bounds(u64 outside) {
    if (outside == 0) return;
    const bool one = (outside & (outside - 1)) == 0;
    std::string lanes = lane_list(static_cast<u32>(outside));
    if (outside >> 32 != 0) lanes = (static_cast<u32>(outside) != 0 ? lanes + " and others" : "32 and above");
    q_.notes.push_back(std::string(one ? "lane " : "lanes ") + lanes + (one ? " indexes" : " index") +
                       " past the declared extents");
  }

  void add_notes(u32 shown) {
    if (q_.wave != 0 && list_name_.empty() && q_.on.of_amd)
      q_.notes.push_back("this is half of a wave: lanes 32 to 63 are served separately, in the same way");
    if (shown == 1) q_.notes.push_back("lanes 0 to 31 are inactive: the picture shows lanes 32 to 63 as lanes 0 to 31");
    if (q_.on.of_amd)
      q_.notes.push_back("cycles and passes are for NVIDIA's pipe; none are published for this machine");
    if (q_.op.op.kind == op_kind::copy_async_cg)
      q_.notes.push_back("cp.async.cg is counted as in Nsight Compute's source page; its clocks are not known");
    if (width_.pieces > 1)
      q_.notes.push_back("an element takes " + std::to_string(width_.pieces) + " accesses of " +
                         std::to_string(width_.width) + " bytes; this is the first one, and the others cost the same");
    if (is_list()) return;
    if (line_->accesses.empty())
      q_.unit = flags_.has("type") ? "elements of " + *flags_.value("type") + ", " + std::to_string(width_.unit) +
                                         (width_.unit == 1 ? " byte each" : " bytes each")
                                   : "bytes";
    if (line_->uses_block_index)
      q_.notes.push_back("blockIdx is 0 here; " + worded(setting::let, "blockIdx.x=1") + " sets another value");
    std::string type = flags_.value("type").value_or("");
    if (type.empty() && !line_->accesses.empty())
      for (const expr::array_decl& a : names_.arrays)
        if (q_.what.mask != 0 && layout_title_.empty() && a.of == nullptr) {
          const u32 first = q_.what.address[static_cast<u32>(__builtin_ctz(q_.what.mask))];
          if (first >= a.offset && first < a.offset + bytes_of(a)) type = a.type;
        }
    choose_atomic(q_, type, line_->accesses.empty() ? expr::atomic_use{} : line_->accesses[chosen_].atomic);
    note_other_accesses();
  }

  // If a line has several accesses, the costs of the others.
  void note_other_accesses() {
    for (std::size_t i = 0; i < line_->accesses.size(); ++i) {
      if (i == chosen_) continue;
      const expr::line_access& other = line_->accesses[i];
      chosen_width width = width_;
      width.given = false;
      access what{};
      u32 outside = 0;
      const auto mask = read_mask(names_);
      if (!mask || !evaluate(other.address, names_, *mask, text_, width, what, outside)) continue;
      const auto op = parse_operation(other.op.empty() ? "ld" : other.op, width.width);
      if (!op || unsupported(q_.on, *op)) continue;
      what.op = op->op;
      if (first_misaligned_lane(what) < 32 || !move_addresses(change_, *op, what)) continue;
      const u32 n = wavefronts(what, q_.on.model);
      q_.notes.push_back("the line also makes " + op->spelling + " of " + other.text + ": " + std::to_string(n) +
                         (n == 1 ? " wavefront" : " wavefronts"));
    }
  }

  result<done> read_source() {
    if (const auto text = flags_.value("source")) {
      if (!is_copy(q_.op.op.kind))
        return about("source", {worded(setting::source) + " belongs to " + worded(setting::op, "cp.async.ca") +
                                " or cp.async.cg"});
      access from{};
      from.op = q_.op.op;
      const auto mask = read_mask(names_);
      if (!mask) return mask.error();
      if (is_address_list(*text)) {
        const auto list = read_addresses(*text, worded(setting::source));
        if (!list) return about("source", list.error());
        std::copy_n(std::begin(list->address), lanes_per_warp, from.address);
        from.mask = static_cast<u32>(list->lanes) & *mask;
      } else {
        const auto e = expr::parse(*text, names_);
        if (!e) return about("source", e.error());
        chosen_width width = width_;
        u32 outside = 0;
        if (const auto placed = evaluate(*e, names_, *mask, *text, width, from, outside); !placed)
          return about("source", placed.error());
      }
      if (const u32 lane = first_misaligned_lane(from); lane < 32)
        return about("source", {"lane " + std::to_string(lane) + ": source address " +
                                std::to_string(from.address[lane]) + " is not a multiple of " +
                                std::to_string(q_.op.op.width_bytes) + ", the width of " + q_.op.spelling});
      q_.has_source = true;
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) q_.from.address[lane] = from.address[lane];
      if (is_address_list(*text)) q_.from.reads = from.mask;  // the others get zeros
      q_.title += " from " + *text;
    }
    if (flags_.has("zfill")) {
      if (!is_copy(q_.op.op.kind))
        return about("zfill", {worded(setting::zfill) + " belongs to " + worded(setting::op, "cp.async.cg")});
      if (!q_.has_source)
        for (u32 lane = 0; lane < lanes_per_warp; ++lane) q_.from.address[lane] = lane * q_.op.op.width_bytes;
      q_.has_source = true;
      q_.from.may_fill = true;
      q_.title += ", which may fill with zeros";
    }
    return done{};
  }

  // Without --warp the answer is about the first warp: the others may differ.
  result<done> compare_warps() {
    q_.warp = names_.warp;
    const std::uint32_t warps = expr::warps_of(names_);
    if (is_list() || warps < 2 || flags_.has("warp") || q_.has_source) return done{};
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      access placed[2] = {};
      u32 outside = 0;
      for (u32 half = 0; half < halves(); ++half) {
        expr::scope names = names_;
        names.warp = warp;
        names.first_lane = half * lanes_per_warp;
        if (const auto one = place(names, placed[half], outside); !one) {
          diagnostic d = one.error();
          d.message = "warp " + std::to_string(warp) + " of the block: " + d.message;
          if (d.hint.empty()) d.hint = worded(setting::warp, "0") + " asks about one warp";
          return d;
        }
        placed[half].op = q_.what.op;
        if (const u32 lane = first_misaligned_lane(placed[half]); lane < 32) {
          diagnostic d = misaligned(placed[half], lane, half);
          d.message = "warp " + std::to_string(warp) + " of the block: " + d.message;
          return d;
        }
        if (const auto moved = move_addresses(change_, q_.op, placed[half]); !moved) return moved.error();
      }
      u32 n = halves() == 2 ? wave_cost(placed[0], placed[1], q_.on).whole : wavefronts(placed[0], q_.on.model);
      if (q_.loop) n = loop_wavefronts(placed[0], q_.on.model);
      q_.warps.push_back({warp, n});
    }
    return done{};
  }

  const flag_values& flags_;
  const std::string& text_;
  const std::string& list_name_;
  named_access q_;
  expr::scope names_;
  std::optional<expr::line> line_;
  std::size_t chosen_ = 0;
  chosen_width width_;
  layout_change change_;
  std::string layout_title_;
};

}  // namespace

result<expr::scope> read_scope(const flag_values& flags, std::uint32_t warp_lanes) {
  expr::scope names;
  names.warp_lanes = warp_lanes;
  const auto block = triple(flags, "block", {warp_lanes, 1, 1});
  if (!block) return block.error();
  const std::uint64_t threads = std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2];
  if (threads > 1024)
    return about("block",
                 {worded(setting::block) + ": " + std::to_string(threads) + " threads; a block has at most 1024"});
  names.block = *block;
  const auto warp = number(flags, "warp", 0, 0, 31);
  if (!warp) return warp.error();
  const std::uint64_t warps = expr::warps_of(names);
  if (*warp >= warps)
    return about("warp",
                 {worded(setting::warp) + " " + std::to_string(*warp) + ": a block of " + std::to_string(threads) +
                  " threads has " + std::to_string(warps) + (warps == 1 ? " warp" : " warps") + ", counted from 0"});
  names.warp = static_cast<std::uint32_t>(*warp);
  for (const std::string& text : flags.all("let"))
    if (const auto added = expr::parse_let(text, names); !added) return about("let", added.error());
  for (const std::string& text : flags.all("array"))
    if (const auto added = expr::declare(text, names); !added) return about("array", added.error());
  return names;
}

result<named_access> read_question(const flag_values& flags, const std::string& text, const std::string& list_name) {
  const std::string name = list_name.empty() && is_address_list(text) ? "the list" : list_name;
  return question_reader(flags, text, name).run();
}

}  // namespace bankwise
