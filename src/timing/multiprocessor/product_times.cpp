#include "timing/multiprocessor/product_times.hpp"

#include <algorithm>

namespace bankwise::timing {

namespace {

using spans = std::vector<clock_span>;

// Returns the spans in order, without overlap.
spans joined(spans list) {
  std::sort(list.begin(), list.end(), [](const clock_span& a, const clock_span& b) { return a.from < b.from; });
  spans out;
  for (const clock_span& s : list) {
    if (s.until <= s.from) continue;
    if (!out.empty() && s.from <= out.back().until)
      out.back().until = std::max(out.back().until, s.until);
    else
      out.push_back(s);
  }
  return out;
}

// Returns the parts of the spans that are not in other spans. Both lists are in order, without overlap.
spans outside_of(const spans& others, const spans& list) {
  spans out;
  auto other = others.begin();
  for (clock_span s : list) {
    while (other != others.end() && other->until <= s.from) ++other;
    for (auto o = other; o != others.end() && o->from < s.until; ++o) {
      if (o->from > s.from) out.push_back({s.from, o->from});
      s.from = o->until;
    }
    if (s.from < s.until) out.push_back(s);
  }
  return out;
}

double length_of(const spans& list) {
  double sum = 0;
  for (const clock_span& s : list) sum += s.until - s.from;
  return sum;
}

}  // namespace

// A warp has reached its next product, or its end.
void product_times::close(running_warp& w, double at) {
  if (w.multiplies && w.has_stored) epilogues_.push_back({w.product_done, at});
  w.has_stored = false;
}

void product_times::multiply(running_warp& w, clock_span in_pipe, double done) {
  if (!counts_) return;
  close(w, in_pipe.from);
  w.multiplies = true;
  w.product_done = std::max(w.product_done, done);
  waits_.insert(waits_.end(), w.copy_waits.begin(), w.copy_waits.end());
  w.copy_waits.clear();
  if (!products_.empty() && in_pipe.from <= products_.back().until)
    products_.back().until = std::max(products_.back().until, in_pipe.until);
  else
    products_.push_back(in_pipe);
}

void product_times::end(running_warp& w, double at) {
  if (!counts_) return;
  // Also a warp that leaves the stores to others spends its end on the results.
  w.has_stored = true;
  close(w, at);
}

product_clocks product_times::sum() const {
  const spans waiting = outside_of(products_, joined(waits_));
  const spans epilogue = outside_of(waiting, outside_of(products_, joined(epilogues_)));
  return {length_of(waiting), length_of(epilogue)};
}

}  // namespace bankwise::timing
