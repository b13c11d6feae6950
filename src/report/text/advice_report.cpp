#include "report/text/advice_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "model/time_bound.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/sections/data_remedy_report.hpp"
#include "report/sections/other_instructions_report.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/text_table.hpp"
#include "report/text/layout_code.hpp"
#include "rule/clocks.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

using advise::advice;
using advise::answer;
using advise::family;

std::string wavefronts_text(std::uint64_t wavefronts) {
  return grouped(wavefronts) + (wavefronts == 1 ? " wavefront" : " wavefronts");
}

// Returns the mean number of wavefronts of a warp instruction, such as "4" or "4.5".
std::string each(std::uint64_t wavefronts, std::uint64_t executed) {
  if (executed == 0) return "-";
  if (wavefronts % executed == 0) return grouped(wavefronts / executed);
  return fixed(static_cast<double>(wavefronts) / static_cast<double>(executed), 2);
}

std::string short_name(const advice_report& r, const answer& a) {
  if (!advise::facts_of(a.kind).has_summary) return advise::name_of(a.kind);
  return code_of(r.array, r.what, a).summary;
}

// The recommended change in words: the best layout, or a remedy for addresses that depend on the data. Empty if there is
// neither.
std::string change_of(const advice_report& r) {
  if (!r.found.answers.empty()) return short_name(r, r.found.answers.front());
  const advise::data_remedy* const remedy = best_of(r.by_data);
  return remedy != nullptr ? summary_of(*remedy) : "";
}

std::string counted_layouts(std::size_t n) { return std::to_string(n) + (n == 1 ? " layout" : " layouts"); }

// Describes the lanes that share a bank in every layout.
std::string obstacle_text(const advice_report& r) {
  if (!r.found.why_not_lower) return {};
  const advise::obstacle& o = *r.found.why_not_lower;
  const std::string name = r.what.groups[o.group].name;
  std::string text = formatted(
      "'{}' takes {} wavefronts. Without the other accesses, {}{} reachable. With the other accesses, lanes {} "
      "of phase {} share bank {}",
      name, o.wavefronts, o.floor, o.floor == 1 ? " is" : " are", lane_list(o.lanes), o.phase, o.bank);
  if (o.by_granule)
    text += formatted(
        ". Other accesses move {} bytes at once, so a layout must keep pieces of {} bytes together. Lanes that "
        "access the same offset within different pieces can then use only {} banks",
        r.found.granule, r.found.granule, u32{r.what.on.model.banks} * r.what.on.model.bank_bytes / r.found.granule);
  return text;
}

bool exhaustive(const advice& a) {
  return std::all_of(a.families.begin(), a.families.end(), [](const auto& f) { return f.exhaustive; });
}

std::string code_text(const advice_report& r, std::size_t number, const answer& a, const style& s) {
  const layout_code code = code_of(r.array, r.what, a);
  std::string text = formatted("{}{}\n", s.strong(formatted("{}. {}", number, code.summary)),
                               code.over_elements.empty() ? "" : formatted(", {} over elements", code.over_elements));
  text += indented(code.cuda, "     ");
  if (!code.cute.empty()) text += formatted("   CuTe    {}\n", code.cute);
  if (!code.triton.empty()) text += formatted("   Triton  {}\n", code.triton);
  if (!code.hardware.empty()) text += formatted("   TMA     {}\n", code.hardware);
  return text;
}

// Whether the addresses of all accesses to the array depend on data. If so, bankwise does not search for a layout.
bool depends_on_data(const advice_report& r) { return r.what.accesses.empty() && !r.what.of_data.empty(); }

// Returns the price of a layout, such as "64 bytes less; 8 blocks per SM as before."
std::string price_text(const advice_report& r, const answer& x) {
  const advice& a = r.found;
  const std::uint64_t there = a.before.bytes + r.what.room;
  std::string text = x.bytes == a.before.bytes  ? "no extra bytes"
                     : x.bytes < a.before.bytes ? formatted("{} bytes less", grouped(a.before.bytes - x.bytes))
                     : x.bytes <= there
                         ? "no extra bytes, because the padding fits in the free bytes of the array's union"
                         : formatted("{} bytes more", grouped(x.bytes - there));
  if (a.blocks_known)
    text += x.blocks == a.before.blocks ? formatted("; {} blocks per SM as before", x.blocks)
                                        : formatted("; {} blocks per SM instead of {}", x.blocks, a.before.blocks);
  return formatted("{}.\n", text);
}

