// Reads questions about shared memory. asked_lanes.hpp reads the lanes. This file adds the operation, which depends on
// the machine, and notes for the user.
#include "expr/question.hpp"

#include <algorithm>
#include <iterator>

#include "bankwise/wavefronts.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/address_list.hpp"
#include "expr/asked_lanes.hpp"
#include "expr/atomic_choice.hpp"
#include "expr/parse/declaration.hpp"
#include "expr/parse/expression.hpp"
#include "expr/wave_cost.hpp"

namespace bankwise {

namespace {

class question_reader {
 public:
  question_reader(const flag_values& flags, const std::string& text, const std::string& list_name)
      : flags_(flags), text_(text), list_name_(list_name), lanes_(flags, text, list_name, {}) {}

  result<named_access> run() {
    const auto on = read_machine(flags_);
    if (!on) return on.error();
    q_.on = *on;
    auto names = read_scope(flags_, on->wave_lanes);
    if (!names) return names.error();
    if (const auto read = lanes_.read(std::move(*names)); !read) return read.error();
    if (const auto placed = place_all(); !placed) return placed.error();
    if (const auto source = read_source(); !source) return source.error();
    if (const auto compared = compare_warps(); !compared) return compared.error();
    return q_;
  }

 private:
  u32 halves() const { return q_.on.wave_lanes / lanes_per_warp; }

  static void move_into(const placed_lanes& from, access& to, u32& outside) {
    to.mask = from.mask;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) to.address[lane] = static_cast<u32>(from.address[lane]);
    outside = from.outside;
  }

  // Computes the addresses for one half of a wave, or for a warp.
  result<done> place(const expr::scope& names, access& what, u32& outside) {
    const auto placed = lanes_.place(names);
    if (!placed) return placed.error();
    move_into(*placed, what, outside);
    return done{};
  }

  result<done> place_all() {
    // The operation is parsed here, because its width is now known.
    const auto named = parse_operation(lanes_.op_name(), lanes_.width.width);
    if (!named) return about("op", named.error());
    if (const auto taken = lanes_.take_width_of(*named); !taken) return taken;
    access placed[2] = {};
    u32 outside[2] = {};
    u32 shown = 0;
    for (u32 half = 0; half < halves(); ++half) {
      expr::scope names = lanes_.names;
      names.first_lane = half * lanes_per_warp;
      if (const auto done_half = place(names, placed[half], outside[half]); !done_half) return done_half.error();
    }
    if (halves() == 2 && placed[0].mask == 0) shown = 1;
    q_.what = placed[shown];
    q_.title = lanes_.title;
    const auto op = parse_operation(lanes_.op_name(), lanes_.width.width);
    if (!op) return about(flags_.has("type") && !flags_.has("op") ? "type" : "op", op.error());
    q_.op = *op;
    for (access& a : placed) a.op = op->op;
    q_.what.op = op->op;

    if (const u64 all = outside[0] | u64{outside[1]} << 32; all != 0) q_.notes.push_back(asked_lanes::bounds_note(all));
    for (u32 half = 0; half < halves(); ++half)
      if (const u32 lane = first_misaligned_lane(placed[half]); lane < 32) return misaligned(placed[half], lane, half);
    q_.title += lanes_.layout_title;
    for (access& a : placed)
      if (const auto moved = move_addresses(lanes_.change, q_.op, a); !moved) return moved.error();
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
    return lanes_.misaligned(what.address[lane], half * 32 + lane, what.op.width_bytes, q_.op.spelling);
  }

  bool serves_both_halves() const {
    const u32 width = q_.op.op.width_bytes;
    return q_.on.phase_lanes[width <= 4 ? 0 : width <= 8 ? 1 : 2] > lanes_per_warp;
  }

  void add_notes(u32 shown) {
    if (q_.wave != 0 && list_name_.empty() && q_.on.of_amd)
      q_.notes.push_back(serves_both_halves() ? "these lanes are half of a wave. Lanes 32 to 63 are served at the "
                                                "same time"
                                              : "these lanes are half of a wave. Lanes 32 to 63 are served "
                                                "separately, in the same way");
    if (shown == 1)
      q_.notes.push_back("lanes 0 to 31 are inactive, so the picture shows lanes 32 to 63 as lanes 0 to 31");
    if (q_.on.of_amd) q_.notes.push_back("cycles and passes are known only for NVIDIA's pipe, not for this machine");
    if (q_.op.op.kind == op_kind::copy_async_cg)
      q_.notes.push_back(
          "the wavefronts of cp.async.cg are those that Nsight Compute's source page shows. The clocks of "
          "cp.async.cg are not known");
    if (lanes_.width.pieces > 1)
      q_.notes.push_back(
          formatted("an element takes {} accesses of {} bytes. The numbers are for the first access. Each of the other "
                    "accesses costs the same",
                    lanes_.width.pieces, lanes_.width.width));
    if (lanes_.is_list()) return;
    q_.unit = lanes_.unit();
    if (lanes_.line->uses_block_index)
      q_.notes.push_back(formatted("blockIdx is 0 in this expression. To change this value, use {}",
                                   worded(setting::let, "blockIdx.x=1")));
    std::string type = flags_.value("type").value_or("");
    if (type.empty() && !lanes_.line->accesses.empty())
      for (const expr::array_decl& a : lanes_.names.arrays)
        if (q_.what.mask != 0 && lanes_.layout_title.empty() && a.of == nullptr) {
          const u32 first = q_.what.address[static_cast<u32>(__builtin_ctz(q_.what.mask))];
          if (first >= a.offset && first < a.offset + bytes_of(a)) type = a.type;
        }
    choose_atomic(q_, type,
                  lanes_.line->accesses.empty() ? expr::atomic_use{} : lanes_.line->accesses[lanes_.chosen].atomic);
    note_other_accesses();
  }

