#include "report/picture/access_report.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/picture/picture.hpp"

namespace bankwise {

namespace {

std::string plural(std::uint64_t n, const std::string& one, const std::string& many = {}) {
  return formatted("{} {}", n, n == 1 ? one : many.empty() ? formatted("{}s", one) : many);
}

// Returns the article "a " or "an " for a text such as "8-way" or "9-way".
std::string article(u32 n) { return n == 8 || n == 11 || n == 18 || (n >= 80 && n <= 89) ? "an " : "a "; }

// Returns the requests for one bank in one phase, in the order in which the bank serves them.
std::vector<const want*> wants_of(const explanation& e, u32 phase_index, u32 bank) {
  std::vector<const want*> list;
  const phase& p = e.phase_at[phase_index];
  for (u32 i = 0; i < p.wants; ++i)
    if (e.want_at[p.first_want + i].bank == bank) list.push_back(&e.want_at[p.first_want + i]);
  std::stable_sort(list.begin(), list.end(), [](const want* a, const want* b) { return a->turn < b->turn; });
  return list;
}

u32 turns_of(const std::vector<const want*>& wants) {
  u32 turns = 0;
  for (const want* w : wants) turns = std::max<u32>(turns, w->turn + 1u);
  return turns;
}

struct worst_bank {
  u32 phase = 0, bank = 0, turns = 0;
};

worst_bank find_worst(const access_report& r) {
  worst_bank worst;
  for (u32 p = 0; p < r.why.phases; ++p)
    for (u32 bank = 0; bank < r.on.model.banks; ++bank)
      if (const u32 turns = turns_of(wants_of(r.why, p, bank)); turns > worst.turns) worst = {p, bank, turns};
  return worst;
}

u32 words_of(const access_report& r, const worst_bank& b) {
  const std::vector<const want*> wants = wants_of(r.why, b.phase, b.bank);
  std::set<u32> words;
  for (const want* w : wants) words.insert(w->word);
  return static_cast<u32>(words.size());
}

std::string phase_text(u32 phases, bool merged) {
  return merged ? plural(phases, "merged phase") : plural(phases, "phase");
}

// Returns a reason why phases are not merged: two partner lanes want different bytes, such as "lanes 0 and 1 want bytes
// 0 and 16".
std::string disagreement(const access& a, u32 distance) {
  for (u32 lane = 0; lane < 32; ++lane)
    if ((lane & distance) == 0 && (a.mask >> lane & a.mask >> (lane ^ distance) & 1) != 0 &&
        a.address[lane] != a.address[lane ^ distance])
      return formatted("lanes {} and {} want bytes {} and {}", lane, lane ^ distance, a.address[lane],
                       a.address[lane ^ distance]);
  return {};
}

std::string merge_text(const access_report& r) {
  switch (r.why.total.merged) {
    case merge::partner_1: return "yes: for every lane i, the partner lane i^1 is inactive or wants the same address";
    case merge::partner_2: return "yes: for every lane i, the partner lane i^2 is inactive or wants the same address";
    case merge::none: break;
  }
  if (r.what.op.kind != op_kind::load) return "no: only loads merge";
  if (r.what.op.generic) return "no: loads through a generic pointer do not merge";
  return formatted("no: {} (i^1); {} (i^2)", disagreement(r.what, 1), disagreement(r.what, 2));
}

bool could_merge(const access_report& r) {
  return r.on.model.merges_loads && r.what.op.width_bytes > 4 &&
         (r.what.op.kind == op_kind::load || r.what.op.kind == op_kind::store);
}

std::string bytes_of(const access_report& r, const want& w) {
  const u64 first = u64{w.word} * r.on.model.bank_bytes;
  return formatted("bytes {}-{}", first, first + r.on.model.bank_bytes - 1);
}

// Lists at most `most_lines` collisions.
std::string collision_list(const access_report& r, const style& s, std::size_t most_lines) {
  const std::vector<collision> all = collisions_of(r);
  if (all.empty()) return {};
  std::string text = formatted("{}\n", s.strong("collisions"));
  std::size_t lines = 0, left_out = 0;
  for (const collision& c : all) {
    if (lines >= most_lines) {
      ++left_out;
      continue;
    }
    text += formatted("  phase {}, bank {}: {}\n", c.phase, c.bank, plural(c.wavefronts, "wavefront"));
    std::size_t shown = 0;
    for (; shown < c.words.size() && lines < most_lines; ++shown, ++lines) {
      const collision::word& w = c.words[shown];
      text += formatted("    {}  word {} {} {}\n", pad_left(w.turns, 5), pad_right(std::to_string(w.word), 6),
                        pad_right(w.bytes, 18), w.lanes);
    }
    if (shown < c.words.size())
      text += formatted("{}\n", s.dim(formatted("    ... and {}", plural(c.words.size() - shown, "more word"))));
  }
  if (left_out != 0)
    text += formatted("{}\n", s.dim(formatted("  ... and {} ({} lists everything)", plural(left_out, "more bank"),
                                              worded(setting::all))));
  return text;
}

// Whether the clocks are known. The register-file passes of a custom machine are unknown.
bool has_clocks(const access_report& r) { return r.on.rules != &flat_rules && !r.loop; }

// Returns a list of warps, such as "warps 0-3" or "warps 0, 2, 5 and 9".
std::string warps_text(const std::vector<u32>& warps) {
  u32 mask = 0;
  for (const u32 w : warps) mask |= w < 32 ? 1u << w : 0;
  return (warps.size() == 1 ? "warp " : "warps ") + lane_list(mask);
}

// Returns the costs of the block's warps, such as "12 in warps 0 and 2, 8 in warps 1 and 3".
std::string block_text(const access_report& r) {
  u64 sum = 0;
  std::map<u32, std::vector<u32>, std::greater<>> by_cost;
  for (const warp_share& w : r.warps) {
    sum += w.wavefronts;
    by_cost[w.wavefronts].push_back(w.warp);
  }
  std::string text = formatted("{} in total for all {} warps: ", plural(sum, "wavefront"), r.warps.size());
  if (by_cost.size() == 1) return formatted("{}{} in each", text, by_cost.begin()->first);
  std::string parts;
  for (const auto& [cost, warps] : by_cost)
    parts += formatted("{}{} in {}", parts.empty() ? "" : ", ", cost, warps_text(warps));
  return text + parts;
}

// Returns a sentence with the unit of the question's numbers.
std::string unit_text(const access_report& r) {
  const bool moved = r.title.find(", padded ") != std::string::npos || r.title.find(", swizzled ") != std::string::npos;
  std::string text = formatted("EXPR is in {}", r.unit);
  if (r.unit == "bytes") return formatted("{}. With {}, EXPR is in floats", text, worded(setting::type, "float"));
  return text + (moved ? formatted(". {} and {} are in bytes", worded(setting::pad), worded(setting::swizzle)) : "");
}

std::string without_if(const std::string& when) { return when.starts_with("if ") ? when.substr(3) : when; }

std::string hex_mask(u32 mask) { return hex(mask, 8); }

const char* merge_name(merge m) { return m == merge::partner_1 ? "i^1" : m == merge::partner_2 ? "i^2" : "none"; }

}  // namespace

access_report report_access(named_access a) {
  const explanation why = a.has_source ? explain(a.what, a.from, a.on.model) : explain(a.what, a.on.model);
  const rule_source rule = a.on.rules->by_group[static_cast<u32>(group_of(a.what.op))];
  return {std::move(a), why, rule, rule.source};
}

std::vector<collision> collisions_of(const access_report& r) {
  std::vector<collision> list;
  if (r.what.op.kind == op_kind::copy_async_cg) return list;  // the wavefronts of cp.async.cg do not depend on banks
  for (u32 p = 0; p < r.why.phases; ++p)
    for (u32 bank = 0; bank < r.on.model.banks; ++bank) {
      const std::vector<const want*> wants = wants_of(r.why, p, bank);
      if (turns_of(wants) < 2) continue;
      collision& c = list.emplace_back(collision{p, bank, turns_of(wants), {}});
      for (std::size_t i = 0; i < wants.size();) {
        // Lanes that queue for the same word are on one line.
        std::size_t end = i + 1;
        u32 lanes = wants[i]->lanes;
        for (; end < wants.size() && wants[end]->word == wants[i]->word; ++end) lanes |= wants[end]->lanes;
        const bool queue = end > i + 1;
        c.words.push_back(
            {std::to_string(wants[i]->turn + 1) + (queue ? formatted("-{}", wants[end - 1]->turn + 1) : ""),
             wants[i]->word, bytes_of(r, *wants[i]), lane_words(lanes) + (queue ? ", one after another" : "")});
        i = end;
      }
    }
  std::stable_sort(list.begin(), list.end(),
                   [](const collision& a, const collision& b) { return a.wavefronts > b.wavefronts; });
  return list;
}

std::vector<std::string> reasons_of(const access_report& r, const std::vector<collision>& list) {
  std::vector<std::string> texts;
  if (r.why.phases == 0 || r.what.op.kind == op_kind::copy_async_cg) return texts;
  if (list.empty()) {
    texts.push_back("No bank serves more than one word in a phase.");
  } else {
    const collision& worst = list.front();
    const std::string span = std::to_string(r.on.model.banks * r.on.model.bank_bytes);
    if (worst.words.size() > 1)
      texts.push_back(
          formatted("Bank {} must serve {} words in one phase, one in each wavefront. The addresses of these words "
                    "differ by multiples of {} bytes, and {} banks of {} bytes repeat every {} bytes.",
                    worst.bank, worst.words.size(), span, r.on.model.banks, r.on.model.bank_bytes, span));
    if (r.why.same_word > 1)
      texts.push_back(formatted(
          "Up to {} lanes want one word, and this operation serves these lanes one after another.", r.why.same_word));
  }
  if (r.why.phases > 1) {
    const merge merged = r.why.total.merged;
    texts.push_back(
        merged == merge::none
            ? formatted("The lanes are served in {} phases, one after another.", r.why.phases)
            : formatted("Neighbouring phases have merged, because each lane's partner ({}) is inactive or wants the "
                        "same address: {} phases remain.",
                        merge_name(merged), r.why.phases));
  }
  return texts;
}

verdict_words verdict_words_of(const access_report& r) {
  const cost& c = r.why.total;
  if (r.why.phases == 0) return {.cause = "no lane is active, so there is no access"};
  if (r.loop)
    return {.count = plural(r.loop->wavefronts, "wavefront"),
            .article = "a ",
            .cause = formatted(
                "compare-and-swap loop of {}, because the hardware has no atomic of this type. Each round serves one "
                "lane for each bank",
                plural(r.loop->rounds, "round"))};
  verdict_words w{.count = plural(c.wavefronts, "wavefront")};
  const u32 served = lanes_served(r.what, r.on.model), asked = lanes_used(r.what);
  if (served != asked) {
    w.cause = formatted("{} of {} are served, and the other lanes retry, because the banks of these lanes are in use",
                        count_lanes(served), plural(count_lanes(asked), "lane"));
    return w;
  }
  if (r.what.op.kind == op_kind::copy_async_cg) {
    const copy_source from = r.has_source ? r.from : contiguous_source();
    const u32 fewest = source_floor(r.what, from, r.on.model);
    std::string why = fewest == c.wavefronts
                          ? "pieces of a line that move by the same distance share a wavefront"
                          : formatted("the copy would take {} if pieces kept their positions in their lines", fewest);
    if (fills(r.what, from)) {
      w.cause = "lanes for which the copy writes zeros take additional wavefronts";
      w.rest = std::move(why);
    } else {
      w.cause = std::move(why);
    }
    return w;
  }
  if (r.has_source)
    if (const u32 alone = wavefronts(r.what, r.on.model), sources = source_floor(r.what, r.from, r.on.model);
        c.wavefronts > alone) {
      w.cause = formatted(
          "a lane waits for earlier lanes that use the same bank, either for the source in L1 or for the destination. "
          "The destination alone would take {}, and the source alone would take {}",
          alone, sources);
      return w;
    }
  const worst_bank worst = find_worst(r);
  if (c.wavefronts == c.reachable) {
    w.cause = r.why.phases == 1
                  ? "no bank conflict"
                  : formatted("no bank conflict in {}", phase_text(r.why.phases, c.merged != merge::none));
    if (c.cycles > c.wavefronts && r.on.model.clocks_per_wavefront == 1 && has_clocks(r))
      w.rest = formatted("{}, which is the minimum of this operation", plural(c.cycles, "cycle"));
    return w;
  }
  if (r.why.layout_floor == c.wavefronts) {
    w.cause = formatted(
        "{} lanes queue for one word, which no layout can change. Combine the values of the lanes before the access",
        r.why.same_word);
    return w;
  }
  if (r.on.model.narrow == serving::one_broadcast && words_of(r, worst) < worst.turns) {
    w.cause = "several groups of lanes want one word each, but a wavefront can broadcast only one word";
  } else {
    w.article = article(worst.turns);
    w.cause = formatted("{}-way bank conflict on bank {}{}", worst.turns, worst.bank,
                        r.why.phases > 1 ? formatted(" in phase {}", worst.phase) : "");
  }
  w.rest = formatted("{}{} reachable, {} removable{}", c.reachable, c.reachable == 1 ? " is" : " are", removable(r.why),
                     queued(r.why) == 0
                         ? ""
                         : formatted(", {} queued, because up to {} lanes want one word, which no layout can change",
                                     queued(r.why), r.why.same_word));
  return w;
}

std::string verdict(const access_report& r) {
  const verdict_words w = verdict_words_of(r);
  return formatted("{}{}{}{}{}{}", w.count, w.count.empty() ? "" : ": ", w.article, w.cause, w.rest.empty() ? "" : "; ",
                   w.rest);
}

std::string paint_by_cost(const access_report& r, const style& s, const std::string& text) {
  return r.why.total.wavefronts == r.why.total.reachable && !(r.loop && r.loop->rounds > 1) ? s.good(text)
                                                                                            : s.bad(text);
}

std::string collision_text(const access_report& r, const style& s, std::size_t most_lines) {
  const picture p = draw(r);
  // A bank is listed only if it takes more than one wavefront of a phase, so the list may be empty.
  const std::string list = collision_list(r, s, most_lines);
  return to_text(p, s, most_lines, most_lines > 100) + (list.empty() ? "" : formatted("\n{}", list));
}

std::string to_text(const access_report& r, const style& s, bool all) {
  const cost& c = r.why.total;
  const u32 lanes = count_lanes(lanes_used(r.what));
  std::string text = formatted("{}\n\n", paint_by_cost(r, s, verdict(r)));
  if (r.wave != 0)
    text += formatted("  whole wave  {}: {} of lanes 0-31, {} of lanes 32-63{}\n", plural(r.wave, "wavefront"),
                      r.halves[0], r.halves[1], r.wave < r.halves[0] + r.halves[1] ? ", some of which are shared" : "");
  if (!r.warps.empty())
    text += formatted("  block       {}. The text below describes warp {} ({} N selects another warp)\n", block_text(r),
                      r.warp, worded(setting::warp));
  text += formatted("  access      {}\n", r.title);
  if (!r.unit.empty()) text += formatted("  unit        {}\n", unit_text(r));
  text += formatted("  operation   {}, {}{}\n", r.op.spelling, plural(lanes, "active lane"),
                    lanes == 32 || lanes == 0 ? "" : formatted(": {}", lane_list(lanes_used(r.what))));
  text += formatted("  machine     {} ({}): {} banks of {} bytes\n", r.on.name, r.on.family, r.on.model.banks,
                    r.on.model.bank_bytes);
  text += formatted("  rule        {}: {}\n", name_of(r.rule.level), r.basis);
  if (r.loop)
    text += formatted(
        "  wavefronts  {}   in {} for ld and atom.cas.spin. The picture shows only the first atom.cas.spin, which takes "
        "{}\n",
        r.loop->wavefronts, plural(r.loop->rounds, "round"), c.wavefronts);
  else
    text += formatted("  wavefronts  {}   ideal {}, excess {}; reachable {}, removable {}{}\n", c.wavefronts, c.ideal,
                      excess(c), c.reachable, removable(r.why),
                      queued(r.why) == 0 ? "" : formatted(", queued {}", queued(r.why)));
  if (has_clocks(r))
    text += formatted("  cycles      {}   if the pipe is always busy; register passes {}\n", c.cycles, c.passes);
  for (const alternative_cost& a : r.alternatives)
    text +=
        formatted("  otherwise   {} ({}) if {}\n", plural(a.wavefronts, "wavefront"), a.operation, without_if(a.when));
  if (r.why.phases == 0) return text;
  if (could_merge(r)) text += formatted("  merged      {}\n", merge_text(r));
  text += formatted("\n{}\n", s.strong(" phase  lanes                wavefronts  words"));
  for (u32 p = 0; p < r.why.phases; ++p) {
    const phase& ph = r.why.phase_at[p];
    text += formatted("  {} {} {}  {}\n", pad_right(std::to_string(p), 5), pad_right(lane_list(ph.lanes), 20),
                      pad_left(std::to_string(ph.wavefronts), 10), pad_left(std::to_string(ph.words), 5));
  }
  return formatted("{}\n{}", text, collision_text(r, s, all ? 100000 : 8));
}

std::string to_json(const access_report& r) {
  using json = nlohmann::ordered_json;
  const cost& c = r.why.total;
  json phases = json::array();
  for (u32 p = 0; p < r.why.phases; ++p) {
    const phase& ph = r.why.phase_at[p];
    json banks = json::array();
    for (u32 bank = 0; bank < r.on.model.banks; ++bank) {
      const std::vector<const want*> wants = wants_of(r.why, p, bank);
      if (wants.empty()) continue;
      json words = json::array();
      for (const want* w : wants)
        words.push_back({{"word", w->word}, {"lanes", hex_mask(w->lanes)}, {"wavefront", w->turn}});
      banks.push_back({{"bank", bank}, {"wavefronts", turns_of(wants)}, {"words", words}});
    }
    phases.push_back(
        {{"lanes", hex_mask(ph.lanes)}, {"wavefronts", ph.wavefronts}, {"words", ph.words}, {"banks", banks}});
  }
  json addresses = json::array();
  for (u32 lane = 0; lane < 32; ++lane)
    addresses.push_back((r.what.mask >> lane & 1) != 0 ? json(r.what.address[lane]) : json(nullptr));
  const std::vector<collision> found = collisions_of(r);
  json collisions = json::array();
  for (const collision& one : found) {
    json words = json::array();
    for (const collision::word& w : one.words)
      words.push_back({{"turns", w.turns}, {"text", formatted("word {} ({}): {}", w.word, w.bytes, w.lanes)}});
    collisions.push_back({{"phase", one.phase}, {"bank", one.bank}, {"wavefronts", one.wavefronts}, {"words", words}});
  }
  // Number of wavefronts. For a loop, this is the sum over all iterations.
  const u32 all = r.loop ? r.loop->wavefronts : c.wavefronts;
  json j = {
      {"schema", "bankwise.explain/1"},
      {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
      {"arch", r.on.name},
      {"banks", r.on.model.banks},
      {"bank_bytes", r.on.model.bank_bytes},
      {"access", r.title},
      {"op", r.op.spelling},
      {"width_bytes", r.what.op.width_bytes},
      {"mask", hex_mask(r.what.mask)},
      {"addresses", addresses},
      {"verdict", verdict(r)},
      {"wavefronts", all},
      {"ideal", c.ideal},
      {"excess", all - c.ideal},
      {"reachable", c.reachable},
      {"removable", removable(r.why)},
      {"queued", all - c.reachable - removable(r.why)},
      {"passes", c.passes},
      {"cycles", c.cycles},
      {"layout_floor", r.why.layout_floor},
      {"lanes_on_one_word", r.why.same_word},
      {"merged", merge_name(c.merged)},
      {"merge_reason", could_merge(r) && r.why.phases != 0 ? merge_text(r) : ""},
      {"evidence", name_of(r.rule.level)},
      {"evidence_source", r.basis},
      {"notes", r.notes},
      {"phases", phases},
      {"collisions", collisions},
      {"reasons", reasons_of(r, found)},
  };
  if (!r.unit.empty()) j["unit"] = r.unit;
  if (!r.warps.empty()) {
    json warps = json::array();
    u64 sum = 0;
    u32 least = r.warps.front().wavefronts, most = least;
    for (const warp_share& w : r.warps) {
      warps.push_back(w.wavefronts);
      sum += w.wavefronts;
      least = std::min(least, w.wavefronts), most = std::max(most, w.wavefronts);
    }
    j["block"] = {{"warp", r.warp}, {"wavefronts", sum}, {"least", least}, {"most", most}, {"by_warp", warps}};
  }
  if (r.wave != 0) j["wave"] = {{"wavefronts", r.wave}, {"halves", {r.halves[0], r.halves[1]}}};
  if (r.loop)
    j["loop"] = {{"rounds", r.loop->rounds}, {"wavefronts", r.loop->wavefronts}, {"first_round", c.wavefronts}};
  if (!r.alternatives.empty()) {
    json list = json::array();
    for (const alternative_cost& a : r.alternatives)
      list.push_back({{"when", a.when}, {"operation", a.operation}, {"wavefronts", a.wavefronts}});
    j["alternatives"] = list;
  }
  if (r.has_source) {
    json source = json::array();
    for (u32 lane = 0; lane < 32; ++lane)
      source.push_back((r.what.mask & r.from.reads) >> lane & 1 ? json(r.from.address[lane]) : json(nullptr));
    j["source"] = source;
    if (r.from.may_fill) j["zfill"] = true;
  }
  return json_text(j);
}

}  // namespace bankwise
