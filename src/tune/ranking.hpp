// A ranking: the configurations of a space on one GPU, ordered by predicted time. It tells which of them the prediction
// cannot separate from the first, and which contain the best with a certain probability.
//
// Errors of predictions are similar for the configurations of one space, so two of them are compared by the ratio of
// their times. How far this ratio errs was measured on spaces whose times are known (choice_error.def).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::tune {

// How well predictions order the configurations of a space, from measured spaces.
struct choice_error {
  std::size_t spaces = 0, held = 0;  // spaces, and those whose short list contained the best
  std::size_t pairs = 0;             // pairs of configurations of one space
  double told_apart = 1;  // the prediction orders 90 % of the pairs right whose predicted times differ by this factor
};
const choice_error& measured_choice_error();
// The GPUs on which the spaces were measured, such as "H100".
const std::vector<std::string>& measured_gpus();
// Whether the spaces were measured on this GPU, such as "H100 SXM".
bool has_measured_error(std::string_view gpu);

// A predicted time and its interval, in microseconds.
struct predicted_interval {
  double time = 0, low = 0, high = 0;
};

struct ranking {
  std::vector<std::size_t> order;  // indices of the times, the shortest first; equal times in the order of the indices
  // Whether the configuration at this rank cannot be distinguished from the first: their intervals overlap, and their times
  // differ by less than told_apart. True for the first.
  std::vector<bool> like_best;
  // The first ranks that contain the best configuration with 90 %, if the logarithms of the times have normal errors,
  // whose width is that of the pairs.
  std::size_t short_list = 0;
};
// The probability that the short list contains the best.
double short_list_share();
ranking rank(std::span<const predicted_interval> times, const choice_error& error);

}  // namespace bankwise::tune
