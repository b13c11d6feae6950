#include "report/sections/warp_shape_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

using advise::warp_trial;

constexpr std::size_t most_shapes = 6;

bool is_flat(const advise::block_sides& block) { return block[1] == 1 && block[2] == 1; }

// Returns the shape of a warp, such as "8 x 4". If the block has no rows, also returns the assumed length of a row.
std::string shape_text(const emulate::warp_shape& w, const advise::block_sides& block) {
  return formatted("{} x {}{}", w.along, 32 / w.along,
                   is_flat(block) ? formatted(", in rows of {} threads", w.row) : "");
}

std::string own_text(const advise::block_sides& block) {
  const auto own = advise::own_shape(block);
  return own && !is_flat(block) ? formatted("{}, as it is", shape_text(*own, block)) : "as it is";
}

std::vector<warp_trial> ranked(const warp_shape_report& r) {
  std::vector<warp_trial> all = r.others;
  std::stable_sort(all.begin(), all.end(), [](const warp_trial& a, const warp_trial& b) {
    const auto rank = [](const warp_trial& t) {
      return std::tuple(!t.same_memory, advise::clocks_of_both(t), t.cycles, t.sectors);
    };
    return rank(a) < rank(b);
  });
  return all;
}

std::string clocks_text(const warp_trial& as_it_is, const warp_trial& best) {
  if (best.cycles == as_it_is.cycles) return "the same number of clocks of the shared pipe";
  return formatted("{} clocks of the shared pipe instead of {}", grouped(best.cycles), grouped(as_it_is.cycles));
}

std::string sectors_text(const warp_trial& as_it_is, const warp_trial& best) {
  if (best.sectors == as_it_is.sectors) return ", and the same number of sectors of global memory";
  return formatted(", and {} sectors of global memory instead of {}", grouped(best.sectors), grouped(as_it_is.sectors));
}

}  // namespace

std::string to_text(const warp_shape_report& r, const style& s, bool all) {
  std::string text =
      formatted("{}  blocks of {} x {} x {} threads; {} ({}): {} banks of {} bytes\n\n", s.strong(r.kernel), r.block[0],
                r.block[1], r.block[2], r.on.name, r.on.family, r.on.model.banks, r.on.model.bank_bytes);
  const warp_trial* best = advise::best_of(r.as_it_is, r.others);
  if (best == nullptr) {
    text += formatted(
        "{}\n", s.good(r.others.empty()
                           ? "the kernel's own assignment of threads to warps is the only possible assignment"
                           : "the kernel's own assignment of threads to warps is the best. Each other assignment costs "
                             "more in shared memory or in global memory, or saves nothing"));
  } else {
    text += formatted("{}\n\n", s.good(formatted("warps of {}: {}{}", shape_text(best->shape, r.block),
                                                 clocks_text(r.as_it_is, *best), sectors_text(r.as_it_is, *best))));
    const advise::index_code code = advise::code_of(best->shape, r.block);
    for (const std::string& line : code.lines) text += formatted("     {}\n", line);
    text += formatted("     // {}\n", code.in_place_of);
  }
  if (r.others.empty()) return text;
  text_table table;
  table.rows.push_back({"warps of", "wavefronts", "clocks", "sectors of global memory", "memory"});
  table.left_first = 1, table.left_last = 1;
  const auto add = [&](const std::string& name, const warp_trial& t, const std::string& memory) {
    table.rows.push_back({name, grouped(t.wavefronts), grouped(t.cycles), grouped(t.sectors), memory});
  };
  add(own_text(r.block), r.as_it_is, "");
  const std::vector<warp_trial> trials = ranked(r);
  bool differs = false;
  for (std::size_t n = 0; n < trials.size() && (all || n < most_shapes); ++n) {
    add(shape_text(trials[n].shape, r.block), trials[n], trials[n].same_memory ? "the same" : "differs");
    differs |= !trials[n].same_memory;
  }
  text += formatted("\n{}", table.text(s));
  text += formatted(
      "{}\n", s.dim("   for each warp shape, bankwise executed the kernel on this input, with the thread indices of "
                    "the shape. A sector has 32 bytes. The sectors include those of loads, stores and atomics"));
  if (differs)
    text += formatted(
        "{}\n", s.dim("   differs: with this warp shape the results change, because lanes work together or the order "
                      "of warps matters. The shape is not valid for this kernel"));
  if (!all && trials.size() > most_shapes)
    text += formatted("{}\n", s.dim(formatted("   {}: {}", worded(setting::all),
                                              count_of(trials.size() - most_shapes, "more shape"))));
  return text;
}

std::string to_json(const warp_shape_report& r) {
  using json = nlohmann::ordered_json;
  const auto counts = [](const warp_trial& t) {
    return json{{"wavefronts", t.wavefronts}, {"cycles", t.cycles}, {"sectors", t.sectors}};
  };
  json whole = {{"kernel", r.kernel},
                {"arch", r.on.name},
                {"block", r.block},
                {"as_it_is", counts(r.as_it_is)},
                {"warps", json::array()}};
  for (const warp_trial& t : ranked(r)) {
    json one = {{"row", t.shape.row}, {"along", t.shape.along}};
    one.update(counts(t));
    one["same_memory"] = t.same_memory;
    const advise::index_code code = advise::code_of(t.shape, r.block);
    one["code"] = code.lines;
    one["use"] = code.in_place_of;
    whole["warps"].push_back(std::move(one));
  }
  return formatted("{}\n", whole.dump(2));
}

}  // namespace bankwise
