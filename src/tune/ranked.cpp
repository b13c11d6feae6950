#include "tune/ranked.hpp"

namespace bankwise::tune {

ranked_rows rank_rows(const tuned& t, std::size_t gpu) {
  std::vector<std::size_t> candidates;
  std::vector<predicted_interval> times;
  for (std::size_t i = 0; i < t.rows.size(); ++i) {
    if (t.rows[i].is != outcome::ranked || gpu >= t.rows[i].times.size()) continue;
    candidates.push_back(i);
    const gpu_time& time = t.rows[i].times[gpu];
    times.push_back({time.microseconds, time.low, time.high});
  }
  ranked_rows ranks{{}, rank(times, measured_choice_error())};
  for (const std::size_t i : ranks.of.order) ranks.rows.push_back(candidates[i]);
  return ranks;
}

}  // namespace bankwise::tune
