// Finds remedies for an access to global memory. A remedy changes the addresses of the lanes, or the flags or text of
// the question. The changed question is evaluated again.
#include "advise/sectors/global_remedies.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "bankwise/wavefronts.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/question_words.hpp"

namespace bankwise::advise {

namespace {

constexpr u32 widest_access = 16;  // largest number of bytes that a lane accesses at once on every GPU

sector_sum& operator+=(sector_sum& sum, const global_cost& c) {
  sum.requests += c.bytes != 0;
  sum.sectors += c.sectors;
  sum.tag_requests += c.tag_requests;
  return sum;
}

sector_sum sum_of(const global_access& a) {
  sector_sum sum;
  return sum += cost_of(a);
}

// Returns the sum of the sectors of all listed warps. If no warps are listed, returns the sectors of the access itself.
sector_sum sum_of(const named_global_access& q) {
  sector_sum sum;
  for (const warp_sectors& w : q.warps) sum += w.cost;
  return q.warps.empty() ? sum += cost_of(q.what) : sum;
}

u64 first_address(const global_access& a) {
  u64 first = ~u64{0};
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if (has_lane(a.mask, lane)) first = std::min<u64>(first, a.addresses[lane]);
  return first;
}

// Returns the distance of neighbouring lanes in bytes. Returns nothing if active lanes have different distances.
std::optional<long long> stride_of(const global_access& a) {
  std::optional<long long> stride;
  u32 before = lanes_per_warp;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if (!has_lane(a.mask, lane)) continue;
    if (before != lanes_per_warp) {
      const long long apart = static_cast<long long>(a.addresses[lane]) - static_cast<long long>(a.addresses[before]);
      const long long step = apart / static_cast<long long>(lane - before);
      if (step * static_cast<long long>(lane - before) != apart || (stride && *stride != step)) return std::nullopt;
      stride = step;
    }
    before = lane;
  }
  return stride;
}

// Returns an access in which each lane's address is computed from the lane's number and old address.
template <class Address>
global_access relocated(global_access a, u32 width, const Address& address) {
  a.width_bytes = width;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if (has_lane(a.mask, lane)) a.addresses[lane] = address(lane, a.addresses[lane]);
  return a;
}

class remedy_search {
 public:
  remedy_search(const flag_values& flags, const std::string& text, const std::string& list_name,
                const named_global_access& q)
      : flags_(flags), text_(text), list_name_(list_name), q_(q), stride_(stride_of(q.what)) {}

  std::vector<global_remedy> run() {
    if (q_.what.mask == 0) return {};
    const u64 element = element_bytes();
    if (!q_.pieces.empty() && is_inside()) {
      of_pieces(element);
    } else if (element > q_.what.width_bytes && is_inside()) {
      of_members(element);
    } else if (stride_ && std::max(*stride_, -*stride_) > q_.what.width_bytes) {
      of_stride(static_cast<u64>(std::max(*stride_, -*stride_)));
    } else if (stride_ && *stride_ == q_.what.width_bytes && q_.what.width_bytes < 4) {
      of_narrow();
    }
    if (q_.can_move) {
      swap_threads();
      reshape_block();
      pad_rows();
      round_constants();
    }
    shift();
    return std::move(found_);
  }

 private:
  // Returns the size of the struct or vector whose members the lanes access, or 0 if it is unknown.
  u64 element_bytes() const {
    if (!q_.array || !q_.array->modes.empty()) return 0;
    return q_.array->of != nullptr || q_.array->component_bytes != 0 ? q_.array->element_bytes : 0;
  }

  // Returns the index of the element that a lane accesses.
  u64 index_of(u64 address, u64 element) const { return (address - array_begin()) / element; }
  u64 array_begin() const { return q_.base + (q_.array ? q_.array->offset : 0); }
  // Whether no lane accesses an address before the beginning of the array.
  bool is_inside() const { return first_address(q_.what) >= array_begin(); }

