// Reads a question about declared arrays. Every access is evaluated for each warp, and for each iteration of its loops.
// An access belongs to the array that its first active lane accesses.
#include "advise/tile_question.hpp"

#include <algorithm>

#include "advise/meant_shape.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/misaligned.hpp"
#include "expr/parse/expression.hpp"
#include "expr/parse/line.hpp"
#include "expr/parse/type_names.hpp"
#include "expr/question.hpp"
#include "source/access_text.hpp"

namespace bankwise::advise {

namespace {

class access_reader {
 public:
  access_reader(const flag_values& flags, const machine& on, const expr::scope& names) : flags_(flags), names_(names) {
    for (const expr::array_decl& array : names.arrays) {
      tile t;
      t.array = expr::without_layout(array);
      t.what.on = on;
      t.what.bytes = bytes_of(array);
      t.what.element_bytes = array.element_bytes;
      if (t.array.extents.size() > 1) t.what.pitch_bytes = static_cast<u32>(array.extents.back() * array.element_bytes);
      tiles_.push_back(std::move(t));
    }
    if (tiles_.empty()) {
      tile all;
      all.what.on = on;
      tiles_.push_back(std::move(all));
    }
  }

  result<done> add(const std::string& text) {
    const auto cut_text = source::cut_access(text, names_);
    if (!cut_text) return cut_text.error();
    const source::access_text& a = *cut_text;
    const std::uint32_t warps = expr::warps_of(names_);
    std::vector<std::int64_t> at(a.loops.size(), 0);
    group_list groups;
    for (;;) {
      for (std::uint32_t warp = 0; warp < warps; ++warp) {
        if (flags_.has("warp") && warp != names_.warp) continue;
        expr::scope names = names_;
        names.warp = warp;
        for (std::size_t i = 0; i < a.loops.size(); ++i)
          names.constants[a.loops[i].name] = a.loops[i].begin + at[i] * a.loops[i].step;
        for (; names.first_lane < names.warp_lanes; names.first_lane += lanes_per_warp)
          if (auto added = add_line(a, names, groups); !added) return added;
      }
      std::size_t i = 0;
      while (i < at.size() && ++at[i] == a.loops[i].count) at[i++] = 0;
      if (i == at.size()) return done{};
    }
  }

  std::vector<tile> take() { return std::move(tiles_); }

 private:
  // The key of a group. A group contains the accesses to one tile that one operation of a line makes.
  struct group_key {
    std::size_t access = 0, tile = 0;
    u32 group = 0;
  };
  using group_list = std::vector<group_key>;

  // Adds all accesses of a line, or only the accesses of the given operation.
  result<done> add_line(const source::access_text& a, const expr::scope& names, group_list& groups) {
    const auto line = expr::parse_line(a.expression, names);
    if (!line) return source::moved_to(a, a.expression, line.error());
    const std::uint32_t threads = expr::threads_of(names), first = names.warp * names.warp_lanes + names.first_lane;
    u32 mask = first >= threads ? 0 : full_mask;
    if (first < threads && threads - first < 32) mask = (1u << (threads - first)) - 1;
    const auto leave_out = [&](const expr::expression& condition, const std::string& text) -> result<done> {
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        const auto v = condition.evaluate(lane);
        if (!v) return source::moved_to(a, text, v.error());
        if (v->number == 0) mask &= ~(1u << lane);
      }
      return done{};
    };
    if (!a.where.empty()) {
      const auto condition = expr::parse(a.where, names, "where");
      if (!condition) return source::moved_to(a, a.where, condition.error());
      if (const auto left = leave_out(*condition, a.where); !left) return left;
    }
    if (line->where)
      if (const auto left = leave_out(*line->where, a.expression); !left) return left;
    if (line->accesses.empty()) return add_instance(a, *line->number, a.op, a.expression, mask, 0, groups);
    const auto asked = a.op.empty() ? result<named_operation>(named_operation{}) : parse_operation(a.op);
    bool found = false;
    for (std::size_t i = 0; i < line->accesses.size(); ++i) {
      const expr::line_access& one = line->accesses[i];
      if (!a.op.empty() && !one.op.empty())
        if (const auto own = parse_operation(one.op); own && asked && is_load(own->op) != is_load(asked->op)) continue;
      found = true;
      const std::string op = a.op.empty() ? one.op : a.op;
      const std::string label = line->accesses.size() > 1 ? one.text : a.expression;
      if (auto added = add_instance(a, one.address, op, label, mask, i, groups); !added) return added;
    }
    if (!found)
      return source::error_in(a, a.op, "the line of code does not contain this operation",
                              "leave out the operation, or write only the element");
    return done{};
  }

