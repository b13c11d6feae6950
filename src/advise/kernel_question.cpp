#include "advise/kernel_question.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "advise/meant_shape.hpp"
#include "base/format.hpp"
#include "base/line_tables.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "model/remedies.hpp"

namespace bankwise::advise {

namespace {

std::string place_of(const site& s) {
  return s.line == 0 ? formatted("pc 0x{}", hex(s.pc)) : formatted("{}:{}", base_name(s.file), s.line);
}

// Returns a list of source lines without duplicates: "a.cu:12, 14; b.cu:3".
std::string places(const std::set<std::pair<std::string, std::uint32_t>>& lines) {
  std::string text, last;
  for (const auto& [file, line] : lines) {
    if (file == last)
      text += formatted(", {}", line);
    else
      text += formatted("{}{}:{}", text.empty() ? "" : "; ", base_name(file), line);
    last = file;
  }
  return text;
}

std::string counted(std::size_t n, const std::string& what) {
  return formatted("{} {}{}", grouped(n), what, n == 1 ? "" : "s");
}

// Whether the instruction's address is a generic pointer.
bool is_generic(const site& s) {
  return s.sass.find("LDS") == std::string::npos && s.sass.find("STS") == std::string::npos &&
         s.sass.find("LDSM") == std::string::npos && s.sass.find("STSM") == std::string::npos &&
         s.sass.find("ATOMS") == std::string::npos && s.sass.find("LDGSTS") == std::string::npos;
}

// Returns the values that these sites pass through an array.
traffic traffic_of(const launch_report& l, const std::vector<std::size_t>& sites, const machine& on) {
  traffic t;
  bool stays_in_warps = true;
  for (const std::size_t i : sites) {
    const site& s = l.sites[i];
    const op_kind kind = s.op.op.kind;
    t.loaded_words += s.passed.words;
    if (is_access(s)) t.stored_words += s.passed.words;
    t.shuffles += s.passed.shuffles;
    stays_in_warps &= is_access(s) && s.passed.to_other_warps == 0 &&
                      (kind == op_kind::store || (kind == op_kind::load && s.passed.shuffles != 0));
  }
  if (!stays_in_warps) t.shuffles = 0;
  const std::uint64_t words = u32{on.model.banks} * on.model.bank_bytes / 4;  // number of words in a wavefront
  t.least_wavefronts = (t.stored_words + words - 1) / words + (t.loaded_words + words - 1) / words;
  return t;
}

class reader {
 public:
  reader(const launch_report& l, const machine& on, std::vector<divided_array> arrays)
      : l_(l), on_(on), arrays_(std::move(arrays)) {}

  result<std::vector<kernel_array>> read(const std::vector<expr::array_decl>& shapes) {
    std::vector<kernel_array> all;
    for (std::size_t n = 0; n < arrays_.size(); ++n) {
      kernel_array a = read_array(n);
      const shared_array& from = arrays_[n].memory;
      if (a.what.accesses.empty() && a.what.of_data.empty()) {
        const auto others = users_without_lanes(from);
        for (const expr::array_decl& shape : shapes)
          if (shape.name == from.name && !others.empty())
            return diagnostic{formatted("{} {}: only {} uses this array. The cost of this instruction is the same with "
                                        "every layout",
                                        worded(setting::array), shape.name, others.begin()->second),
                              {},
                              "leave the array out, because asynchronous operations have no bank conflicts"};
        if (arrays_[n].is_given)
          return diagnostic{formatted("{} {} @ {}: this launch does not access these bytes", worded(setting::array),
                                      from.name, grouped(from.begin - l_.static_shared_bytes)),
                            {},
                            "@ BYTE counts bytes from the start of the dynamic shared memory"};
        continue;
      }
      if (arrays_[n].is_given) set_shape(a, arrays_[n].shape);
      for (const expr::array_decl& shape : shapes) {
        if (shape.name != from.name || !shape.places.empty()) continue;
        const std::uint64_t bytes = bytes_of(shape), has = a.what.bytes * a.what.stages;
        // The array may be larger than this, because only the used part of dynamic memory is known.
        if (from.dynamic ? bytes < has : bytes != has)
          return diagnostic{formatted("{} {}: the declaration has {} bytes, but the array of the kernel has {} bytes",
                                      worded(setting::array), shape.name, grouped(bytes), grouped(has)),
                            {},
                            "declare the array as in the kernel"};
        set_shape(a, shape);
      }
      take_padding_out(a.what, a.shape);
      all.push_back(std::move(a));
    }
    for (const expr::array_decl& shape : shapes) {
      if (std::any_of(arrays_.begin(), arrays_.end(),
                      [&](const divided_array& a) { return a.memory.name == shape.name; }))
        continue;
      std::string names;
      bool nameless_dynamic = false, nameless_static = false;
      for (const divided_array& d : arrays_) {
        const shared_array& a = d.memory;
        if (!a.name.empty()) names += (names.empty() ? "" : ", ") + a.name;
        (a.dynamic ? nameless_dynamic : nameless_static) |= a.name.empty();
      }
      std::string hint = names.empty() ? "" : formatted("there are {}; ", names);
      if (nameless_static)
        hint += formatted("static arrays have names only if the code was compiled with {}; ", line_table_flag);
      if (nameless_dynamic)
        hint += formatted("arrays in dynamic shared memory have no names, so pass the offset of the first byte: {}; ",
                          worded(setting::array, formatted("{} {}... @ BYTE", shape.type, shape.name)));
      if (hint.empty()) hint = "this launch did not use shared memory; ";
      hint.resize(hint.size() - 2);
      return diagnostic{
          formatted("{} {}: the kernel has no array with this name", worded(setting::array), shape.name), {}, hint};
    }
    return all;
  }