  void add(std::string_view id, std::string text, sector_sum before, sector_sum after, std::string command = {}) {
    const bool better =
        after.sectors < before.sectors || (after.sectors == before.sectors && after.requests < before.requests);
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const global_remedy& r) { return r.id == id; });
    if (!better || known) return;
    // Remedies may belong to different accesses, so they are sorted by the share of sectors that remains.
    const auto place = std::find_if(found_.begin(), found_.end(), [&](const global_remedy& r) {
      return after.sectors * r.before.sectors < r.after.sectors * before.sectors;
    });
    found_.insert(place, {id, std::move(text), before, after, std::move(command)});
  }

  // Evaluates the question with other flags or another text.
  std::optional<named_global_access> ask(const flag_values& flags, const std::string& text) const {
    auto q = read_global_question(flags, text, list_name_);
    return q ? std::optional(std::move(*q)) : std::nullopt;
  }

  // Adds remedies for elements that one access cannot load, such as elements of 12 bytes.
  void of_pieces(u64 element) {
    const u32 width = q_.what.width_bytes;
    const auto pieces = static_cast<u32>(q_.pieces.size());
    if (element != u64{pieces} * width) return;
    sector_sum before, arrays, by_rows;
    for (const global_cost& c : q_.pieces) before += c;
    const u64 first = array_begin() + index_of(first_address(q_.what), element) * element;
    for (u32 piece = 0; piece < pieces; ++piece) {
      arrays += cost_of(
          relocated(q_.what, width, [&](u32, u64 at) { return array_begin() + index_of(at, element) * width; }));
      by_rows += cost_of(relocated(
          q_.what, width, [&](u32 lane, u64) { return first + (u64{piece} * lanes_per_warp + lane) * width; }));
    }
    add("soa", formatted("a struct of arrays, with one array for each of the {} parts of an element", pieces), before,
        arrays);
    u32 padded = 1;
    while (padded < element) padded *= 2;
    if (padded <= widest_access)
      add("wider",
          formatted("elements that are padded to {} bytes{}, so that one access moves a whole element", padded,
                    element == 12 && padded == 16 ? ", as float4 is" : ""),
          before, sum_of(relocated(q_.what, padded, [&](u32, u64 at) {
            return array_begin() / padded * padded + index_of(at, element) * padded;
          })));
    if (stride_ && *stride_ == static_cast<long long>(element))
      add("shared",
          "let the warp load its elements as consecutive words into shared memory, and let each lane read its elements "
          "there",
          before, by_rows);
  }

  // Adds remedies for lanes that access one member of each element: p[t].x.
  void of_members(u64 element) {
    const u32 width = q_.what.width_bytes;
    add("soa", "a struct of arrays, with this member in its own array", sum_of(q_.what),
        sum_of(relocated(q_.what, width, [&](u32, u64 at) { return array_begin() + index_of(at, element) * width; })));
    if (element > widest_access || (element & (element - 1)) != 0 || array_begin() % element != 0) return;
    sector_sum before;
    for (u64 at = 0; at < element; at += width)
      before += cost_of(relocated(q_.what, width,
                                  [&](u32, u64 old) { return array_begin() + index_of(old, element) * element + at; }));
    add("vector",
        formatted("if a lane needs all members, one access of {} bytes instead of {} accesses", element,
                  element / width),
        before, sum_of(relocated(q_.what, static_cast<u32>(element), [&](u32, u64 old) {
          return array_begin() + index_of(old, element) * element;
        })));
  }

  // Adds remedies for lanes whose distance exceeds the width of their accesses: x[t * 4], a[t][c].
  void of_stride(u64 stride) {
    const u32 width = q_.what.width_bytes;
    const u64 begin = first_address(q_.what) / line_bytes * line_bytes;
    const sector_sum now = sum_of(q_.what);
    const sector_sum by_rows =
        sum_of(relocated(q_.what, width, [&](u32 lane, u64) { return begin + u64{lane} * width; }));
    // The access goes through a tile in shared memory with 32 columns and one column of padding.
    const u32 waves = width <= 16 ? wavefronts(make_access(ld(width), [&](u32 lane) { return lane * 33 * width; })) : 0;
    if (stride >= line_bytes || (q_.array && q_.array->extents.size() > 1))
      add("shared",
          formatted(
              "read rows, and transpose them in a tile of shared memory with rows of 33 elements ({} for each column)",
              count_of(waves, "wavefront")),
          now, by_rows);
    else
      add("neighbours", "let neighbouring lanes access neighbouring elements: lane t accesses element t", now, by_rows);
    if (stride > widest_access || (stride & (stride - 1)) != 0 || first_address(q_.what) % stride + width > stride)
      return;
    sector_sum narrow;
    for (u64 at = 0; at < stride; at += width)
      narrow += cost_of(relocated(q_.what, width, [&](u32, u64 old) { return old / stride * stride + at; }));
    add("vector",
        formatted("if a lane also needs the elements in between, one access of {} bytes instead of {} accesses", stride,
                  stride / width),
        narrow,
        sum_of(relocated(q_.what, static_cast<u32>(stride), [&](u32, u64 old) { return old / stride * stride; })));
  }

  // Adds remedies for narrow accesses: char x[], x[t]. Such accesses waste no bytes, but each request moves only a few
  // bytes.
  void of_narrow() {
    const u32 width = q_.what.width_bytes, wide = 4;
    const u64 begin = first_address(q_.what) / line_bytes * line_bytes;
    sector_sum narrow;
    for (u32 i = 0; i < wide / width; ++i)
      narrow += cost_of(
          relocated(q_.what, width, [&](u32 lane, u64) { return begin + (u64{i} * lanes_per_warp + lane) * width; }));
    add("vector", formatted("access {} per lane as a vector of {} bytes", count_of(wide / width, "element"), wide),
        narrow, sum_of(relocated(q_.what, wide, [&](u32 lane, u64) { return begin + u64{lane} * wide; })));
  }

  // Adds the remedy that exchanges threadIdx.x and threadIdx.y.
  void swap_threads() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> names = {
        {{"threadIdx.x", "threadIdx.y"}, {"tx", "ty"}}};
    std::string swapped;
    bool changed[2] = {};
    for (std::size_t at = 0; at < text_.size();) {
      const auto is_here = [&](std::string_view word) {
        return text_.compare(at, word.size(), word) == 0 && (at == 0 || !is_name_character(text_[at - 1])) &&
               (at + word.size() == text_.size() || !is_name_character(text_[at + word.size()]));
      };
      bool taken = false;
      for (const auto& [x, y] : names) {
        if (!is_here(x) && !is_here(y)) continue;
        changed[is_here(y)] = true;
        swapped += is_here(x) ? y : x;
        at += is_here(x) ? x.size() : y.size();
        taken = true;
        break;
      }
      if (!taken) swapped += text_[at++];
    }
    if (!changed[0] || !changed[1]) return;
    if (const auto other = ask(flags_, swapped))
      add("threads", "swap threadIdx.x and threadIdx.y in the index, if the block covers the same elements", sum_of(q_),
          sum_of(*other), command_line(flags_, swapped));
  }

  // Adds the remedy that changes the shape of the block, so that a warp is 32 threads of a row.
  void reshape_block() {
    const auto block = triple(flags_, "block", {lanes_per_warp, 1, 1});
    if (!block || flags_.has("warp")) return;
    const u32 threads = (*block)[0] * (*block)[1] * (*block)[2];
    if ((*block)[0] >= lanes_per_warp || threads % lanes_per_warp != 0) return;
    flag_values other = flags_;
    const std::string shape = formatted("{},{}", lanes_per_warp, threads / lanes_per_warp);
    other.values["block"] = {shape};
    if (const auto q = ask(other, text_))
      add("block",
          formatted("a block of {} x {} threads, in which each warp is a row", lanes_per_warp,
                    threads / lanes_per_warp),
          sum_of(q_), sum_of(*q), command_line(other, text_));
  }

  // Adds the remedy that pads rows, if rows begin in the middle of a sector.
  void pad_rows() {
    if (!q_.array || q_.array->extents.size() < 2 || !q_.array->modes.empty()) return;
    const u64 row = q_.array->extents.back() * q_.array->element_bytes;
    if (row % sector_bytes == 0 || sector_bytes % q_.array->element_bytes != 0) return;
    const u64 pitch = (row + sector_bytes - 1) / sector_bytes * sector_bytes;
    flag_values other = flags_;
    for (std::string& declaration : other.values["array"]) {
      const std::size_t name = find_word(declaration, q_.array->name);
      const std::size_t end = std::min(declaration.find_first_of("@;,", name), declaration.size());
      if (name == std::string::npos || declaration.find('{') != std::string::npos) continue;
      const std::size_t close = declaration.rfind(']', end), open = declaration.rfind('[', close);
      if (close == std::string::npos || open == std::string::npos || open < name) continue;
      declaration.replace(open + 1, close - open - 1, std::to_string(pitch / q_.array->element_bytes));
      if (const auto q = ask(other, text_))
        add("pitch", formatted("rows padded from {} to {} bytes, as cudaMallocPitch does", row, pitch), sum_of(q_),
            sum_of(*q), command_line(other, text_));
      return;
    }
  }

  // Adds the remedy that rounds constants up, as for x[row * width + column] with --let width=1001.
  void round_constants() {
    const auto& given = flags_.all("let");
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::size_t equals = given[i].find('=');
      if (equals == std::string::npos) continue;
      const std::string name(trim(given[i].substr(0, equals)));
      const auto value = parse_u64(trim(std::string_view(given[i]).substr(equals + 1)));
      const u64 step = std::max<u64>(1, sector_bytes / q_.what.width_bytes);
      if (!value || *value <= step || *value % step == 0 || *value > 1u << 30) continue;
      flag_values other = flags_;
      const u64 rounded = (*value + step - 1) / step * step;
      other.values["let"][i] = formatted("{}={}", name, rounded);
      if (const auto q = ask(other, text_))
        add("pitch", formatted("rows padded to {} = {}, as cudaMallocPitch does", name, rounded), sum_of(q_),
            sum_of(*q), command_line(other, text_));
    }
  }

  // Adds the remedy that moves an array if it begins in the middle of a sector.
  void shift() {
    const u64 first = first_address(q_.what), off = first % line_bytes;
    if (off == 0) return;
    const sector_sum after = sum_of(relocated(q_.what, q_.what.width_bytes, [&](u32, u64 at) { return at - off; }));
    if (q_.base % allocation_bytes != 0 && (first - q_.base) % sector_bytes == 0) {
      flag_values other = flags_;
      other.values.erase("base");
      if (const auto q = ask(other, text_))
        return add("align",
                   formatted("let the array begin at a multiple of {} bytes, as cudaMalloc does", allocation_bytes),
                   sum_of(q_), sum_of(*q), command_line(other, text_));
    }
    const u64 into = first % sector_bytes;
    add("shift",
        into == 0
            ? "let the access of the warp begin at the start of a line of 128 bytes"
            : formatted("let the access of the warp begin at the start of a sector. The access now begins {} bytes "
                        "after the start",
                        into),
        sum_of(q_.what), after);
  }

  const flag_values& flags_;
  const std::string& text_;
  const std::string& list_name_;
  const named_global_access& q_;
  std::optional<long long> stride_;
  std::vector<global_remedy> found_;
};

}  // namespace

std::vector<global_remedy> remedies_of(const flag_values& flags, const std::string& text, const std::string& list_name,
                                       const named_global_access& q) {
  return remedy_search(flags, text, list_name, q).run();
}

}  // namespace bankwise::advise
