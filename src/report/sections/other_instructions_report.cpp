#include "report/sections/other_instructions_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_lines_listed = 3;

// Returns a text such as "1 st.b128 instead of 4 st.b32".
std::string swap_of(const advise::other_instructions& o) {
  return formatted("{} {} instead of {} {}", o.instructions_after, o.after.spelling, o.instructions_before,
                   o.before.spelling);
}

std::string verdict(const advise::other_instructions& o) {
  const std::uint64_t less = o.executed_before - o.executed_after;
  return formatted(
      "{}: {}{} less", swap_of(o),
      o.wavefronts_after == o.wavefronts_before
          ? "the same number of wavefronts, "
          : formatted("{} wavefronts instead of {}, ", grouped(o.wavefronts_after), grouped(o.wavefronts_before)),
      count_of(less, "warp instruction"));
}

// Returns the conditions under which these instructions are possible.
std::string needs(const advise::other_instructions& o) {
  if (is_matrix(o.after.op.kind))
    return formatted("lane l to pass the address of a row of 16 bytes. The lane {}",
                     o.after.op.kind == op_kind::ldmatrix ? "then gets the mma fragment that the current loads read"
                                                          : "must have the mma fragment that the current stores write");
  const u32 bytes = o.after.op.width_bytes;
  return formatted(
      "all addresses to be multiples of {}, as in this launch, and the array to be declared with "
      "__align__({}). No code between the accesses may {}",
      bytes, bytes, o.before.op.kind == op_kind::load ? "store to these addresses" : "read these addresses");
}

// A replacement of instructions, and the number of launches with this replacement.
struct counted_move {
  const known_move* what;
  std::size_t launches = 1;
};

std::vector<counted_move> counted(const std::vector<known_move>& all) {
  std::vector<counted_move> list;
  for (const known_move& m : all) {
    const auto same = std::find_if(list.begin(), list.end(), [&](const counted_move& c) {
      return c.what->kernel == m.kernel && c.what->file == m.file && c.what->line == m.line &&
             c.what->verdict == m.verdict;
    });
    if (same == list.end())
      list.push_back({&m});
    else
      ++same->launches;
  }
  return list;
}

}  // namespace

std::string to_text(const std::vector<known_move>& found, const style& s, bool all, const std::string& heading) {
  std::string text;
  std::size_t shown = 0;
  const std::vector<counted_move> list = counted(found);
  for (const auto& [m, launches] : list) {
    if (shown == most_lines_listed && !all) break;
    ++shown;
    text += formatted("  {}{}  {}\n", m->kernel.empty() ? "" : formatted("{}  ", m->kernel),
                      s.strong(formatted("{}:{}", base_name(m->file), m->line)), s.good(m->verdict));
    if (!m->text.empty()) text += formatted("     {}\n", shortened(m->text, s.width > 20 ? s.width - 5 : 75));
    text += formatted("{}\n", s.dim(formatted("     needs {}", m->needs)));
    if (launches != 1) text += formatted("{}\n", s.dim(formatted("     the same in {} launches", grouped(launches))));
  }
  if (shown != list.size())
    text += formatted("{}\n",
                      s.dim(formatted("  {}: {}", worded(setting::all), count_of(list.size() - shown, "more line"))));
  return text.empty() ? text : formatted("{}:\n{}", heading, text);
}

known_move summary_of(const advise::other_instructions& o) {
  known_move m;
  m.kernel = o.kernel;
  m.file = o.file;
  m.line = o.line;
  m.text = o.text;
  m.before = o.before.spelling;
  m.after = o.after.spelling;
  m.swaps = swap_of(o);
  m.verdict = verdict(o);
  m.needs = needs(o);
  m.wavefronts_before = o.wavefronts_before;
  m.wavefronts_after = o.wavefronts_after;
  for (const instruction_at& s : o.sites) m.sites.emplace_back(s.function, s.pc);
  m.json = json_value(o).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return m;
}

nlohmann::ordered_json json_value(const advise::other_instructions& o) {
  using json = nlohmann::ordered_json;
  json sites = json::array();
  for (const instruction_at& s : o.sites)
    sites.push_back(s.function.empty() ? json(s.pc) : json{{"function", s.function}, {"pc", s.pc}});
  return {{"kernel", o.kernel},
          {"file", base_name(o.file)},
          {"line", o.line},
          {"verdict", verdict(o)},
          {"op", o.before.spelling},
          {"instead", o.after.spelling},
          {"instructions", o.instructions_before},
          {"instructions_instead", o.instructions_after},
          {"executed", o.executed_before},
          {"executed_instead", o.executed_after},
          {"wavefronts", o.wavefronts_before},
          {"wavefronts_instead", o.wavefronts_after},
          {"needs", needs(o)},
          {"sites", std::move(sites)}};
}

}  // namespace bankwise