 private:
  // Returns the asynchronous operations that use the array, with their source lines.
  std::map<async_kind, std::string> users_without_lanes(const shared_array& a) const {
    std::map<async_kind, std::set<std::pair<std::string, std::uint32_t>>> lines;
    for (const std::size_t i : a.sites)
      if (const site& s = l_.sites[i]; !is_access(s)) lines[s.async.kind].emplace(s.file, s.line);
    std::map<async_kind, std::string> users;
    for (const auto& [kind, where] : lines) users[kind] = formatted("{} on {}", spell(kind), places(where));
    return users;
  }

  static void set_shape(kernel_array& a, const expr::array_decl& shape) {
    a.shape = shape;
    if (shape.places.size() > 1) a.shape.extents.erase(a.shape.extents.begin());
    a.what.element_bytes = shape.element_bytes;
    // Elements at the end of dynamic memory exist even if no instruction accesses them.
    a.what.bytes = std::max(a.what.bytes, bytes_of(a.shape));
    const std::vector<std::uint64_t>& extents = a.shape.extents;
    a.what.pitch_bytes = extents.size() > 1 ? static_cast<u32>(extents.back() * shape.element_bytes) : 0;
    a.title = title_of(shape);
  }
  static std::string title_of(const expr::array_decl& shape) {
    std::string title = (shape.type.empty() ? "" : formatted("{} ", shape.type)) + shape.name;
    for (const std::uint64_t extent : shape.extents) title += formatted("[{}]", extent);
    return title;
  }

