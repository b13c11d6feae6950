#include "report/sections/block_races_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

struct race_words {
  hazard_kind kind;
  const char *what, *first, *second;
};
constexpr race_words race_table[] = {
    {hazard_kind::read_after_write, "a block reads what another block writes", "write", "read"},
    {hazard_kind::write_after_read, "a block writes what another block has read", "read", "write"},
    {hazard_kind::write_after_write, "two blocks write different values to one word", "write", "write"},
};

const race_words& words_of_race(hazard_kind k) {
  const auto* const found =
      std::find_if(std::begin(race_table), std::end(race_table) - 1, [&](const race_words& w) { return w.kind == k; });
  return *found;
}

struct scope_words {
  race_cause cause;
  const char *name, *hint;
};
constexpr scope_words scope_table[] = {
    {race_cause::no_order, "no_order",
     "nothing orders the two blocks. Use atomics, or a second launch, or publish the data: __threadfence(), then an "
     "atomic or a volatile store that the other block reads before the data"},
    {race_cause::no_fence, "no_fence",
     "the block published its access without a fence, so the other block may not see it. Call __threadfence() between "
     "the access and the atomic or the volatile store that publishes it"},
    {race_cause::narrow_scope, "narrow_scope",
     "__threadfence_block(), the atomics whose names end with _block, and cuda::thread_scope_block order only the "
     "threads of a block. Between blocks, use __threadfence() and atomics of the device"},
};

// How another block and thread made the access, such as "block (0,0,0), thread (1,0,0)".
std::string who(const std::array<std::uint32_t, 3>& block, const std::array<std::uint32_t, 3>& thread) {
  return formatted("block ({}), thread ({})", triple(block), triple(thread));
}

}  // namespace

std::string_view name_of(race_cause c) { return scope_table[static_cast<std::size_t>(c)].name; }

bool parse_race_cause(std::string_view name, race_cause& c) {
  for (const scope_words& w : scope_table)
    if (name == w.name) {
      c = w.cause;
      return true;
    }
  return false;
}

launch_note block_races_note(const launch_report& l) {
  launch_note n;
  if (l.block_races.empty()) return n;
  const bool is_checked = l.block_races.front().is_checked;
  n.title = is_checked ? formatted("{} of blocks on global memory", count_of(l.block_races.size(), "race"))
                       : "blocks race on global memory";
  if (!is_checked)
    n.says =
        "the counts of this launch depend on the order of the blocks, so on a GPU the counts can differ from run to "
        "run. bankwise interleaves resident blocks, so each block loads before the first block stores";
  for (const block_race& r : l.block_races) {
    const race_words& w = words_of_race(r.kind);
    launch_note::item& one = n.items.emplace_back();
    one.what = w.what;
    one.where = r.is_checked ? formatted("{}. The first is at byte {}{}", count_of(r.count, "word"), grouped(r.offset),
                                         r.memory.empty() ? "" : formatted(" of {}", r.memory))
                             : count_of(r.count, "time");
    one.places = {{w.first, r.first, r.is_checked ? who(r.first_block, r.first_thread) : ""},
                  {w.second, r.second, r.is_checked ? who(r.second_block, r.second_thread) : ""}};
    if (r.is_checked) one.hint = scope_table[static_cast<std::size_t>(r.cause)].hint;
  }
  return n;
}

std::string block_races_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  const launch_note n = block_races_note(l);
  if (n.items.empty()) return {};
  std::string text =
      n.says.empty() ? formatted("{}\n", s.strong(n.title)) : formatted("{}: {}\n", s.strong(n.title), n.says);
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    const launch_note::item& one = n.items[i];
    text += formatted("\n{} {}, {}\n", s.strong(formatted("{}.", i + 1)), s.bad(one.what), one.where);
    for (const launch_note::at& a : one.places) {
      text += formatted("   {}  {}{}\n", pad_right(a.does, 5), place_text(a.place),
                        a.detail.empty() ? "" : formatted("  {}", a.detail));
      const code_place& p = a.place;
      if (const std::string line = source_line && p.line != 0 ? source_line(p.file, p.line) : ""; !line.empty())
        text += formatted("          {}\n", s.dim(std::string(trim(line))));
    }
    if (!one.hint.empty()) text += formatted("   {}\n", one.hint);
  }
  return text;
}

}  // namespace bankwise
