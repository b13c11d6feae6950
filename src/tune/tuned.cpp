#include "tune/tuned.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise::tune {

namespace {

struct outcome_row {
  std::string_view name, words;
};
constexpr std::array<outcome_row, 5> outcome_table{{{"ranked", "is ranked"},
                                                    {"not_compiled", "does not compile"},
                                                    {"not_run", "does not run"},
                                                    {"other_results", "gives other results"},
                                                    {"no_time", "has no predicted time"}}};

}  // namespace

std::string_view name_of(outcome o) { return outcome_table[static_cast<std::size_t>(o)].name; }
std::string_view words_of(outcome o) { return outcome_table[static_cast<std::size_t>(o)].words; }

result<tuned> merge_tuned(const std::vector<tuned>& parts, const std::vector<std::string>& files) {
  if (parts.empty()) return diagnostic{"there is nothing to merge"};
  tuned all = parts[0];
  all.rows.clear();
  all.part = {};
  std::map<std::size_t, std::pair<tuned_row, std::size_t>> rows;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const tuned& one = parts[i];
    if (one.key != all.key || one.names != all.names || one.gpus != all.gpus || one.size != all.size ||
        one.compared != all.compared)
      return diagnostic{
          "this is the result of another search, so it cannot be merged",
          {.file = files[i]},
          formatted("merge only results of the same command as {}, with another {}", files[0], worded_name("shard"))};
    for (const tuned_row& row : one.rows) {
      const auto [at, is_new] = rows.try_emplace(row.index, row, i);
      if (!is_new && !(at->second.first == row))
        return diagnostic{formatted("the configuration {} has another result than in {}", text_of(one.names, row.what),
                                    files[at->second.second]),
                          {.file = files[i]},
                          "make both results again with the same version of bankwise and of nvcc"};
    }
  }
  for (auto& [index, row] : rows) all.rows.push_back(std::move(row.first));
  if (all.rows.size() < all.size) {
    std::size_t missing = 0;
    while (missing < all.rows.size() && all.rows[missing].index == missing) ++missing;
    return diagnostic{formatted("{} of {} configurations are missing, first number {}", all.size - all.rows.size(),
                                all.size, missing + 1),
                      {.file = files.back()},
                      "merge the results of all shards"};
  }
  return all;
}

}  // namespace bankwise::tune