  kernel_array read_array(std::size_t n) const {
    const divided_array& d = arrays_[n];
    const shared_array& from = d.memory;
    kernel_array a;
    a.begin = from.begin;
    a.shape = d.shape;
    a.shape.name = from.name;
    a.title = !from.name.empty() ? (d.shape.extents.empty() ? from.name : title_of(a.shape))
                                 : formatted("{}shared memory {} to {}", from.dynamic ? "dynamic " : "",
                                             grouped(from.begin), grouped(from.end - 1));
    a.through = traffic_of(l_, from.sites, on_);
    // Offsets begin at a whole word. The cost depends on which words are in the same bank, but not on the bank's
    // number.
    a.what.on = on_;
    a.what.bytes = std::min(d.stage_bytes, most_array_bytes);
    a.what.stages = static_cast<u32>(d.stages.size());
    a.what.element_bytes = d.shape.extents.empty() ? 16 : d.shape.element_bytes;
    if (d.shape.extents.size() > 1)
      a.what.pitch_bytes = static_cast<u32>(d.shape.extents.back() * d.shape.element_bytes);
    a.what.dynamic = from.dynamic;
    a.what.flat = (from.dynamic || from.name.empty() || d.is_part) && !d.has_declared_rows;
    a.what.pointed = d.is_pointed;
    a.what.member = d.is_member;
    a.what.room = d.room;
    a.what.block = {l_.block[0] * l_.block[1] * l_.block[2], l_.registers,
                    l_.static_shared_bytes + l_.dynamic_shared_bytes};

    const std::uint64_t own = a.what.bytes * a.what.stages;
    if (!from.dynamic)
      a.what.static_bytes = l_.static_shared_bytes - std::min<std::uint64_t>(own, l_.static_shared_bytes);

    // key: file, line or pc, operation
    std::map<std::tuple<std::string, std::uint32_t, std::string, bool>, u32> groups;
    std::set<std::pair<std::string, std::uint32_t>> lines, generic, past_l1;
    std::set<std::string> others, of_data;
    for (const std::size_t index : from.sites) {
      const site& s = l_.sites[index];
      const bool by_data = is_access(s) && depends_on_data(s);
      if (!by_data) a.most_clocks_won += s.cycles - std::min(s.best_cycles, s.cycles);
      std::optional<u32> group;
      // If only a sample of the accesses was kept, the weights of the accesses are scaled to all executions of the
      // site.
      std::uint64_t kept = 0;
      for (const recorded_access& r : s.accesses) kept += r.count;
      const std::uint64_t scale = l_.accesses_kept < l_.accesses_seen && kept != 0
                                      ? std::max<std::uint64_t>(1, (s.executed + kept / 2) / kept)
                                      : 1;
      for (const recorded_access& r : s.accesses) {
        const u32 used = lanes_used(r.what);
        if (used == 0) continue;
        weighted_access w{r.what, r.count * scale, 0, static_cast<u32>(index), static_cast<u32>(s.warp_span_bytes)};
        if (s.op.op.kind == op_kind::copy_async_cg) w.what.op = cp_async(16);
        bool inside = true;
        std::uint64_t stage = 0;
        for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
          if ((used >> lane & 1) == 0) {
            w.what.address[lane] = 0;
            continue;
          }
          const u32 at = r.what.address[lane];
          const auto offset = d.offset_of(at, r.what.op.width_bytes);
          // Whether all lanes access the same stage, and no lane accesses bytes outside of the array.
          inside &= offset && *offset + r.what.op.width_bytes <= a.what.bytes &&
                    (lane == static_cast<u32>(std::countr_zero(used)) || stage == at - *offset) && !is_anothers(n, at);
          stage = at - offset.value_or(0);
          w.what.address[lane] = offset.value_or(0);
        }
        if (!inside) continue;  // the access is to a different array
        if (!group) {
          const auto key =
              std::tuple(s.file, s.line == 0 ? static_cast<std::uint32_t>(s.pc) : s.line, s.op.spelling, by_data);
          const auto [at, is_new] = groups.try_emplace(key, static_cast<u32>(a.what.groups.size()));
          if (is_new) {
            a.what.groups.push_back({place_of(s), s.op, by_data});
            if (by_data) of_data.insert(place_of(s));
            a.sites.emplace_back();
          }
          group = at->second;
          a.sites[*group].push_back({s.function, s.pc});
          if (const std::string helps = goes_round(s) ? remedies_sentence(l_, s) : ""; !helps.empty())
            a.of_rounds.push_back(formatted("{} takes {} rounds; {}", place_of(s), grouped(s.again.rounds), helps));
          if (s.line != 0) lines.emplace(s.file, s.line);
          if (is_generic(s)) generic.emplace(s.file, s.line);
          if (s.op.op.kind == op_kind::copy_async_cg) past_l1.emplace(s.file, s.line);
          for (std::size_t m = 0; m < arrays_.size(); ++m)
            if (const shared_array& other = arrays_[m].memory;
                m != n && std::binary_search(other.sites.begin(), other.sites.end(), index))
              others.insert(other.name.empty() ? "other shared memory" : other.name);
        }
        w.group = *group;
        if (a.shape.extents.empty()) a.what.element_bytes = std::min<u32>(a.what.element_bytes, r.what.op.width_bytes);
        (by_data ? a.what.of_data : a.what.accesses).push_back(w);
      }
    }
    add_notes(a, d, lines, generic, past_l1, others, of_data);
    return a;
  }
  // Whether --array declares these bytes as part of another array.
  bool is_anothers(std::size_t n, std::uint64_t at) const {
    for (std::size_t m = 0; m < arrays_.size(); ++m)
      if (m != n && arrays_[m].is_given && arrays_[m].offset_of(at, 1)) return true;
    return false;
  }

