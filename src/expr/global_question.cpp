// Reads questions about global memory. asked_lanes.hpp reads the lanes, and the rule counts the sectors.
#include "expr/global_question.hpp"

#include <algorithm>

#include "bankwise/ability.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/address_list.hpp"
#include "expr/asked_lanes.hpp"
#include "expr/names/machine_names.hpp"
#include "expr/parse/declaration.hpp"
#include "expr/question.hpp"

namespace bankwise {

namespace {

constexpr u64 most_global_address = (u64{1} << 48) - 1;
constexpr u32 oldest_with_sectors = 50;
constexpr std::size_t most_undeclared = 64;

// Returns names that are indexed but not declared, such as x in x[t] and in ((float4*)x)[t].
std::vector<std::string> undeclared_arrays(std::string_view text, const expr::scope& names) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size() && found.size() < most_undeclared;) {
    if (!is_name_character(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    const std::string_view before = trim(text.substr(0, at)), after = trim(text.substr(end));
    const bool is_member = before.ends_with('.') || before.ends_with("->");
    const bool is_cast = (before.ends_with("*)") || before.ends_with("*>(")) && !after.starts_with('(');
    // With several indices, the extents are unknown.
    std::size_t close = 0;
    int depth = 0;
    for (; close < after.size(); ++close) {
      depth += after[close] == '[' ? 1 : after[close] == ']' ? -1 : 0;
      if (depth == 0) break;
    }
    const bool is_indexed =
        after.starts_with('[') && !trim(after.substr(std::min(close + 1, after.size()))).starts_with('[');
    const bool is_known =
        names.constants.contains(word) ||
        std::any_of(names.variables.begin(), names.variables.end(), [&](const auto& v) { return v.name == word; }) ||
        std::any_of(names.arrays.begin(), names.arrays.end(), [&](const auto& a) { return a.name == word; });
    if ((is_indexed || is_cast) && !is_member && !is_known && (word[0] < '0' || word[0] > '9') &&
        std::find(found.begin(), found.end(), word) == found.end())
      found.push_back(word);
    at = end;
  }
  return found;
}

class global_question_reader {
 public:
  global_question_reader(const flag_values& flags, const std::string& text, const std::string& list_name)
      : flags_(flags), text_(text), list_name_(list_name), lanes_(flags, text, list_name, {most_global_address, 32}) {}

  result<named_global_access> run() {
    if (const auto on = read_arch(); !on) return on.error();
    const auto base = number(flags_, "base", 0, 0, most_global_address / 2);
    if (!base) return base.error();
    q_.base = *base;
    auto names = read_scope(flags_, lanes_per_warp, true);
    if (!names) return names.error();
    if (const auto declared = declare_pointers(*names); !declared) return declared.error();
    if (const auto read = lanes_.read(std::move(*names)); !read) return read.error();
    const auto named = parse_global_operation(lanes_.op_name(), lanes_.width.width);
    if (!named) return about("op", named.error());
    if (const auto taken = lanes_.take_width_of(*named); !taken) return taken.error();
    const auto what = place(lanes_.names, &q_.notes);
    if (!what) return what.error();
    q_.what = *what;
    q_.title = lanes_.title + lanes_.layout_title;
    q_.unit = lanes_.unit();
    q_.can_move = !lanes_.is_list();
    if (const auto to = read_destination(); !to) return to.error();
    if (!lanes_.is_list()) {
      find_array();
      count_pieces();
      count_others();
      if (lanes_.line->uses_block_index)
        q_.notes.push_back(formatted("blockIdx is 0 in this expression. To change this value, use {}",
                                     worded(setting::let, "blockIdx.x=1")));
    }
    if (const auto compared = compare_warps(); !compared) return compared.error();
    return q_;
  }

 private:
  result<done> read_arch() {
    const auto on = read_machine(flags_);
    if (!on) return on.error();
    const u32 number = number_of(on->name.c_str());
    if (on->of_amd)
      return about("arch",
                   {formatted("bankwise does not know the cost of global memory on {} ({})", on->name, on->family),
                    {},
                    "sectors of 32 bytes are a part of NVIDIA's caches. The caches of AMD's GPUs have lines of 64 "
                    "or 128 bytes, and no measurement or document says how many of these lines an access of a "
                    "wave looks up"});
    if (number < oldest_with_sectors)
      return about("arch", {formatted("the sectors of global memory are not known for {} ({})", on->name, on->family),
                            {},
                            formatted("sectors are known for NVIDIA's GPUs from sm_{} on", oldest_with_sectors)});
    q_.arch = on->name;
    q_.family = on->family;
    return done{};
  }

  // Declares arrays for undeclared names. The arrays are like parameters of the kernel: float* x.
  result<done> declare_pointers(expr::scope& names) {
    if (lanes_.is_list()) return done{};
    const std::string type = flags_.value("type").value_or("float");
    for (const std::string& name : undeclared_arrays(text_, names)) {
      // the error is reported where the name is used
      if (const auto added = expr::declare(formatted("{} {}[]", type, name), names); !added) continue;
      assumed_.push_back(name);
    }
    return done{};
  }

  // Computes the access of a warp. Fails if an address is not a multiple of the width.
  result<global_access> place(const expr::scope& names, std::vector<std::string>* notes) {
    const auto placed = lanes_.place(names);
    if (!placed) return placed.error();
    if (notes != nullptr && placed->outside != 0) notes->push_back(asked_lanes::bounds_note(placed->outside));
    const auto op = parse_global_operation(lanes_.op_name(), lanes_.width.width);
    if (!op) return about(flags_.has("type") && !flags_.has("op") ? "type" : "op", op.error());
    q_.op = *op;
    return moved(*placed, *op);
  }

  result<global_access> moved(const placed_lanes& placed, const named_operation& op) const {
    global_access a;
    a.mask = placed.mask;
    a.width_bytes = op.op.width_bytes;
    a.past_l1 = op.op.kind == op_kind::copy_async_cg;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      a.to[lane] = lane * piece_bytes;
      if (!has_lane(placed.mask, lane)) continue;
      u64 address = placed.address[lane];
      if (address % a.width_bytes != 0) return lanes_.misaligned(address, lane, a.width_bytes, op.spelling);
      u64 free_bytes = 0;
      if (lanes_.change.every != 0 &&
          __builtin_mul_overflow(address / lanes_.change.every, lanes_.change.free_bytes, &free_bytes))
        return about("pad", {formatted("lane {}: the padded address is beyond 2^48 - 1", lane)});
      address += std::min(free_bytes, most_global_address);
      const u64 high = address >> 32 << 32;
      address = high | lanes_.change.swizzled(placed.address[lane], static_cast<u32>(address));
      address += q_.base;
      if (address % a.width_bytes != 0)
        return about(
            q_.base % a.width_bytes != 0 ? "base"
            : lanes_.change.permute      ? "swizzle"
                                         : "pad",
            {formatted("lane {}: byte address {} is not a multiple of {}, the width of {}", lane, address,
                       a.width_bytes, op.spelling),
             {},
             formatted("the hardware faults on a misaligned address. Change the address so that it is a multiple of {} "
                       "bytes",
                       a.width_bytes)});
      if (address > most_global_address)
        return about("expr", {formatted("lane {}: the byte address is beyond 2^48 - 1", lane)});
      a.addresses[lane] = address;
    }
    return a;
  }

  // Reads the destinations of cp.async.cg. The destinations matter because the two halves of a sector move together
  // only if they remain adjacent.
  result<done> read_destination() {
    const auto text = flags_.value("to");
    if (!text) return done{};
    if (!q_.what.past_l1)
      return about("to", {formatted("{} belongs to {}", worded_name("to"), worded(setting::op, "cp.async.cg"))});
    if (is_address_list(*text)) {
      const auto list = read_addresses(*text, worded_name("to"));
      if (!list) return about("to", list.error());
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) q_.what.to[lane] = static_cast<u32>(list->address[lane]);
    } else {
      const auto e = expr::parse(*text, lanes_.names, worded_name("to"));
      if (!e) return about("to", e.error());
      asked_width width = lanes_.width;
      const auto placed = lanes_.evaluate(*e, lanes_.names, q_.what.mask, *text, width);
      if (!placed) return about("to", placed.error());
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) q_.what.to[lane] = static_cast<u32>(placed->address[lane]);
    }
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      if (has_lane(q_.what.mask, lane) && q_.what.to[lane] % piece_bytes != 0)
        return about("to", {formatted("lane {}: shared address {} is not a multiple of {}, the width of cp.async.cg",
                                      lane, q_.what.to[lane], piece_bytes)});
    q_.title += formatted(" to {}", *text);
    return done{};
  }

  void find_array() {
    if (!lanes_.is_element()) return;
    const std::string& access = lanes_.line->accesses[lanes_.chosen].text;
    std::size_t first = std::string::npos;
    for (const expr::array_decl& a : lanes_.names.arrays)
      if (const std::size_t at = find_word(access, a.name); at < first) first = at, q_.array = a;
    q_.is_array_assumed = q_.array && std::find(assumed_.begin(), assumed_.end(), q_.array->name) != assumed_.end();
  }

  // Computes the cost of each access that an element needs. A float3, for example, needs three accesses, which are 4
  // bytes apart.
  void count_pieces() {
    for (u32 piece = 0; lanes_.width.pieces > 1 && piece < lanes_.width.pieces; ++piece) {
      global_access a = q_.what;
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) a.addresses[lane] += u64{piece} * a.width_bytes;
      q_.pieces.push_back(cost_of(a));
    }
  }

  void count_others() {
    for (std::size_t i = 0; i < lanes_.line->accesses.size(); ++i) {
      if (i == lanes_.chosen) continue;
      const expr::line_access& other = lanes_.line->accesses[i];
      asked_width width = lanes_.width;
      width.given = false;
      const auto mask = lanes_.mask(lanes_.names);
      if (!mask) continue;
      const auto placed = lanes_.evaluate(other.address, lanes_.names, *mask, text_, width);
      const auto op = parse_global_operation(other.op.empty() ? "ld" : other.op, width.width);
      if (!placed || !op) continue;
      if (const auto a = moved(*placed, *op)) q_.others.push_back({op->spelling, other.text, cost_of(*a)});
    }
  }

  // Checks whether other warps have different costs. Without --warp, the answer is for the first warp.
  result<done> compare_warps() {
    q_.warp = lanes_.names.warp;
    const std::uint32_t warps = expr::warps_of(lanes_.names);
    if (lanes_.is_list() || warps < 2 || flags_.has("warp") || flags_.has("to")) return done{};
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      expr::scope names = lanes_.names;
      names.warp = warp;
      const auto a = place(names, nullptr);
      if (!a) {
        diagnostic d = a.error();
        d.message = formatted("warp {} of the block: {}", warp, d.message);
        if (d.hint.empty()) d.hint = formatted("use {} to ask about one warp", worded(setting::warp, "0"));
        return d;
      }
      q_.warps.push_back({warp, cost_of(*a)});
    }
    return done{};
  }

  const flag_values& flags_;
  const std::string& text_;
  const std::string& list_name_;
  asked_lanes lanes_;
  named_global_access q_;
  std::vector<std::string> assumed_;  // arrays that the question does not declare
};