  // Adds a note with the costs of the other accesses, if the line has several accesses.
  void note_other_accesses() {
    for (std::size_t i = 0; i < lanes_.line->accesses.size(); ++i) {
      if (i == lanes_.chosen) continue;
      const expr::line_access& other = lanes_.line->accesses[i];
      asked_width width = lanes_.width;
      width.given = false;
      access what{};
      u32 outside = 0;
      const auto mask = lanes_.mask(lanes_.names);
      if (!mask) continue;
      const auto placed = lanes_.evaluate(other.address, lanes_.names, *mask, text_, width);
      if (!placed) continue;
      move_into(*placed, what, outside);
      const auto op = parse_operation(other.op.empty() ? "ld" : other.op, width.width);
      if (!op || unsupported(q_.on, *op)) continue;
      what.op = op->op;
      if (first_misaligned_lane(what) < 32 || !move_addresses(lanes_.change, *op, what)) continue;
      const u32 n = wavefronts(what, q_.on.model);
      q_.notes.push_back(formatted("the line of code also executes {} on {}: {}{}", op->spelling, other.text, n,
                                   n == 1 ? " wavefront" : " wavefronts"));
    }
  }

  result<done> read_source() {
    if (const auto text = flags_.value("source")) {
      if (!is_copy(q_.op.op.kind))
        return about("source", {formatted("{} applies only to {} or cp.async.cg", worded(setting::source),
                                          worded(setting::op, "cp.async.ca"))});
      access from{};
      from.op = q_.op.op;
      const auto mask = lanes_.mask(lanes_.names);
      if (!mask) return mask.error();
      if (is_address_list(*text)) {
        const auto list = read_addresses(*text, worded(setting::source));
        if (!list) return about("source", list.error());
        std::copy_n(std::begin(list->address), lanes_per_warp, from.address);
        from.mask = static_cast<u32>(list->lanes) & *mask;
      } else {
        const auto e = expr::parse(*text, lanes_.names);
        if (!e) return about("source", e.error());
        asked_width width = lanes_.width;
        u32 outside = 0;
        const auto placed = lanes_.evaluate(*e, lanes_.names, *mask, *text, width);
        if (!placed) return about("source", placed.error());
        move_into(*placed, from, outside);
      }
      if (const u32 lane = first_misaligned_lane(from); lane < 32)
        return about("source", {formatted("lane {}: source address {} is not a multiple of {}, the width of {}", lane,
                                          from.address[lane], q_.op.op.width_bytes, q_.op.spelling)});
      q_.has_source = true;
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) q_.from.address[lane] = from.address[lane];
      if (is_address_list(*text)) q_.from.reads = from.mask;  // lanes without an address get zeros
      q_.title += formatted(" from {}", *text);
    }
    if (flags_.has("zfill")) {
      if (!is_copy(q_.op.op.kind))
        return about("zfill",
                     {formatted("{} belongs to {}", worded(setting::zfill), worded(setting::op, "cp.async.cg"))});
      if (!q_.has_source)
        for (u32 lane = 0; lane < lanes_per_warp; ++lane) q_.from.address[lane] = lane * q_.op.op.width_bytes;
      q_.has_source = true;
      q_.from.may_fill = true;
      q_.title += ", which may fill lanes with zeros";
    }
    return done{};
  }

  // Checks whether other warps have different costs. Without --warp, the answer is for the first warp.
  result<done> compare_warps() {
    q_.warp = lanes_.names.warp;
    const std::uint32_t warps = expr::warps_of(lanes_.names);
    if (lanes_.is_list() || warps < 2 || flags_.has("warp") || q_.has_source) return done{};
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      access placed[2] = {};
      u32 outside = 0;
      for (u32 half = 0; half < halves(); ++half) {
        expr::scope names = lanes_.names;
        names.warp = warp;
        names.first_lane = half * lanes_per_warp;
        if (const auto one = place(names, placed[half], outside); !one) {
          diagnostic d = one.error();
          d.message = formatted("warp {} of the block: {}", warp, d.message);
          if (d.hint.empty()) d.hint = formatted("use {} to ask about one warp", worded(setting::warp, "0"));
          return d;
        }
        placed[half].op = q_.what.op;
        if (const u32 lane = first_misaligned_lane(placed[half]); lane < 32) {
          diagnostic d = misaligned(placed[half], lane, half);
          d.message = formatted("warp {} of the block: {}", warp, d.message);
          return d;
        }
        if (const auto moved = move_addresses(lanes_.change, q_.op, placed[half]); !moved) return moved.error();
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
  asked_lanes lanes_;
};

}  // namespace

result<expr::scope> read_scope(const flag_values& flags, std::uint32_t warp_lanes, bool of_global) {
  expr::scope names;
  names.of_global = of_global;
  names.warp_lanes = warp_lanes;
  const auto block = triple(flags, "block", {warp_lanes, 1, 1});
  if (!block) return block.error();
  const std::uint64_t threads = std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2];
  if (threads > 1024)
    return about("block", {formatted("{}: the block has {} threads, but at most 1024 are possible",
                                     worded(setting::block), threads)});
  names.block = *block;
  const auto warp = number(flags, "warp", 0, 0, 31);
  if (!warp) return warp.error();
  const std::uint64_t warps = expr::warps_of(names);
  if (*warp >= warps)
    return about("warp", {formatted("{} {}: a block of {} threads has only {}{}, counted from 0", worded(setting::warp),
                                    *warp, threads, warps, warps == 1 ? " warp" : " warps")});
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
