// cuDNN's loss of connectionist temporal classification, and its gradient. The loss of a sequence of labels is -log(p).
// An alignment assigns the labels to the steps, and may have blanks (label 0) between labels. p is the sum of the
// probabilities of all alignments.
#include <cmath>
#include <cstring>
#include <limits>

#include "math/dnn/dnn_descriptors.hpp"

using namespace bankwise::dnn;

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == never ? a : a + std::log1p(std::exp(b - a));
}

// The steps of one sequence. The probability of a label at step t is probabilities[t * stride + label].
struct ctc_sequence {
  const double* probabilities = nullptr;
  index_t steps = 0, stride = 0, labels = 0;
  std::vector<int> target;
};
// Computes the cost of a sequence. shares[t * labels + k] becomes the average number of occurrences of label k at step
// t. Returns false if there are too few steps for the labels.
bool align(const ctc_sequence& s, double& cost, std::vector<double>& shares) {
  const index_t length = 2 * static_cast<index_t>(s.target.size()) + 1;
  const auto label = [&](index_t i) { return i % 2 == 0 ? 0 : s.target[static_cast<std::size_t>(i / 2)]; };
  const auto log_of = [&](index_t t, index_t i) { return std::log(s.probabilities[t * s.stride + label(i)]); };
  const auto may_skip = [&](index_t i) { return i >= 2 && label(i) != 0 && label(i) != label(i - 2); };
  std::vector<double> ahead(static_cast<std::size_t>(s.steps * length), never), back = ahead;
  for (index_t i = 0; i < std::min<index_t>(length, 2); ++i) ahead[i] = log_of(0, i);
  for (index_t t = 1; t < s.steps; ++t)
    for (index_t i = 0; i < length; ++i) {
      const double* const before = &ahead[(t - 1) * length];
      double sum = before[i];
      if (i >= 1) sum = log_sum(sum, before[i - 1]);
      if (may_skip(i)) sum = log_sum(sum, before[i - 2]);
      ahead[t * length + i] = sum + log_of(t, i);
    }
  for (index_t i = std::max<index_t>(length - 2, 0); i < length; ++i) back[(s.steps - 1) * length + i] = 0;
  for (index_t t = s.steps - 2; t >= 0; --t)
    for (index_t i = 0; i < length; ++i) {
      const auto after = [&](index_t j) { return back[(t + 1) * length + j] + log_of(t + 1, j); };
      double sum = after(i);
      if (i + 1 < length) sum = log_sum(sum, after(i + 1));
      if (i + 2 < length && may_skip(i + 2)) sum = log_sum(sum, after(i + 2));
      back[t * length + i] = sum;
    }
  double all = ahead[s.steps * length - 1];
  if (length > 1) all = log_sum(all, ahead[s.steps * length - 2]);
  cost = -all;
  shares.assign(static_cast<std::size_t>(s.steps * s.labels), 0);
  if (all == never) return false;
  for (index_t t = 0; t < s.steps; ++t)
    for (index_t i = 0; i < length; ++i)
      shares[t * s.labels + label(i)] += std::exp(ahead[t * length + i] + back[t * length + i] - all);
  return true;
}

// Computes the costs of all sequences and, if requested, the gradients. Does not change the gradients of skipped
// sequences.
void compute(const ctc_loss& how, const tensor& shape, std::vector<double> given,
             const std::vector<std::vector<int>>& targets, const std::vector<int>& lengths, std::vector<double>& costs,
             std::vector<double>* gradients) {
  const index_t steps = shape.dims[0], batch = shape.dims[1], labels = shape.dims[2];
  if (how.normalisation == of_softmax)
    for (index_t row = 0; row < steps * batch; ++row) {
      double* const x = given.data() + row * labels;
      double most = never, sum = 0;
      for (index_t k = 0; k < labels; ++k) most = std::max(most, x[k]);
      for (index_t k = 0; k < labels; ++k) sum += x[k] = std::exp(x[k] - most);
      for (index_t k = 0; k < labels; ++k) x[k] /= sum;
    }
  costs.assign(static_cast<std::size_t>(batch), NAN);
  for (index_t n = 0; n < batch; ++n) {
    ctc_sequence s;
    s.probabilities = given.data() + n * labels;
    s.steps = lengths[n];
    s.stride = batch * labels;
    s.labels = labels;
    s.target = targets[n];
    bool sound = s.steps >= 1 && s.steps <= steps;
    for (const int l : s.target) sound = sound && l > 0 && l < labels;
    std::vector<double> shares;
    const bool fits = sound && align(s, costs[n], shares);
    if (gradients == nullptr || (!fits && how.gradient == skip_gradient)) continue;
    for (index_t t = 0; t < steps; ++t)
      for (index_t k = 0; k < labels; ++k) {
        const index_t at = (t * batch + n) * labels + k;
        const bool counts = fits && t < s.steps;
        const double share = counts ? shares[t * labels + k] : 0, p = given[at];
        (*gradients)[at] = !counts ? 0 : how.normalisation == of_softmax ? p - share : share == 0 ? 0 : -share / p;
      }
  }
}