struct space_flag {
  std::string_view name;
  const char* instead;
};
// Flags that have a meaning only for shared memory.
constexpr space_flag of_shared_memory[] = {
    {"phases", "global memory has no banks and no phases"},
    {"source", "the expression is the address in global memory. {to} sets the address in shared memory"},
    {"zfill", "lanes that are filled with zeros do not read. Leave these lanes out with {where} or {mask}"},
};
constexpr space_flag of_global_memory[] = {
    {"base", "shared memory begins at byte 0. To place an array at another byte, write @ in {array}"},
    {"to", "the expression is the address in shared memory. {source} sets the address in global memory"},
};

}  // namespace

result<asked_memory> read_memory(const flag_values& flags) {
  const auto space = choice(flags, "space", "unsaid", {"unsaid", "shared", "global"});
  if (!space || (flags.has("space") && *space == "unsaid"))
    return about("space", {formatted("{} {}: expected 'shared' or 'global'", worded_name("space"),
                                     flags.value("space").value_or(""))});
  const std::string op = flags.value("op").value_or("");
  const bool named = names_global_memory(op);
  if (*space == "shared" && named)
    return about(
        "op",
        {formatted("{} {} is an operation on global memory, not on shared memory", worded(setting::op), op),
         {},
         formatted("leave {} out, or name an operation on shared memory, such as ld or LDS", worded_name("space"))});
  const bool global = *space == "global" || named;
  const auto refused = [&](const space_flag& f, const char* memory) -> diagnostic {
    return about(f.name, {formatted("{} is only for {} memory", worded_name(f.name), memory), {}, spelled(f.instead)});
  };
  if (global) {
    for (const space_flag& f : of_shared_memory)
      if (flags.has(f.name)) return refused(f, "shared");
  } else {
    for (const space_flag& f : of_global_memory)
      if (flags.has(f.name)) return refused(f, "global");
  }
  return global ? asked_memory::global : asked_memory::shared;
}

result<named_global_access> read_global_question(const flag_values& flags, const std::string& text,
                                                 const std::string& list_name) {
  const std::string name = list_name.empty() && is_address_list(text) ? "the list" : list_name;
  return global_question_reader(flags, text, name).run();
}

}  // namespace bankwise
