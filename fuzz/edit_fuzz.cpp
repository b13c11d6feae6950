// Fuzzes edits that change the layout of an array. A kernel is executed before and after the edit. If the edit does not
// list a line for which it may be wrong, the results must be the same for all inputs. Every access must then be at the
// address that the layout gives.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "edit/array_edit.hpp"
#include "edit_case.hpp"
#include "require.hpp"
#include "small_kernel.hpp"

using namespace bankwise;

namespace {

// BANKWISE_TELL=1 prints the result of each case, and continues after a wrong result.
const bool tells = std::getenv("BANKWISE_TELL") != nullptr;

void tell(const char* what, const std::string& why = "") {
  if (tells) std::printf("%s%s%s\n", what, why.empty() ? "" : ": ", why.c_str());
}

fuzz::kernel_launch launch_of(const fuzz::edit_case& c, std::int64_t word) {
  fuzz::kernel_launch l;
  std::copy(std::begin(c.block), std::end(c.block), l.block);
  l.words = {word};
  l.dynamic_bytes = c.dynamic_bytes;
  l.array = c.array;
  return l;
}

// The memory region of a union has the name of the union's variable.
fuzz::kernel_run run_case(const fuzz::edit_case& c, const fuzz::kernel_source& s, std::int64_t word) {
  fuzz::kernel_launch l = launch_of(c, word);
  if (c.text.find("union") != std::string::npos) l.array = "u";
  return fuzz::run_kernel(s, l);
}

advise::answer answer_of(const fuzz::edit_case& c, std::uint64_t bytes) {
  advise::answer a;
  a.layout.every = c.every;
  a.layout.gap = c.gap;
  a.kind = c.bits != 0 ? advise::family::swizzle : advise::family::padding;
  if (c.bits != 0) {
    a.permute = swizzle{c.bits, c.base, c.shift};
    a.layout.terms = advise::terms_of(*a.permute);
  }
  a.bytes = advise::bytes_after(a.layout, bytes);
  return a;
}

// Returns the offset without the existing free columns, or nothing if the offset is in a free column.
std::optional<std::uint64_t> meant(const advise::relayout& as_it_is, std::uint64_t at) {
  if (as_it_is.every == 0) return at;
  const std::uint64_t pitch = as_it_is.every + as_it_is.gap;
  if (at % pitch >= as_it_is.every) return std::nullopt;
  return at / pitch * as_it_is.every + at % pitch;
}

void fail(const fuzz::edit_case& c, const std::string& after, std::int64_t word, const std::string& why) {
  std::printf("%s\n---- after:\n%s\n---- with n = %lld: %s\n", c.text.c_str(), after.c_str(),
              static_cast<long long>(word), why.c_str());
  std::fflush(stdout);
  tell("wrong", why);
  BANKWISE_REQUIRE(tells || !"an edit without a doubt is wrong");
}

void check(const fuzz::edit_case& c, bool is_ours) {
  const fuzz::kernel_source source = fuzz::read_kernel(c.text, c.numbers);
  if (!source.wrong.empty()) {
    tell("not read", source.wrong);
    if (is_ours && tells) std::printf("%s", c.text.c_str());
    return;
  }
  const fuzz::kernel_run measured = run_case(c, source, c.words.empty() ? 0 : c.words[0]);
  if (!measured.wrong.empty() || measured.accesses.empty()) {
    tell(measured.is_undefined ? "undefined" : "not run", measured.wrong);
    if (is_ours && tells) std::printf("%s", c.text.c_str());
    return;
  }

  advise::problem p;
  const expr::array_decl shape{c.array, c.type, c.element, c.extents, 0};
  p.bytes = bytes_of(shape);
  p.element_bytes = c.element;
  if (c.extents.size() > 1) p.pitch_bytes = static_cast<u32>(c.extents.back() * c.element);
  if (c.free != 0) p.as_it_is = {.every = c.row != 0 ? c.row * c.element : p.pitch_bytes, .gap = c.free * c.element};
  p.dynamic = c.dynamic_bytes != 0;
  p.flat = c.extents.size() == 1;
  std::set<std::uint32_t> lines;
  std::set<std::uint64_t> widths;
  for (const fuzz::kernel_access& a : measured.accesses) {
    lines.insert(a.line);
    widths.insert(a.bytes);
  }
  for (const std::uint64_t w : widths) {
    if (w > 16) return;
    advise::weighted_access one;
    one.what.op.width_bytes = static_cast<decltype(one.what.op.width_bytes)>(w);
    p.accesses.push_back(one);
  }
  const advise::answer a = answer_of(c, p.bytes);
  // Skips a layout that advise() would not suggest. There are three reasons: an address is beyond the end of the
  // layout, two bytes have the same address, or the bytes of a granule are not adjacent.
  std::vector<bool> taken(a.bytes + 1);
  const u32 granule = advise::granule_bytes(p);
  for (u32 at = 0; at < p.bytes; ++at) {
    const u32 to = a.layout(at);
    if (to >= a.bytes || taken[to] || to - at % granule != a.layout(at - at % granule)) return tell("no layout");
    taken[to] = true;
  }

  const std::vector<std::uint32_t> all_lines(lines.begin(), lines.end());
  const auto declared = source::find_declared(c.text, c.array, all_lines);
  if (!declared) return tell("no declaration");
  edit::array_edit e =
      edit::edit_layout(c.text, *declared, shape, p, a, all_lines, {c.block[0], c.block[1], c.block[2]});
  if (!e.refused.empty()) return tell("refused", e.refused);
  if (!e.doubts.empty()) return tell("doubt", std::to_string(e.doubts[0].line) + ", " + e.doubts[0].what);
  if (e.changes.empty()) return tell("no change");
  BANKWISE_REQUIRE(in_order(e.changes));

  const std::string text = changed(c.text, e.changes);
  const fuzz::kernel_source after = fuzz::read_kernel(text, c.numbers);
  if (!after.wrong.empty()) return fail(c, text, 0, "it is not read: " + after.wrong);
  for (const std::int64_t word : c.words) {
    const fuzz::kernel_run was = run_case(c, source, word);
    if (!was.wrong.empty()) continue;
    const fuzz::kernel_run is = run_case(c, after, word);
    if (!is.wrong.empty()) return fail(c, text, word, is.wrong);
    if (is.out != was.out) return fail(c, text, word, "it computes something else");
    if (is.accesses.size() != was.accesses.size()) return fail(c, text, word, "it accesses the array at other times");
    for (std::size_t i = 0; i < is.accesses.size(); ++i) {
      const auto at = meant(p.as_it_is, was.accesses[i].at);
      if (!at || *at >= p.bytes) continue;
      const std::uint64_t to = a.layout(static_cast<u32>(*at));
      if (is.accesses[i].at != to)
        return fail(c, text, word,
                    "line " + std::to_string(was.accesses[i].line) + " accesses byte " +
                        std::to_string(is.accesses[i].at) + ", where the layout puts " + std::to_string(to));
    }
  }
  tell("right");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 14) return 0;
  const auto given = fuzz::read_edit_case(fuzz::text_of(data, size));
  check(given ? *given : fuzz::make_edit_case(data, size), !given);
  return 0;
}
