#include "report/json/brief.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "check/findings.hpp"
#include "findings/best_changes.hpp"
#include "model/instances.hpp"
#include "report/json/finding_fields.hpp"
#include "report/json/time_fields.hpp"
#include "report/sections/hazard_report.hpp"
#include "report/sections/time_report.hpp"
#include "report/sections/trouble_counts.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

// Longest texts in bytes, so that one long template argument or message does not displace the other entries.
constexpr std::size_t longest_name = 80, longest_text = 300, longest_code = 400;

std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

double rounded(double x) { return std::round(x * 100) / 100; }

// All launches of a kernel.
struct kernel_sum {
  std::string kernel;
  std::vector<const launch_report*> all;
  std::uint64_t launches = 0, wavefronts = 0, removable = 0, sectors = 0, excess_sectors = 0;
  predicted_time time;
};

std::vector<kernel_sum> kernels_of(const report& r) {
  std::vector<kernel_sum> list;
  std::unordered_map<std::string, std::size_t> places;
  for (const launch_report& l : r.launches) {
    const auto [at, is_new] = places.try_emplace(l.kernel, list.size());
    if (is_new) list.emplace_back().kernel = shown_name(l);
    kernel_sum& k = list[at->second];
    const global_counts global = sum_of(l.global_sites);
    k.all.push_back(&l);
    k.launches += l.count;
    k.wavefronts += l.sum.wavefronts * l.count;
    k.removable += l.sum.removable * l.count;
    k.sectors += global.sectors * l.count;
    k.excess_sectors += excess_sectors(global) * l.count;
  }
  for (kernel_sum& k : list) k.time = time_of_launches(k.all);
  std::stable_sort(list.begin(), list.end(), [](const kernel_sum& a, const kernel_sum& b) {
    return std::pair(a.time.cycles, a.wavefronts + a.sectors) > std::pair(b.time.cycles, b.wavefronts + b.sectors);
  });
  return list;
}

json kernel_value(const kernel_sum& k) {
  json j = {{"kernel", cut(k.kernel, longest_name)}, {"launches", k.launches}};
  if (k.time) {
    j["microseconds"] = rounded(microseconds_of(k.time.nanoseconds));
    j["bound"] = words_of_bound(k.time);
    j["above_floor"] = rounded(above_floor(k.time));
    if (!k.time.products.empty()) j["products"] = products_line(k.time);
  }
  j["wavefronts"] = k.wavefronts;
  j["removable"] = k.removable;
  j["sectors"] = k.sectors;
  j["excess_sectors"] = k.excess_sectors;
  return j;
}

// The other places that the same change concerns: "stencil.cu:11", "transform_points.cu:9 BW612".
json also_of(const check::finding& f) {
  constexpr std::size_t most = 8;
  json list = json::array();
  for (const check::finding& also : f.also) {
    const json one = check::place_of(also) + (also.what == f.what ? "" : " " + std::string(also.what->id));
    if (list.size() < most && std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
  }
  return list;
}

json finding_value(const check::finding& f) {
  json j = {{"id", f.what->id},
            {"fingerprint", f.fingerprint},
            {"kernel", cut(f.instance, longest_name)},
            {"place", check::place_of(f)}};
  if (f.outer_line != 0) j["inlined_at"] = base_name(f.outer_file) + ":" + std::to_string(f.outer_line);
  if (!f.also.empty()) j["also"] = also_of(f);
  if (!f.text.empty()) j["text"] = cut(std::string(trim(f.text)), longest_name);
  j["message"] = cut(f.message, longest_text);
  j["amount"] = f.amount;
  j["unit"] = unit_of(f);
  j["evidence"] = evidence_of(f);
  if (f.time) {
    j["saved_microseconds"] = rounded(microseconds_of(nanoseconds_of(f.time, f.saved_cycles)));
    j["of_microseconds"] = rounded(microseconds_of(f.time.nanoseconds));
  }
  if (!f.fix.empty()) j["remedy"] = cut(f.fix, longest_text);
  if (!f.fix_code.empty()) j["remedy_code"] = cut(f.fix_code, longest_code);
  return j;
}

// What makes the counts or the results doubtful, as sentences.
json troubles_of(const report& r) {
  json list = json::array();
  if (r.partial) list.push_back("the report is partial: " + words_of(r.partial));
  if (const std::string checked = checks_sentence(r); !checked.empty()) list.push_back(checked);
  const trouble_counts n = count_troubles(r);
  if (n.races != 0) list.push_back(count_of(n.races, "race") + " of shared memory");
  if (n.out_of_bounds != 0) list.push_back(count_of(n.out_of_bounds, "instruction") + " out of bounds");
  if (n.refused != 0) list.push_back("CUDA refused " + count_of(n.refused, "launch", "launches"));
  return list;
}

}  // namespace

std::string to_brief(const report& r) {
  const predicted_time all = time_of_launches(r);
  json j = {{"schema", "bankwise.brief/1"}, {"version", BANKWISE_VERSION}, {"arch", r.arch}};
  if (r.origin == "emulated") j["exactness"] = name_of(exactness_of(r));
  if (all) {
    j["gpu"] = all.gpu;
    j["microseconds"] = rounded(microseconds_of(all.nanoseconds));
  }
  if (const findings::best_changes best = findings::best_of(add_up(r.launches)); best)
    j["first_changes_together"] = {{"changes", best.list.size()},
                                   {"microseconds", rounded(microseconds_of(best.nanoseconds_after))}};
  std::uint64_t untimed = 0;
  for (const launch_report& l : r.launches)
    if (!l.time) untimed += l.count;
  if (untimed != 0) j["launches_without_time"] = untimed;
  if (const json troubles = troubles_of(r); !troubles.empty()) j["troubles"] = troubles;

  // Kernels and findings take turns until the text is full: the most important ones come first in both lists.
  const std::vector<kernel_sum> kernels = kernels_of(r);
  const std::vector<check::finding> found = check::by_saving(check::joined(check::findings_of(r)));
  std::vector<std::string> rows_of_kernels, rows_of_findings;
  std::size_t left = most_brief_bytes - 200 - std::min<std::size_t>(most_brief_bytes / 2, j.dump().size());
  const auto add = [&](std::vector<std::string>& rows, const json& one) {
    std::string row = one.dump(-1, ' ', false, json::error_handler_t::replace);
    if (row.size() + 8 > left) return false;
    left -= row.size() + 8;
    rows.push_back(std::move(row));
    return true;
  };
  bool fits = true;
  for (std::size_t n = 0; fits && n < std::max(kernels.size(), found.size()); ++n) {
    if (n < kernels.size()) fits = add(rows_of_kernels, kernel_value(kernels[n]));
    if (n < found.size()) fits = fits && add(rows_of_findings, finding_value(found[n]));
  }
  const auto list = [](const std::vector<std::string>& rows) {
    std::string text = "[";
    for (const std::string& row : rows) text += (&row == rows.data() ? "\n    " : ",\n    ") + row;
    return text + (rows.empty() ? "]" : "\n  ]");
  };
  std::string text = "{\n";
  for (const auto& [key, value] : j.items())
    text += "  \"" + key + "\": " + value.dump(-1, ' ', false, json::error_handler_t::replace) + ",\n";
  text += "  \"kernels\": " + list(rows_of_kernels) + ",\n  \"findings\": " + list(rows_of_findings) + ",\n";
  return text + "  \"left_out\": {\"kernels\": " + std::to_string(kernels.size() - rows_of_kernels.size()) +
         ", \"findings\": " + std::to_string(found.size() - rows_of_findings.size()) + "}\n}\n";
}

}  // namespace bankwise
