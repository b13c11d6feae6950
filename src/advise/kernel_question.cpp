#include "advise/kernel_question.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "advise/meant_shape.hpp"
#include "base/text.hpp"

namespace bankwise::advise {

namespace {

std::string place_of(const site& s) {
  return s.line == 0 ? "pc 0x" + hex(s.pc) : base_name(s.file) + ":" + std::to_string(s.line);
}

// "a.cu:12, 14; b.cu:3", each once and in order.
std::string places(const std::set<std::pair<std::string, std::uint32_t>>& lines) {
  std::string text, last;
  for (const auto& [file, line] : lines) {
    if (file == last)
      text += ", " + std::to_string(line);
    else
      text += (text.empty() ? "" : "; ") + base_name(file) + ":" + std::to_string(line);
    last = file;
  }
  return text;
}

std::string counted(std::size_t n, const std::string& what) { return grouped(n) + " " + what + (n == 1 ? "" : "s"); }

// Instructions that get their address as a generic pointer.
bool is_generic(const site& s) {
  return s.sass.find("LDS") == std::string::npos && s.sass.find("STS") == std::string::npos &&
         s.sass.find("LDSM") == std::string::npos && s.sass.find("STSM") == std::string::npos &&
         s.sass.find("ATOMS") == std::string::npos && s.sass.find("LDGSTS") == std::string::npos;
}

// Another input has other addresses: a layout that suits these is chance.
bool fits_one_input(const site& s) {
  return is_access(s) && s.depends.known &&
         (s.depends.address.has(sass::input::data) || s.depends.address.has(sass::input::time));
}

class reader {
 public:
  reader(const launch_report& l, const machine& on) : l_(l), on_(on) {}

  result<std::vector<kernel_array>> read(const std::vector<expr::array_decl>& shapes) {
    std::vector<kernel_array> all;
    for (std::size_t n = 0; n < l_.arrays.size(); ++n) {
      kernel_array a = read_array(n);
      const shared_array& from = l_.arrays[n];
      if (a.what.accesses.empty() && a.what.of_data.empty()) {
        const auto others = users_without_lanes(from);
        for (const expr::array_decl& shape : shapes)
          if (shape.name == from.name && !others.empty())
            return diagnostic{"--array " + shape.name + ": only " + others.begin()->second +
                                  " uses it, and no layout changes what that costs",
                              {},
                              "leave it out: asynchronous operations have no bank conflicts"};
        continue;
      }
      for (const expr::array_decl& shape : shapes) {
        if (shape.name != from.name) continue;
        std::uint64_t bytes = shape.element_bytes;
        for (const std::uint64_t extent : shape.extents) bytes *= extent;
        if (bytes != a.what.bytes)
          return diagnostic{"--array " + shape.name + ": the declaration has " + grouped(bytes) +
                                " bytes, the kernel's array " + grouped(a.what.bytes),
                            {},
                            "write it as the kernel declares it"};
        a.shape = shape;
        a.what.element_bytes = shape.element_bytes;
        a.what.pitch_bytes =
            shape.extents.size() > 1 ? static_cast<u32>(shape.extents.back() * shape.element_bytes) : 0;
        a.title = shape.type + " " + shape.name;
        for (const std::uint64_t extent : shape.extents) a.title += "[" + std::to_string(extent) + "]";
      }
      take_padding_out(a.what, a.shape);
      all.push_back(std::move(a));
    }
    for (const expr::array_decl& shape : shapes) {
      if (std::any_of(l_.arrays.begin(), l_.arrays.end(), [&](const shared_array& a) { return a.name == shape.name; }))
        continue;
      std::string names;
      bool nameless_dynamic = false, nameless_static = false;
      for (const shared_array& a : l_.arrays) {
        if (!a.name.empty()) names += (names.empty() ? "" : ", ") + a.name;
        (a.dynamic ? nameless_dynamic : nameless_static) |= a.name.empty();
      }
      std::string hint = names.empty() ? "" : "there are " + names + "; ";
      if (nameless_static) hint += "names of static arrays are known of cubins that were compiled with -lineinfo; ";
      if (nameless_dynamic)
        hint +=
            "parts of dynamic shared memory have no names, the code divides it itself: write the accesses down, "
            "bankwise fix --array 'float " +
            shape.name + "[32][32]' 'st ...' 'ld ...'; ";
      if (hint.empty()) hint = "it has no shared memory that was used; ";
      hint.resize(hint.size() - 2);
      return diagnostic{"--array " + shape.name + ": the kernel has no array of that name", {}, hint};
    }
    return all;
  }