// Returns a sentence for a layout with a function of the index, if it saves so little time that the function's
// instructions may take as long. The predicted time is that of the present instructions.
std::string new_index_text(const advice_report& r, const answer& x, std::uint64_t cycles) {
  const advise::relayout& l = x.layout;
  const bool has_function = !l.terms.empty() || (l.every != 0 && l.every != r.what.pitch_bytes);
  const double saved = static_cast<double>(r.time.cycles) * error_of_change;
  if (!has_function || static_cast<double>(cycles) + saved < static_cast<double>(r.time.cycles)) return {};
  return " This does not include the instructions for the new index, which may take longer.";
}

// Returns a sentence with the time or the clocks that an answer saves in the launch.
std::string launch_text(const advice_report& r, std::size_t n) {
  if (r.time && n < r.cycles_by_answer.size() && r.cycles_by_answer[n] != 0)
    return formatted("This layout {}. The kernel takes {} on {}.{}\n", saved_text(r.time, r.cycles_by_answer[n]),
                     range_text(r.time), with_article(r.time.gpu),
                     new_index_text(r, r.found.answers[n], r.cycles_by_answer[n]));
  const time_bound& b = r.launch;
  const std::uint64_t others = std::max(b.issue_cycles, b.tensor_cycles);
  if (b.shared_cycles == 0) return {};
  const std::uint64_t freed = clocks_of(r.found.before.wavefronts - r.found.answers[n].wavefronts, r.what.on.model);
  const std::uint64_t gain = std::min({freed, r.most_clocks_won, b.shared_cycles});
  if (std::max(b.shared_cycles, others) == std::max(b.shared_cycles - gain, others))
    return others < b.shared_cycles
               ? std::string("This layout alone saves no clocks of the shared pipe.\n")
               : formatted(
                     "This layout alone saves no time, because {} {} clocks, and the shared pipe takes only {} "
                     "clocks.\n",
                     b.tensor_cycles > b.issue_cycles ? "the tensor cores take" : "instruction issue takes",
                     grouped(others), grouped(b.shared_cycles));
  return formatted("Shared memory takes {} clocks instead of {}.\n", grouped(b.shared_cycles - gain),
                   grouped(b.shared_cycles));
}

// Returns the cost of one layout for each input of --try-input, such as "on 2=zero: 4,096 instead of 67,584".
std::string tried_text(const advice_report& r, std::size_t answer) {
  std::string text;
  for (const tried_input& t : r.tried) {
    const std::uint64_t now = t.by_answer[answer];
    text += formatted("{}{}: {}", text.empty() ? "on " : "; on ", t.name,
                      now < t.before    ? formatted("{} instead of {}", grouped(now), grouped(t.before))
                      : now == t.before ? formatted("{} as before, so nothing is saved", wavefronts_text(now))
                                        : formatted("{} instead of {}, so the layout costs more on this input",
                                                    grouped(now), grouped(t.before)));
  }
  return text;
}

// Returns a text such as "2 ld.b128 instead of 8 ld.b32: 22,016 wavefronts instead of 33,792, 14,336 warp instructions
// less".
std::string summary_of(const advise::turned_array& t, std::uint64_t before) {
  const bool more = t.executed_after > t.executed_before;
  const std::uint64_t apart = more ? t.executed_after - t.executed_before : t.executed_before - t.executed_after;
  return formatted(
      "{} {} instead of {} {}: {}{}", t.instructions_after, t.after.spelling, t.instructions_before, t.before.spelling,
      t.best.wavefronts == before ? "the same number of wavefronts"
                                  : formatted("{} instead of {}", wavefronts_text(t.best.wavefronts), grouped(before)),
      apart == 0 ? "" : formatted(", {}{}", count_of(apart, "warp instruction"), more ? " more" : " less"));
}

