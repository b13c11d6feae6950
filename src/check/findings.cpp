#include "check/findings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "model/parts/remedies.hpp"

namespace bankwise::check {

namespace {

// What a rule counts at a site. A saved report may say that a layout wins more than there is.
std::uint64_t amount_of(const finding_kind& r, const site& s) {
  if (r.id == removable_conflict) return removable(s);
  if (r.id == word_queue) return queued(s);
  if (r.id == retry_loop) return s.again.queued + s.again.conflicting;
  if (r.id == contention) return s.again.contended;
  return s.op.op.kind == op_kind::copy_async_cg ? excess(s) : 0;
}

// Where it lies. Of a sample whose intervals nobody knows it is anywhere.
interval amounts_of(const finding_kind& r, const launch_report& l, const site& s) {
  const std::uint64_t amount = amount_of(r, s);
  if (!l.scaled) return {amount, amount};
  for (std::size_t i = 0; i < std::size(total_rows) && i < s.within.size(); ++i)
    if ((r.id == removable_conflict && total_rows[i].member == &totals::removable) ||
        (r.id == word_queue && total_rows[i].member == &totals::queued))
      return s.within[i];
  return {0, ~std::uint64_t{0}};
}

// "; estimated from a sample, between 90 and 120"
std::string estimate_of(const finding& i) {
  if (!i.estimated) return "";
  return "; estimated from a sample" +
         (i.amount_high == ~std::uint64_t{0}
              ? std::string()
              : formatted(", between {} and {}", grouped(i.amount_low), grouped(i.amount_high)));
}

std::string message_of(const finding& i, const std::string& about) {
  if (i.what->id == out_of_bounds)
    return formatted("{} of global memory by {}, {}: {}", i.operation, i.name, count_of(i.executed, "execution"),
                     about);
  if (i.what->id == retry_loop || i.what->id == contention)
    return formatted("{} of {}: {}", i.operation, i.name, about);
  const std::string took = formatted("{} of {}: {} for {}; ", i.operation, i.name, count_of(i.wavefronts, "wavefront"),
                                     count_of(i.executed, "execution"));
  if (i.what->id == copy_past_l1)
    return formatted("{}{} more than its bytes need; they keep no other access waiting", took, grouped(i.amount));
  if (i.what->id == removable_conflict) return formatted("{}{} of them a layout can remove", took, grouped(i.amount));
  return formatted("{}{} of them are lanes that queue for one word", took, grouped(i.amount));
}

// "With the lanes of a warp that want one word combined first: 64 rounds; a copy for each warp: ..."
std::string with_remedies(const launch_report& l, const site& s) {
  const std::string found = remedies_sentence(l, s);
  return found.empty() ? "" : "With " + found;
}

// The layout that was found for the array that this instruction accesses.
const known_fix* fix_of(const launch_report& l, const site& s) {
  for (const known_fix& f : l.fixes)
    if (!f.code.empty() && std::find(f.sites.begin(), f.sites.end(), std::pair{s.function, s.pc}) != f.sites.end())
      return &f;
  return nullptr;
}

// A finding while its launches are added up.
struct gathering {
  finding i;
  std::set<std::string> operations;
  std::uint64_t worst = 0;
  std::string about;  // the worst, where the numbers do not say it
};

std::string place_of(const out_of_bounds_access& a) {
  return formatted("block ({}), thread ({}), address 0x{}", triple(a.block), triple(a.thread), hex(a.address));
}

void gather(std::uint64_t launches, const out_of_bounds_access& a, gathering& g) {
  finding& i = g.i;
  i.file = a.place.file;
  i.line = a.place.line;
  if (i.text.empty()) i.text = a.place.text;
  g.operations.insert(formatted("{} of {}", name_of(a.direction), count_of(a.bytes, "byte")));
  const std::uint64_t amount = times(a.count, launches);
  i.amount = plus(i.amount, amount);
  i.executed = plus(i.executed, amount);
  if (amount <= g.worst) return;
  g.worst = amount;
  i.pc = a.place.pc;
  i.sass = a.place.sass;
  g.about = formatted("{}, in {}", a.nearest, place_of(a));
  for (const std::string& step : a.trail) g.about += "; " + step;
}

}  // namespace

std::string fingerprint_of(const std::vector<std::string>& parts) {
  std::uint64_t h = 0xcbf29ce484222325;
  const auto add = [&](unsigned char c) { h = (h ^ c) * 0x100000001b3; };
  for (const std::string& p : parts) {
    for (const char c : p) add(static_cast<unsigned char>(c));
    add(0);
  }
  return hex(h, 16);
}

std::string squeezed(std::string_view text) {
  std::string s;
  bool gap = false;
  for (const char c : trim(text)) {
    if (c == ' ' || c == '\t') {
      gap = true;
      continue;
    }
    if (gap) s += ' ';
    gap = false;
    s += c;
  }
  return s;
}

std::string code_of(std::string_view text) {
  std::string s = squeezed(text);
  std::size_t end = s.find("bankwise:");
  if (end == std::string::npos) return s;
  for (const std::string_view opening : {"//", "/*", "#"})
    if (const std::size_t at = s.rfind(opening, end);
        at != std::string::npos && trim(s.substr(at + opening.size(), end - at - opening.size())).empty())
      return squeezed(std::string_view(s).substr(0, at));
  return s;
}

std::string place_of(const finding& i) {
  return i.line == 0 ? (i.file.empty() ? "pc 0x" + hex(i.pc) : base_name(i.file))
                     : formatted("{}:{}", base_name(i.file), i.line);
}

std::vector<finding> collect_findings(const report& r) {
  // By kernel, file, line, pc where there is no line, and rule. Kernels stand in the order of the launches.
  std::map<std::string, std::size_t> order;
  std::map<std::tuple<std::size_t, std::string, std::uint32_t, std::uint64_t, std::string_view>, gathering> all;
  for (const launch_report& l : r.launches) {
    const std::size_t kernel = order.try_emplace(l.kernel, order.size()).first->second;
    for (const site& s : l.sites)
      for (const std::string_view id : {removable_conflict, word_queue, copy_past_l1, retry_loop, contention}) {
        const finding_kind& what = *find_kind(id);
        const std::uint64_t amount = times(amount_of(what, s), l.count);
        if (amount == 0) continue;
        gathering& g = all[{kernel, s.file, s.line, s.line == 0 ? s.pc : 0, id}];
        finding& i = g.i;
        i.what = &what;
        i.kernel = l.kernel;
        i.name = l.name;
        i.file = s.file;
        i.line = s.line;
        if (i.text.empty()) i.text = s.text;
        i.amount = plus(i.amount, amount);
        const interval within = amounts_of(what, l, s);
        i.estimated |= l.scaled;
        i.amount_low = plus(i.amount_low, times(within.low, l.count));
        i.amount_high = plus(i.amount_high, times(within.high, l.count));
        i.executed = plus(i.executed, times(s.executed, l.count));
        i.wavefronts = plus(i.wavefronts, times(s.wavefronts, l.count));
        i.reachable = plus(i.reachable, times(s.reachable, l.count));
        i.holds = g.operations.empty() ? validity_of(s) : std::min(i.holds, validity_of(s));
        g.operations.insert(s.op.spelling);
        if (id == retry_loop || id == contention) g.about = retries_sentence(s.again);
        if (i.fix.empty() && id == removable_conflict)
          if (const known_fix* f = fix_of(l, s)) {
            i.fix = formatted("{}: {}", f->array, f->verdict);
            i.fix_code = f->code;
          }
        if (amount > g.worst && (id == word_queue || id == retry_loop || id == contention)) i.fix = with_remedies(l, s);
        if (amount > g.worst) {
          g.worst = amount;
          i.pc = s.pc;
          i.sass = s.sass;
        }
      }
    for (const out_of_bounds_access& a : l.out_of_bounds) {
      const code_place& p = a.place;
      gathering& g = all[{kernel, p.file, p.line, p.line == 0 ? p.pc : 0, out_of_bounds}];
      g.i.what = find_kind(out_of_bounds);
      g.i.kernel = l.kernel;
      g.i.name = l.name;
      gather(l.count, a, g);
      g.i.estimated |= l.scaled;
      g.i.amount_low = l.scaled ? 1 : g.i.amount;
      g.i.amount_high = l.scaled ? ~std::uint64_t{0} : g.i.amount;
    }
  }

  std::vector<finding> list;
  std::map<std::vector<std::string>, std::size_t> equal_ones;
  std::map<std::string, std::string> names;
  for (auto& [key, g] : all) {
    finding& i = g.i;
    for (const std::string& o : g.operations) i.operation += (i.operation.empty() ? "" : ", ") + o;
    // Without its text a line is known by its number.
    std::vector<std::string> parts = {std::string(i.what->id), i.kernel, i.operation,
                                      i.text.empty() ? place_of(i) : code_of(i.text)};
    parts.push_back(std::to_string(equal_ones[parts]++));
    i.fingerprint = fingerprint_of(parts);
    i.message = message_of(i, g.about) + estimate_of(i);
    list.push_back(std::move(i));
  }
  std::stable_sort(list.begin(), list.end(), [&](const finding& a, const finding& b) {
    const auto rank = [&](const finding& i) {
      return std::tuple(order.at(i.kernel), i.what->level == severity::note, ~i.amount);
    };
    return rank(a) < rank(b);
  });
  return list;
}

}  // namespace bankwise::check