 private:
  // What uses the array and is no access of lanes, with its lines.
  std::map<async_kind, std::string> users_without_lanes(const shared_array& a) const {
    std::map<async_kind, std::set<std::pair<std::string, std::uint32_t>>> lines;
    for (const std::size_t i : a.sites)
      if (const site& s = l_.sites[i]; !is_access(s)) lines[s.async.kind].emplace(s.file, s.line);
    std::map<async_kind, std::string> users;
    for (const auto& [kind, where] : lines) users[kind] = spell(kind) + " on " + places(where);
    return users;
  }

  kernel_array read_array(std::size_t n) const {
    const shared_array& from = l_.arrays[n];
    kernel_array a;
    a.array = n;
    a.shape.name = from.name;
    a.title = !from.name.empty() ? from.name
                                 : std::string(from.dynamic ? "dynamic " : "") + "shared memory " +
                                       grouped(from.begin) + " to " + grouped(from.end - 1);
    // From a whole word on: which bank a word is in does not matter, only which words are in one.
    const std::uint64_t begin = from.begin / 4 * 4;
    a.what.on = on_;
    a.what.bytes = std::min(from.end - begin, most_array_bytes);
    a.what.element_bytes = 16;
    a.what.dynamic = from.dynamic;
    a.what.block = {l_.block[0] * l_.block[1] * l_.block[2], l_.registers,
                    l_.static_shared_bytes + l_.dynamic_shared_bytes};

    std::map<std::tuple<std::string, std::uint32_t, std::string, bool>, u32> groups;  // file, line or pc, operation
    std::set<std::pair<std::string, std::uint32_t>> lines, generic, past_l1;
    std::set<std::string> others, of_data;
    for (const std::size_t index : from.sites) {
      const site& s = l_.sites[index];
      const bool by_data = fits_one_input(s);
      if (!by_data) a.most_clocks_won += s.cycles - std::min(s.best_cycles, s.cycles);
      std::optional<u32> group;
      // A site of which only a sample was kept stands for all that it executed.
      std::uint64_t kept = 0;
      for (const recorded_access& r : s.accesses) kept += r.count;
      const std::uint64_t scale = l_.accesses_kept < l_.accesses_seen && kept != 0
                                      ? std::max<std::uint64_t>(1, (s.executed + kept / 2) / kept)
                                      : 1;
      for (const recorded_access& r : s.accesses) {
        const u32 used = lanes_used(r.what);
        if (used == 0) continue;
        weighted_access w{r.what, r.count * scale, 0};
        if (s.op.op.kind == op_kind::copy_async_cg) w.what.op = cp_async(16);
        bool inside = true;
        for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
          if ((used >> lane & 1) == 0) {
            w.what.address[lane] = 0;
            continue;
          }
          const u32 at = r.what.address[lane];
          inside &= at >= begin && std::uint64_t{at} + r.what.op.width_bytes <= begin + a.what.bytes;
          w.what.address[lane] = at - static_cast<u32>(begin);
        }
        if (!inside) continue;  // of another array
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
          if (s.line != 0) lines.emplace(s.file, s.line);
          if (is_generic(s)) generic.emplace(s.file, s.line);
          if (s.op.op.kind == op_kind::copy_async_cg) past_l1.emplace(s.file, s.line);
          for (std::size_t m = 0; m < l_.arrays.size(); ++m)
            if (m != n &&
                std::find(l_.arrays[m].sites.begin(), l_.arrays[m].sites.end(), index) != l_.arrays[m].sites.end())
              others.insert(l_.arrays[m].name.empty() ? "other shared memory" : l_.arrays[m].name);
        }
        w.group = *group;
        a.what.element_bytes = std::min<u32>(a.what.element_bytes, r.what.op.width_bytes);
        (by_data ? a.what.of_data : a.what.accesses).push_back(w);
      }
    }
    add_notes(a, from, lines, generic, past_l1, others, of_data);
    return a;
  }