// Returns the declaration and the index of the transposed array.
std::string turned_code(const advice_report& r, const advise::turned_array& t) {
  expr::array_decl array = r.array;
  if (array.name.empty()) array.name = "shared";
  array.element_bytes = t.what.element_bytes;
  array.extents = {t.columns, t.rows};
  const bool flat = r.what.flat || r.array.extents.size() != 2;
  const std::string old = array.name + (flat ? formatted("[row * {} + column]", t.columns) : "[row][column]");
  if (t.best.kind != family::as_it_is && !advise::facts_of(t.best.kind).only_declaration)
    return formatted("// {} becomes an element of the array below, with row and column exchanged:\n{}", old,
                     code_of(array, t.what, t.best).cuda);
  const u32 gap = t.best.layout.gap / t.what.element_bytes;
  const std::string longer = gap == 0 ? "" : formatted(" + {}", gap);
  if (flat)
    return formatted("// {} becomes {}[column * {} + row]{}\n", old, array.name,
                     gap == 0 ? std::to_string(t.rows) : formatted("({}{})", t.rows, longer),
                     gap == 0 ? "" : formatted(", in {} bytes", grouped(t.best.bytes)));
  return formatted("__shared__ __align__({}) {} {}[{}][{}{}];\n// {} becomes {}[column][row]\n", t.after.op.width_bytes,
                   array.type.empty() ? "T" : array.type, array.name, t.columns, t.rows, longer, old, array.name);
}

std::string turned_text(const advice_report& r) {
  if (!r.turned) return {};
  return formatted("   Transposed array (rows of {} elements instead of {}): {}.\n{}", r.turned->rows,
                   r.turned->columns, summary_of(*r.turned, r.found.before.wavefronts),
                   indented(turned_code(r, *r.turned), "     "));
}

// Returns sentences about the amount of data that must be moved, and about the part of it that could bypass shared
// memory.
std::string traffic_text(const advice_report& r, bool all) {
  const advise::traffic& t = r.through;
  std::string text;
  // Whether at most half of the current wavefronts are necessary, but no layout helps. If so, users should change the
  // threads and the access widths.
  const bool far_below = r.found.answers.empty() && 2 * t.least_wavefronts <= r.found.before.wavefronts;
  if (t.least_wavefronts != 0 && (all || far_below))
    text += formatted(
        "   The loads take at least {} with any assignment of threads and any access width: {} are loaded{}, each word "
        "once.\n",
        wavefronts_text(t.least_wavefronts), count_of(t.loaded_words, "word"),
        t.stored_words == t.loaded_words ? " and stored"
        : t.stored_words != 0            ? formatted(" and {} stored", grouped(t.stored_words))
                                         : "");
  const std::uint64_t best = r.found.answers.empty() ? r.found.before.wavefronts : r.found.answers.front().wavefronts;
  if (t.shuffles != 0 && t.shuffles < best)
    text += formatted(
        "   Each warp loads only values that it stored itself, so {} (__shfl_sync) can replace {}, without a "
        "barrier of the block.\n",
        count_of(t.shuffles, "shuffle"), wavefronts_text(best));
  return text;
}

// Returns the remedies that are not layouts.
std::string beside_layouts(const advice_report& r, const style& s, bool all) {
  std::string text = r.structs.empty() ? "" : formatted("   Structs: {}.\n", r.structs);
  text += turned_text(r) + traffic_text(r, all);
  text += to_text(r.by_data, r.array.name, s, all);
  for (const std::string& line : r.of_rounds) {
    std::string_view rest = line;
    for (std::size_t end; (end = rest.find("; ")) != std::string_view::npos; rest.remove_prefix(end + 2))
      text += formatted("   {}\n  ", rest.substr(0, end));
    text += formatted("   {}\n", rest);
  }
  return text;
}