  void add_notes(kernel_array& a, const divided_array& d, const std::set<std::pair<std::string, std::uint32_t>>& lines,
                 const std::set<std::pair<std::string, std::uint32_t>>& generic,
                 const std::set<std::pair<std::string, std::uint32_t>>& past_l1, const std::set<std::string>& others,
                 const std::set<std::string>& of_data) const {
    const shared_array& from = d.memory;
    if (!lines.empty())
      a.notes.push_back(formatted(
          "the array is accessed on {}: if the layout uses an index function, all these lines change", places(lines)));
    if (!of_data.empty()) {
      std::string where;
      for (const std::string& place : of_data) where += (where.empty() ? "" : ", ") + place;
      a.notes.push_back(
          formatted("the addresses on {} depend on data. The search does not optimize these accesses, but drops "
                    "layouts that make them more expensive",
                    where));
    }
    for (const auto& [kind, who] : users_without_lanes(from)) {
      if (kind == async_kind::wgmma)
        a.notes.push_back(formatted(
            "{} reads the array through a descriptor. The descriptor must describe the new layout. Possible layouts "
            "are padding between core matrices of 128 bytes, and swizzles of 32, 64 or 128 bytes. The read itself "
            "costs the same with every layout",
            who));
      if (kind == async_kind::bulk_copy)
        a.notes.push_back(
            formatted("{} copies the array as one contiguous piece. Either source and destination have the same "
                      "layout, or each row needs its own copy",
                      who));
      if (kind == async_kind::tensor_copy)
        a.notes.push_back(formatted(
            "{} cannot copy into padded rows, but the tensor map can have a swizzle of 32, 64 or 128 bytes", who));
    }
    if (from.name.empty() && !from.dynamic)
      a.notes.push_back(
          formatted("the array has no name. To see the name in the kernel, compile with {}", line_table_flag));
    if (from.dynamic) a.notes.push_back(place_note(d));
    for (const std::string& other : d.same_bytes)
      a.notes.push_back(
          formatted("{} uses some bytes of this array at a different time and with a different layout", other));
    for (const std::string& other : others)
      a.notes.push_back(
          formatted("the same instructions also access {}: give both arrays the same layout, or write separate code "
                    "for each array",
                    other));
    if (!generic.empty())
      a.notes.push_back(formatted("generic accesses use a pointer to the array: {}", places(generic)));
    if (!l_.not_executed.empty()) {
      std::set<std::pair<std::string, std::uint32_t>> idle;
      for (const bankwise::code_place& i : l_.not_executed)
        if (i.line != 0) idle.emplace(i.file, i.line);
      a.notes.push_back(formatted("{} did not run in this launch, but may also access the array{}",
                                  counted(l_.not_executed.size(), "shared-memory instruction"),
                                  idle.empty() ? std::string() : formatted(": {}", places(idle))));
    }
    if (!past_l1.empty())
      a.notes.push_back(
          formatted("cp.async.cg ({}) takes no clocks of the shared pipe. The search still uses the cost of a "
                    "cp.async.ca, to prefer layouts with rows of 128 bytes. These layouts are good for both "
                    "operations",
                    places(past_l1)));
    if (l_.accesses_kept < l_.accesses_seen)
      a.notes.push_back(formatted("the counts are from a sample of {} of {} accesses", grouped(l_.accesses_kept),
                                  grouped(l_.accesses_seen)));
    a.notes.push_back(
        "the search does not see other launches. The search also does not see code that relies on the array's size, or "
        "code that copies the whole array");
  }

  // Returns a note such as "the array begins at byte 8,192 of the dynamic shared memory: a longer array shifts S ...".
  std::string place_note(const divided_array& d) const {
    std::string places, after;
    for (const std::uint64_t at : d.stages)
      places += (places.empty() ? "" : ", ") + grouped(at - std::min<std::uint64_t>(at, l_.static_shared_bytes));
    const std::uint64_t end = d.stages.front() + d.stage_bytes;
    for (const divided_array& other : arrays_)
      if (other.memory.dynamic && other.memory.end > end && &other != &d)
        after += (after.empty() ? "" : ", ") +
                 (other.memory.name.empty()
                      ? formatted("bytes {} to {}", grouped(other.memory.begin), grouped(other.memory.end - 1))
                      : other.memory.name);
    return formatted("{}{} of the dynamic shared memory{}. A longer array {}needs a launch that requests more bytes",
                     d.stages.size() > 1 ? formatted("the {} stages of the array begin at bytes ", d.stages.size())
                                         : "the array begins at byte ",
                     places,
                     d.is_given ? std::string()
                                : formatted(", according to the accesses. A declaration {} sets a different position",
                                            worded(setting::array, "TYPE NAME[...] @ BYTE")),
                     after.empty() ? "" : formatted("shifts {}, and ", after));
  }

  const launch_report& l_;
  const machine& on_;
  const std::vector<divided_array> arrays_;
};

}  // namespace

result<std::vector<kernel_array>> read_arrays(const launch_report& l, const machine& on,
                                              const std::vector<expr::array_decl>& shapes, const source_text& source) {
  auto arrays = arrays_of(l, shapes, source);
  if (!arrays) return arrays.error();
  return reader(l, on, std::move(*arrays)).read(shapes);
}

}  // namespace bankwise::advise
