#include "report/sections/data_remedy_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

constexpr std::size_t widest_input = 20;

using advise::data_remedies;
using advise::data_remedy;
using advise::data_remedy_kind;

// Returns a sentence about how to apply the remedy.
std::string how_to(const data_remedies& d, const data_remedy& r, const std::string& array_name) {
  const std::string a = array_name.empty() ? "array" : array_name, k = std::to_string(r.copies);
  switch (r.kind) {
    case data_remedy_kind::as_it_is: return {};
    case data_remedy_kind::combine:
      return "combine: __match_any_sync finds the lanes that want the same element. The lowest of these lanes makes "
             "the access for all of them";
    case data_remedy_kind::copies:
      return formatted("copies: {}{}[i] becomes {}[i * {} + lane % {}]. Write the initial values into all {} copies{}",
                       r.instead_of > 1 ? "if the kernel adds up the arrays of its warps at the end, use one array for "
                                          "all warps. "
                                        : std::string(),
                       a, a, k, k, k, d.counts ? ", and add up the copies at the end" : "");
    case data_remedy_kind::own_bank: return "own bank: place word w of thread t at w * threads + t";
    case data_remedy_kind::sort:
    case data_remedy_kind::sort_and_combine:
      return "sort the input: neighbouring lanes then want equal or neighbouring elements. The numbers do not "
             "include the cost of sorting";
    case data_remedy_kind::shuffle:
      return "shuffle: lane i keeps element i in a register, and __shfl_sync(mask, element, i) reads the element. A "
             "shuffle takes one clock of the pipe";
  }
  return {};
}

}  // namespace

std::string extra_bytes(std::uint64_t before, std::uint64_t after) {
  return after == before  ? "none"
         : after < before ? formatted("-{}", grouped(before - after))
                          : formatted("+{}", grouped(after - before));
}

std::string summary_of(const data_remedy& r) {
  switch (r.kind) {
    case data_remedy_kind::as_it_is: return "as it is";
    case data_remedy_kind::combine: return "combine lanes that want the same element";
    case data_remedy_kind::copies:
      return formatted("{} copies, selected by lane{}", r.copies,
                       r.instead_of > 1 ? formatted(", instead of {} selected by warp", r.instead_of) : "");
    case data_remedy_kind::own_bank: return "keep the words of each lane in a separate bank";
    case data_remedy_kind::sort: return "sort the input";
    case data_remedy_kind::sort_and_combine: return "sort the input, and combine lanes";
    case data_remedy_kind::shuffle: return "keep the table in registers, and read it with shuffles";
  }
  return {};
}

const data_remedy* best_of(const data_remedies& d) {
  // A remedy must save at least a tenth. A few per cent are not worth copies of an array.
  constexpr std::uint64_t worth = 10;
  const data_remedy* best = nullptr;
  for (const data_remedy& r : d.list) {
    // Remedies that need sorted input are skipped, because not every user can sort the input.
    if (r.kind == data_remedy_kind::sort || r.kind == data_remedy_kind::sort_and_combine || r.few_warps) continue;
    const std::uint64_t now = d.list.front().wavefronts.front();
    if (r.wavefronts.front() < (best ? best->wavefronts.front() : now - now / worth)) best = &r;
  }
  return best;
}

std::string to_text(const data_remedies& d, const std::string& array_name, const style& s, bool all) {
  if (d.list.size() < 2) return {};
  text_table t;
  t.left_first = 1;
  t.rows.push_back({"remedies if the index depends on data"});
  for (const std::string& name : d.inputs) t.rows.back().push_back(cut_in_the_middle(name, widest_input));
  t.rows.back().emplace_back("extra bytes");
  const bool blocks = d.list.front().blocks != 0;
  if (blocks) t.rows.back().emplace_back("blocks per SM");
  std::string how;
  bool has_copies = false;
  for (const data_remedy& r : d.list) {
    if (!all && r.kind == data_remedy_kind::copies && has_copies) continue;
    has_copies |= r.kind == data_remedy_kind::copies;
    t.rows.push_back({summary_of(r)});
    for (const std::uint64_t n : r.wavefronts) t.rows.back().push_back(grouped(n));
    t.rows.back().push_back(extra_bytes(d.list.front().bytes, r.bytes));
    if (blocks) t.rows.back().push_back(std::to_string(r.blocks));
    const std::string line = how_to(d, r, array_name);
    if (!line.empty() && how.find(line.substr(0, line.find(':') + 1)) == std::string::npos)
      how += formatted("   {}\n", line);
  }
  std::string text = t.text(s);
  if (d.others != 0 && has_copies)
    how += formatted(
        "{}\n",
        s.dim(formatted("   each number includes the other accesses to the array, which now take {} wavefronts. With N "
                        "times as many copies, these accesses take N times as many wavefronts",
                        grouped(d.others))));
  how += formatted(
      "{}\n", s.dim("   the columns 'uniform' and 'skewed' are for invented data with the active lanes of this run. In "
                    "'skewed', the nth most frequent element is used 1/n times as often as the most frequent element"));
  return text + how;
}

nlohmann::ordered_json json_value(const data_remedies& d) {
  using json = nlohmann::ordered_json;
  json list = json::array();
  for (const data_remedy& r : d.list) {
    list.push_back({{"kind", advise::name_of(r.kind)},
                    {"summary", summary_of(r)},
                    {"copies", r.copies},
                    {"instead_of", r.instead_of},
                    {"wavefronts", r.wavefronts},
                    {"bytes", r.bytes}});
    if (r.blocks != 0) list.back()["blocks_per_multiprocessor"] = r.blocks;
  }
  return {{"inputs", d.inputs}, {"wavefronts_of_others", d.others}, {"remedies", std::move(list)}};
}

}  // namespace bankwise