// Returns the short text, which is enough for most users. It contains the code, its cost and its saving.
std::string short_text(const advice_report& r, const style& s) {
  const advice& a = r.found;
  std::string text;
  if (!a.answers.empty() && a.answers.front().plain) {
    const answer& best = a.answers.front();
    const layout_code code = code_of(r.array, r.what, best);
    text += indented(code.edit.empty() ? code.cuda : code.edit, "     ");
    text += formatted("   {}", price_text(r, best));
    if (const std::string wins = launch_text(r, 0); !wins.empty()) text += formatted("   {}", wins);
    if (const std::string tried = tried_text(r, 0); !tried.empty()) text += formatted("   Other input: {}.\n", tried);
  }
  text += beside_layouts(r, s, false);
  if (a.why_not_lower) text += formatted("   Why not lower: {}.\n", obstacle_text(r));
  // These notes do not matter if only the declaration changes.
  const bool one_line = !a.answers.empty() && advise::facts_of(a.answers.front().kind).only_declaration;
  for (const std::string& note : r.notes)
    if (!a.answers.empty() && !note.starts_with("the search does not see") &&
        !(one_line && note.starts_with("the array is accessed on")))
      text += formatted("{}\n", s.dim(formatted("   note: {}", note)));
  if (a.answers.size() > 1 || (!a.answers.empty() && !a.answers.front().plain))
    text += formatted("{}\n", s.dim(formatted("   {} prints the accesses, {} and the search", worded(setting::all),
                                              counted_layouts(a.answers.size()))));
  return text;
}

}  // namespace

std::string verdict(const advice_report& r) {
  const advice& a = r.found;
  const advise::data_remedy* const remedy = best_of(r.by_data);
  if (a.answers.empty() && remedy)
    return formatted("no layout helps, because the addresses depend on the data; {}: {} instead of {} on this input",
                     change_of(r), wavefronts_text(remedy->wavefronts.front()),
                     grouped(r.by_data.list.front().wavefronts.front()));
  if (a.answers.empty() && !r.structs.empty())
    return "no layout of these structs saves wavefronts, but a struct of arrays or longer structs would";
  if (a.answers.empty() && !r.of_rounds.empty())
    return "no layout helps, because lanes and warps want the same word, and retry until they get this word";
  if (depends_on_data(r))
    return "the addresses depend on the data, so a layout that helps with this input may not help with other input";
  if (a.before.wavefronts <= a.floor && a.before.of_data > a.floor_of_data)
    return formatted(
        "no padding and no swizzle helps: the array takes {}, which is the minimum. Accesses whose addresses depend on "
        "the data take {} more",
        wavefronts_text(a.before.wavefronts), grouped(a.before.of_data));
  if (a.before.wavefronts <= a.floor)
    return formatted("already at the lower bound: no padding and no swizzle can take fewer than {}",
                     wavefronts_text(a.floor + a.floor_of_data));
  if (a.answers.empty())
    return formatted("nothing to save: no layout in the search takes fewer than the current {} wavefronts",
                     grouped(a.before.wavefronts));
  const answer& best = a.answers.front();
  if (!best.plain)
    return formatted("no simple layout: {} would take {} instead of {}", change_of(r), wavefronts_text(best.wavefronts),
                     grouped(a.before.wavefronts));
  return formatted(
      "{}: {} instead of {}{}", change_of(r), wavefronts_text(best.wavefronts), grouped(a.before.wavefronts),
      best.wavefronts == a.floor ? ", the lower bound" : formatted("; the lower bound is {}", grouped(a.floor)));
}