  static bool is_load(operation op) { return op.kind == op_kind::load || op.kind == op_kind::ldmatrix; }

  result<done> add_instance(const source::access_text& a, const expr::expression& e, const std::string& given_op,
                            const std::string& label, u32 mask, std::size_t index, group_list& groups) {
    if (++instances_ > most_instances)
      return source::error_in(a, "", formatted("there are more than {} accesses in total", grouped(most_instances)),
                              "use fewer warps or shorter loops");
    const std::string op_name = given_op.empty() ? "ld" : given_op;
    // Matrix operations use only the addresses of some lanes.
    if (const auto early = parse_operation(op_name)) mask = lanes_used({early->op, mask, {}});
    if (mask == 0) return done{};
    std::array<expr::value, 32> values{};
    u32 element = 0, pieces = 1;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const auto v = e.evaluate(lane);
      if (!v) return source::moved_to(a, a.expression, v.error());
      if (v->out_of_bounds)
        return source::error_in(
            a, a.expression, formatted("the index of lane {} is outside the declared extents of the array", lane),
            formatted("declare the array with its full size, or exclude the lane: where t < {}", lane));
      values[lane] = *v;
      element = std::max(element, v->element_bytes);
      pieces = std::max(pieces, v->pieces);
    }
    if (element == 0 && !names_.arrays.empty())
      return source::error_in(a, a.expression, "the expression must be an element of a declared array",
                              formatted("write {}[...]", names_.arrays.front().name));
    u32 unit = 1;
    if (const auto type = flags_.value("type"); type && element == 0) {
      const auto found = find_type(*type);
      if (!found)
        return diagnostic{formatted("{} {}: unknown type", worded(setting::type), *type),
                          {},
                          "use a type of CUDA, such as float, half2 or float4"};
      unit = found->bytes;
      pieces = unit / expr::piece_bytes(*found);
    }
    const auto op = parse_operation(op_name, element != 0 ? element : unit != 1 ? unit / pieces : 4);
    if (!op) {
      diagnostic d = source::error_in(a, a.op, op.error().message, op.error().hint);
      return d;
    }
    if (const auto missing = unsupported(tiles_.front().what.on, *op)) return *missing;

    // If an element is wider than any access, it needs several accesses. If the name of the operation contains a width,
    // this width applies instead.
    if (op->width_given) pieces = 1;
    for (u32 piece = 0; piece < pieces; ++piece)
      if (auto added =
              add_access(a, values, element != 0 ? 1 : unit, *op, mask, piece, label, index * 64 + piece, groups);
          !added)
        return added;
    return done{};
  }

  result<done> add_access(const source::access_text& a, const std::array<expr::value, 32>& values, u32 unit,
                          const named_operation& op, u32 mask, u32 piece, const std::string& label, std::size_t index,
                          group_list& groups) {
    // The access belongs to the array that its first active lane accesses. All other lanes must access the same array.
    std::size_t in = tiles_.size();
    weighted_access w;
    w.what.op = op.op;
    w.what.mask = mask;
    w.weight = a.weight;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const std::int64_t address = values[lane].number * unit + piece * op.op.width_bytes;
      if (address < 0 || address > std::int64_t{1} << 31)
        return source::error_in(
            a, a.expression,
            formatted("lane {}: the byte address {} of this lane is not in shared memory", lane, address),
            "exclude lanes with a condition, such as where t > 0");
      if (in == tiles_.size())
        for (in = 0; in + 1 < tiles_.size(); ++in)
          if (static_cast<std::uint64_t>(address) < tiles_[in].array.offset + tiles_[in].what.bytes) break;
      const tile& t = tiles_[in];
      const std::uint64_t offset = static_cast<std::uint64_t>(address) - t.array.offset;
      if (offset % op.op.width_bytes != 0)
        return source::error_in(a, a.expression,
                                formatted("lane {}: the offset of {} bytes in the array is not a multiple of {}, the "
                                          "width of {}",
                                          lane, offset, op.op.width_bytes, op.spelling),
                                aligned_hint(names_, static_cast<std::uint64_t>(address), op.op.width_bytes));
      if (!names_.arrays.empty() && ((lanes_used(w.what) >> lane & 1) != 0) &&
          (static_cast<std::uint64_t>(address) < t.array.offset || offset + op.op.width_bytes > t.what.bytes))
        return source::error_in(
            a, a.expression,
            formatted("lane {}: the access {} reaches past the end of {}", lane, op.spelling, t.array.name),
            "write one access to one array, and exclude lanes with a condition such as where t > 0");
      w.what.address[lane] = static_cast<u32>(offset);
    }
    tile& t = tiles_[in];
    if (names_.arrays.empty())
      for (u32 lane = 0; lane < lanes_per_warp; ++lane)
        if ((mask >> lane & 1) != 0)
          t.what.bytes = std::max<std::uint64_t>(t.what.bytes, w.what.address[lane] + op.op.width_bytes);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const group_key& g) { return g.tile == in && g.access == index; });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {index, in, static_cast<u32>(t.what.groups.size())});
      t.what.groups.push_back({a.name.empty() ? label : a.name, op});
    }
    w.group = group->group;
    t.what.accesses.push_back(w);
    return done{};
  }

  const flag_values& flags_;
  const expr::scope& names_;
  std::vector<tile> tiles_;
  std::size_t instances_ = 0;
};