bool is_sound_loss(const tensor* probs, const tensor* gradient, const void* to) {
  return probs != nullptr && is_sound(*probs) && probs->rank == 3 &&
         (to == nullptr || (gradient != nullptr && is_sound(*gradient) && same_dims(*gradient, *probs)));
}
tensor costs_shape(const tensor& probs) { return packed(probs.type == f64 ? f64 : f32, {probs.dims[1]}); }

}  // namespace

CUDA_API int cudnnGetCTCLossWorkspaceSize(const handle*, const tensor*, const tensor*, const int*, const int*,
                                          const int*, int, const ctc_loss*, std::size_t* bytes) {
  return no_bytes(bytes);
}
CUDA_API int cudnnGetCTCLossWorkspaceSize_v8(const handle*, int, const ctc_loss*, const tensor*, const tensor*,
                                             std::size_t* bytes) {
  return no_bytes(bytes);
}

// Labels and lengths are in host memory, so they are copied during the call.
CUDA_API int cudnnCTCLoss(const handle* h, const tensor* shape, const void* probs, const int* labels,
                          const int* label_lengths, const int* lengths, void* costs, const tensor* gradient_shape,
                          void* gradient, int, const ctc_loss* how, void*, std::size_t) {
  if (how == nullptr || label_lengths == nullptr || lengths == nullptr) return bad_param_null;
  if (!is_sound_loss(shape, gradient_shape, gradient)) return bad_param;
  return perform(h, "cudnnCTCLoss", [&](routine& r) {
    std::vector<std::vector<int>> targets;
    for (index_t n = 0; n < shape->dims[1]; ++n) {
      if (label_lengths[n] < 0 || (label_lengths[n] > 0 && labels == nullptr)) return bankwise::math::invalid_value;
      targets.emplace_back(labels, labels + label_lengths[n]);
      labels += label_lengths[n];
    }
    const std::vector<int> steps(lengths, lengths + shape->dims[1]);
    const operand from = reads(r, *shape, probs);
    const result to = writes(r, costs_shape(*shape), costs);
    const result slopes = gradient != nullptr ? writes(r, *gradient_shape, gradient) : result();
    const operand before = gradient != nullptr ? reads(r, *gradient_shape, gradient) : operand();
    return r.perform([=, how = *how](const view& v) {
      std::vector<double> all, made = slopes.is_there() ? before.numbers<double>(v) : std::vector<double>();
      compute(how, from.shape, from.numbers<double>(v), targets, steps, all, slopes.is_there() ? &made : nullptr);
      to.put(v, all);
      slopes.put(v, made);
    });
  });
}

// Labels and lengths are in device memory, so the number of labels is known only when the function computes.
CUDA_API int cudnnCTCLoss_v8(const handle* h, int, const ctc_loss* how, const tensor* shape, const void* probs,
                             const int* labels, const int* label_lengths, const int* lengths, void* costs,
                             const tensor* gradient_shape, void* gradient, std::size_t, void*) {
  if (how == nullptr) return bad_param_null;
  if (!is_sound_loss(shape, gradient_shape, gradient)) return bad_param;
  return perform(h, "cudnnCTCLoss_v8", [&](routine& r) {
    const index_t batch = shape->dims[1];
    const auto all_labels = r.reads(labels, 1), label_counts = r.reads(label_lengths, batch),
               counts = r.reads(lengths, batch);
    const operand from = reads(r, *shape, probs);
    const result to = writes(r, costs_shape(*shape), costs);
    const result slopes = gradient != nullptr ? writes(r, *gradient_shape, gradient) : result();
    const operand before = gradient != nullptr ? reads(r, *gradient_shape, gradient) : operand();
    return r.perform([=, how = *how](const view& v) {
      std::vector<std::vector<int>> targets;
      std::uint64_t at = all_labels.address;
      for (index_t n = 0; n < batch; ++n) {
        const auto count = static_cast<std::uint64_t>(std::max(label_counts.at(v)[n], 0));
        // A sequence with more labels than steps has no alignment. One label more than steps is enough to detect this.
        const auto taken = std::min(count, static_cast<std::uint64_t>(from.shape.dims[0]) + 1);
        std::vector<int> target(static_cast<std::size_t>(taken), -1);  // a missing label is -1
        if (const std::byte* const there = taken > 0 ? v(at, taken * sizeof(int)) : nullptr; there != nullptr)
          std::memcpy(target.data(), there, taken * sizeof(int));
        at += count * sizeof(int);
        targets.push_back(std::move(target));
      }
      const std::vector<int> steps(counts.at(v), counts.at(v) + batch);
      std::vector<double> all, made = slopes.is_there() ? before.numbers<double>(v) : std::vector<double>();
      compute(how, from.shape, from.numbers<double>(v), targets, steps, all, slopes.is_there() ? &made : nullptr);
      to.put(v, all);
      slopes.put(v, made);
    });
  });
}