std::string to_text(const advice_report& r, const style& s, bool all) {
  const advice& a = r.found;
  const std::uint64_t pitch = r.what.pitch_bytes != 0 ? r.what.pitch_bytes + r.what.as_it_is.gap : 0;
  std::string text = formatted("{}{}  {} bytes{}; {} ({}): {} banks of {} bytes\n\n",
                               r.kernel.empty() ? "" : formatted("{}  ", r.kernel), s.strong(r.title),
                               grouped(a.before.bytes), pitch != 0 ? formatted(", rows of {}", grouped(pitch)) : "",
                               r.what.on.name, r.what.on.family, r.what.on.model.banks, r.what.on.model.bank_bytes);
  const bool won = !a.answers.empty();
  text += formatted("{}\n\n", depends_on_data(r)               ? s.warn(verdict(r))
                              : won                            ? s.good(verdict(r))
                              : a.before.wavefronts <= a.floor ? s.good(verdict(r))
                                                               : s.warn(verdict(r)));
  if (!all) return text + short_text(r, s);

  text_table t;
  t.rows.push_back({"wavefronts of", "", "executed", "as it is", won ? "best" : "", "bound"});
  t.left_first = 2;
  const auto row = [&](const std::string& name, const std::string& op, const std::string& executed,
                       const std::string& before, const std::string& after, const std::string& bound) {
    t.rows.push_back({name, op, executed, before, after, bound});
  };
  for (std::size_t g = 0; g < r.what.groups.size(); ++g) {
    const std::uint64_t n = a.executed_by_group[g];
    row(r.what.groups[g].name, r.what.groups[g].op.spelling, grouped(n), each(a.before.by_group[g], n),
        won ? each(a.answers.front().by_group[g], n) : "",
        r.what.groups[g].of_data ? "by data" : each(a.floor_by_group[g], n));
  }
  std::uint64_t executed = 0;
  for (std::size_t g = 0; g < r.what.groups.size(); ++g)
    executed += r.what.groups[g].of_data ? 0 : a.executed_by_group[g];
  row(r.what.of_data.empty() ? "all together" : "all that do not depend on data", "", grouped(executed),
      grouped(a.before.wavefronts), won ? grouped(a.answers.front().wavefronts) : "", grouped(a.floor));
  text += t.text(s);

  if (won) {
    text_table list;
    list.left_first = 2;
    list.rows.push_back({"", "layout", "wavefronts", "extra bytes"});
    if (a.blocks_known) list.rows.back().emplace_back("blocks per SM");
    const auto line = [&](const std::string& number, const answer& x) {
      list.rows.push_back({number, short_name(r, x), grouped(x.wavefronts), extra_bytes(a.before.bytes, x.bytes)});
      if (a.blocks_known) list.rows.back().push_back(std::to_string(x.blocks));
    };
    line("", a.before);
    for (std::size_t i = 0; i < a.answers.size(); ++i) line(std::to_string(i + 1), a.answers[i]);
    text += formatted("\n{}", list.text(s, [&](std::size_t n, const std::string& written) {
      return n == 2 ? s.good(written) : written;
    }));
  }

  if (const std::string beside = beside_layouts(r, s, true); !beside.empty()) text += formatted("\n{}", beside);
  if (a.why_not_lower) text += formatted("\nWhy not lower: {}.\n", obstacle_text(r));
  for (std::size_t i = 0; i < a.answers.size(); ++i) {
    text += formatted("\n{}", code_text(r, i + 1, a.answers[i], s));
    if (const std::string tried = tried_text(r, i); !tried.empty()) text += formatted("   tried   {}\n", tried);
  }
  for (const std::string& note : r.notes) text += formatted("{}note: {}\n", note == r.notes.front() ? "\n" : "", note);
  if (!a.families.empty()) {
    text += formatted("\n{}\n", s.dim("layouts that were searched and counted with the rule:"));
    for (const auto& f : a.families) {
      const bool at_bound = f.best && f.best->wavefronts <= a.granule_floor;
      text += formatted(
          "{}\n",
          s.dim(formatted("  {} {}: {}", pad_right(advise::name_of(f.kind), 17), f.scope,
                          at_bound && a.granule_floor == a.floor ? "the lower bound is reached"
                          : at_bound     ? formatted("{} wavefronts are reached, which is the minimum if {} bytes stay "
                                                         "together",
                                                     grouped(a.granule_floor), a.granule)
                          : f.exhaustive ? "all layouts were searched"
                                         : formatted("the search stopped after {} layouts, so a better layout may "
                                                     "exist",
                                                     grouped(f.tried)))));
    }
  }
  return text;
}

std::string to_text(const std::vector<advice_report>& all, const style& s, bool every_code) {
  if (all.empty()) return "the program did not access any shared array\n";
  std::string text, nothing;
  for (const advice_report& r : all) {
    if (!r.found.answers.empty() || r.found.why_not_lower || r.by_data.list.size() > 1 || !r.of_rounds.empty() ||
        !r.structs.empty() || r.turned || r.through.shuffles != 0 || every_code || all.size() == 1)
      text += (text.empty() ? "" : "\n") + to_text(r, s, every_code);
    else
      nothing += formatted("{}{}: {}\n", r.kernel.empty() ? "" : formatted("{}  ", r.kernel), r.title, verdict(r));
  }
  return text + (text.empty() || nothing.empty() ? "" : "\n") + nothing;
}

nlohmann::ordered_json edit_json(const layout_edit& e) {
  auto changes = nlohmann::ordered_json::array();
  for (const text_change& c : e.changes) changes.push_back({{"begin", c.begin}, {"end", c.end}, {"text", c.text}});
  return {{"path", e.file}, {"words", e.words}, {"wavefronts", e.wavefronts}, {"changes", std::move(changes)}};
}