// Sets the size of an extern array that has no extent. The size is that of the accessed part.
void shrink_to_touched(tile& t) {
  if (t.array.sized || t.array.extents.empty() || t.array.extents.front() == 0) return;
  std::uint64_t end = 1;
  for (const weighted_access& w : t.what.accesses)
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      if ((lanes_used(w.what) >> lane & 1) != 0)
        end = std::max<std::uint64_t>(end, std::uint64_t{w.what.address[lane]} + w.what.op.width_bytes);
  const std::uint64_t part = t.what.bytes / t.array.extents.front();
  t.array.extents.front() = (end + part - 1) / part;
  t.what.bytes = t.array.extents.front() * part;
}

}  // namespace

result<std::vector<tile>> read_tiles(const flag_values& flags, const std::vector<std::string>& accesses) {
  const auto on = read_machine(flags);
  if (!on) return on.error();
  const auto names = read_scope(flags, on->wave_lanes);
  if (!names) return names.error();
  const auto registers = number(flags, "registers", 0, 1, 255);
  if (!registers) return registers.error();
  const auto shared = number(flags, "shared", 0, 0, 1u << 20);
  if (!shared) return shared.error();

  access_reader r(flags, *on, *names);
  for (const std::string& text : accesses)
    if (const auto added = r.add(text); !added) return added.error();
  std::vector<tile> tiles = r.take();
  std::erase_if(tiles, [](const tile& t) { return t.what.accesses.empty(); });
  if (tiles.empty())
    return diagnostic{"no access has an active lane",
                      {},
                      formatted("check the condition after where, and {}", worded(setting::block))};
  for (tile& t : tiles) {
    if (!t.array.name.empty()) continue;
    // Without a declaration, an element is as wide as the narrowest access.
    t.what.element_bytes = 16;
    for (const weighted_access& w : t.what.accesses)
      t.what.element_bytes = std::min<u32>(t.what.element_bytes, w.what.op.width_bytes);
  }
  for (tile& t : tiles) shrink_to_touched(t);
  std::uint64_t all_bytes = 0;
  for (const tile& t : tiles) all_bytes += t.what.bytes;
  for (tile& t : tiles) {
    if (t.what.bytes > most_array_bytes)
      return diagnostic{
          formatted("{} {} bytes, but shared memory has less than {} bytes",
                    t.array.name.empty() ? "the accesses span" : formatted("array {} takes", t.array.name),
                    grouped(t.what.bytes), grouped(most_array_bytes)),
          {},
          "count the addresses from the start of the array"};
    const std::uint64_t threads = std::uint64_t{names->block[0]} * names->block[1] * names->block[2];
    if (flags.has("block"))
      t.what.block = {static_cast<std::uint32_t>(threads),
                      static_cast<std::uint32_t>(flags.has("registers") ? *registers : 0),
                      static_cast<std::uint32_t>(all_bytes + *shared)};
  }
  for (tile& t : tiles) {
    t.declared = t.array;
    take_padding_out(t.what, t.array);
  }
  return tiles;
}

}  // namespace bankwise::advise