  void add_notes(kernel_array& a, const shared_array& from,
                 const std::set<std::pair<std::string, std::uint32_t>>& lines,
                 const std::set<std::pair<std::string, std::uint32_t>>& generic,
                 const std::set<std::pair<std::string, std::uint32_t>>& past_l1, const std::set<std::string>& others,
                 const std::set<std::string>& of_data) const {
    if (!lines.empty())
      a.notes.push_back("accessed on " + places(lines) + ": with an index function all of them change");
    if (!of_data.empty()) {
      std::string where;
      for (const std::string& place : of_data) where += (where.empty() ? "" : ", ") + place;
      a.notes.push_back("the addresses on " + where +
                        " depend on the data: no layout is fitted to them, and none is kept that makes them cost more");
    }
    for (const auto& [kind, who] : users_without_lanes(from)) {
      if (kind == async_kind::wgmma)
        a.notes.push_back(
            who +
            " reads it by a descriptor, which must say the same: a padding fits between core matrices of "
            "128 bytes, a swizzle if it is one of 32, 64 or 128 bytes; it costs the same whatever the layout");
      if (kind == async_kind::bulk_copy)
        a.notes.push_back(
            who + " copies it contiguously: the other side must have the same layout, or each row a copy of its own");
      if (kind == async_kind::tensor_copy)
        a.notes.push_back(who + " has no padding: the tensor map can have a swizzle of 32, 64 or 128 bytes");
    }
    if (from.name.empty() && !from.dynamic)
      a.notes.push_back("the array has no name: compile with -lineinfo, and it is the one that the kernel declares");
    if (from.dynamic)
      a.notes.push_back("arrays of dynamic shared memory are distinguished by their accesses, from byte " +
                        grouped(from.begin) +
                        " on: a longer array moves those behind it, and the launch must ask for more bytes");
    for (const std::string& other : others)
      a.notes.push_back("the same instructions also touch " + other +
                        ": give both the same layout, or separate the code");
    if (!generic.empty()) a.notes.push_back("a pointer to the array escapes: generic accesses on " + places(generic));
    if (!l_.not_executed.empty()) {
      std::set<std::pair<std::string, std::uint32_t>> idle;
      for (const bankwise::code_place& i : l_.not_executed)
        if (i.line != 0) idle.emplace(i.file, i.line);
      a.notes.push_back(counted(l_.not_executed.size(), "shared-memory instruction") +
                        " did not run in this launch and may touch the array too" +
                        (idle.empty() ? std::string() : ": " + places(idle)));
    }
    if (!past_l1.empty())
      a.notes.push_back(
          "cp.async.cg on " + places(past_l1) +
          " is counted as cp.async.ca, whose rows of 128 bytes suit it too; it takes no time of the shared pipe");
    if (l_.accesses_kept < l_.accesses_seen)
      a.notes.push_back("counted from " + grouped(l_.accesses_kept) + " of " + grouped(l_.accesses_seen) +
                        " accesses, a sample");
    a.notes.push_back(
        "not visible from here: other launches, and code that relies on the array's size or copies it as a whole");
  }

  const launch_report& l_;
  const machine& on_;
};

}  // namespace

result<std::vector<kernel_array>> read_arrays(const launch_report& l, const machine& on,
                                              const std::vector<expr::array_decl>& shapes) {
  return reader(l, on).read(shapes);
}

}  // namespace bankwise::advise