namespace {

nlohmann::ordered_json groups_json(const advice_report& r) {
  json groups = json::array();
  for (std::size_t g = 0; g < r.what.groups.size(); ++g) {
    groups.push_back({{"name", r.what.groups[g].name},
                      {"op", r.what.groups[g].op.spelling},
                      {"executed", r.found.executed_by_group[g]},
                      {"wavefronts", r.found.before.by_group[g]},
                      {"lower_bound", r.found.floor_by_group[g]}});
    if (r.what.groups[g].of_data) groups.back()["depends_on_data"] = true;
    if (g >= r.sites.size()) continue;
    json& sites = groups.back()["sites"] = json::array();
    for (const instruction_at& s : r.sites[g])
      sites.push_back(s.function.empty() ? json(s.pc) : json{{"function", s.function}, {"pc", s.pc}});
  }
  return groups;
}

nlohmann::ordered_json answer_json(const advice_report& r, const answer& x) {
  const advice& a = r.found;
  const layout_code code = code_of(r.array, r.what, x);
  json one = {{"family", advise::name_of(x.kind)},
              {"summary", code.summary},
              {"wavefronts", x.wavefronts},
              {"wavefronts_by_access", x.by_group},
              {"reaches_lower_bound", x.wavefronts == a.floor},
              {"bytes", x.bytes},
              {"extra_bytes", x.bytes > a.before.bytes ? x.bytes - a.before.bytes : 0}};
  if (x.bytes < a.before.bytes) one["saved_bytes"] = a.before.bytes - x.bytes;
  if (!x.plain) one["plain"] = false;
  if (a.blocks_known) one["blocks_per_multiprocessor"] = x.blocks;
  if (x.layout.panel_bytes != 0) one["panel_bytes"] = x.layout.panel_bytes;
  if (x.layout.every != 0) one["padding"] = {{"every_bytes", x.layout.every}, {"gap_bytes", x.layout.gap}};
  if (!code.over_elements.empty()) one["over_elements"] = code.over_elements;
  if (x.permute) one["swizzle"] = {{"b", x.permute->bits}, {"m", x.permute->base}, {"s", x.permute->shift}};
  if (!x.layout.terms.empty()) {
    json terms = json::array();
    for (const auto& t : x.layout.terms) terms.push_back({{"shift", t.shift}, {"mask", hex(t.mask, 8)}});
    one["xor"] = std::move(terms);
  }
  one["index"] = code.expression;
  one["cuda"] = code.cuda;
  if (!code.edit.empty()) one["edit"] = code.edit;
  if (!code.cute.empty()) one["cute"] = code.cute;
  if (!code.triton.empty()) one["triton"] = code.triton;
  if (!code.hardware.empty()) one["hardware"] = code.hardware;
  return one;
}

nlohmann::ordered_json turned_json(const advice_report& r, const advise::turned_array& t) {
  return {{"summary", summary_of(t, r.found.before.wavefronts)},
          {"rows", t.rows},
          {"columns", t.columns},
          {"op", t.before.spelling},
          {"instead", t.after.spelling},
          {"wavefronts", t.best.wavefronts},
          {"executed", t.executed_before},
          {"executed_instead", t.executed_after},
          {"bytes", t.best.bytes},
          {"cuda", turned_code(r, t)}};
}

nlohmann::ordered_json families_json(const advice& a) {
  auto families = nlohmann::ordered_json::array();
  for (const auto& f : a.families) {
    families.push_back(
        {{"family", advise::name_of(f.kind)}, {"scope", f.scope}, {"tried", f.tried}, {"exhaustive", f.exhaustive}});
    if (f.best) families.back()["wavefronts"] = f.best->wavefronts;
  }
  return families;
}

}  // namespace

nlohmann::ordered_json json_value(const advice_report& r) {
  const advice& a = r.found;
  json answers = json::array();
  for (const answer& x : a.answers) answers.push_back(answer_json(r, x));
  json value = {{"array", r.title},
                {"kernel", r.kernel},
                {"bytes", a.before.bytes},
                {"pitch_bytes", r.what.pitch_bytes != 0 ? r.what.pitch_bytes + r.what.as_it_is.gap : 0},
                {"verdict", verdict(r)},
                {"wavefronts", a.before.wavefronts},
                {"lower_bound", a.floor},
                {"kept_together_bytes", a.granule},
                {"lower_bound_kept_together", a.granule_floor}};
  if (r.kernel.empty()) value.erase("kernel");
  if (const std::string change = change_of(r); !change.empty()) value["change"] = change;
  if (a.blocks_known) value["blocks_per_multiprocessor"] = a.before.blocks;
  if (r.time && !r.cycles_by_answer.empty()) {
    value["cycles_before"] = r.time.cycles;
    value["cycles_after"] = r.cycles_by_answer.front();
    for (std::size_t i = 0; i < answers.size() && i < r.cycles_by_answer.size(); ++i)
      answers[i]["cycles_after"] = r.cycles_by_answer[i];
  }
  value["accesses"] = groups_json(r);
  value["answers"] = std::move(answers);
  value["looked_at"] = families_json(a);
  value["exhaustive"] = exhaustive(a);
  if (const advise::padding_trials& t = a.paddings; t.every != 0)
    value["paddings"] = {{"every_bytes", t.every},
                         {"step_bytes", t.step},
                         {"now_bytes", r.what.as_it_is.every == t.every ? r.what.as_it_is.gap : 0},
                         {"tried", t.by_group}};
  if (!r.kernel.empty()) {
    value["begin_bytes"] = r.begin;
    value["most_clocks_won"] = r.most_clocks_won;
    if (const u32 clocks = r.what.on.model.clocks_per_wavefront; clocks != 1) value["clocks_per_wavefront"] = clocks;
  }
  if (!r.by_data.list.empty()) value["by_data"] = json_value(r.by_data);
  if (!r.structs.empty()) value["structs"] = r.structs;
  if (r.turned) value["turned"] = turned_json(r, *r.turned);
  if (const advise::traffic& t = r.through; t.least_wavefronts != 0) {
    value["traffic"] = {
        {"stored_words", t.stored_words}, {"loaded_words", t.loaded_words}, {"least_wavefronts", t.least_wavefronts}};
    if (t.shuffles != 0) value["traffic"]["shuffles"] = t.shuffles;
  }
  if (r.edit) value["source_edit"] = edit_json(*r.edit);
  if (!r.of_rounds.empty()) value["of_rounds"] = r.of_rounds;
  for (const tried_input& t : r.tried)
    value["tried"].push_back({{"input", t.name}, {"wavefronts", t.before}, {"wavefronts_by_answer", t.by_answer}});
  if (a.why_not_lower) value["why_not_lower"] = obstacle_text(r);
  value["notes"] = r.notes;
  return value;
}

known_fix summary_of(const advice_report& r) {
  known_fix f{r.title, verdict(r), {}, {}, r.edit, {}};
  f.change = change_of(r);
  if (!r.found.answers.empty()) {
    const answer& best = r.found.answers.front();
    const layout_code code = code_of(r.array, r.what, best);
    f.code = code.edit.empty() ? code.cuda : code.edit;
    f.simple = best.plain;
    f.wavefronts_before = r.found.before.wavefronts;
    f.wavefronts_after = best.wavefronts;
  } else if (const advise::data_remedy* const remedy = best_of(r.by_data)) {
    f.wavefronts_before = r.by_data.list.front().wavefronts.front();
    f.wavefronts_after = remedy->wavefronts.front();
  }
  if (r.time && !r.cycles_by_answer.empty()) {
    f.cycles_before = r.time.cycles;
    f.cycles_after = r.cycles_by_answer.front();
  }
  for (const auto& group : r.sites)
    for (const instruction_at& s : group) f.sites.emplace_back(s.function, s.pc);
  return f;
}

std::string to_json(const std::vector<advice_report>& all, const std::vector<advise::other_instructions>& others) {
  json arrays = json::array();
  for (const advice_report& r : all) arrays.push_back(json_value(r));
  json whole = {{"schema", "bankwise.fix/1"},
                {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
                {"arch", all.empty() ? std::string() : all.front().what.on.name},
                {"arrays", std::move(arrays)}};
  for (const advise::other_instructions& o : others) whole["other_instructions"].push_back(json_value(o));
  return json_text(whole);
}

}  // namespace bankwise
