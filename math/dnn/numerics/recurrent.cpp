#include "math/dnn/numerics/recurrent.hpp"

#include <algorithm>
#include <cmath>

namespace bankwise::dnn {

using math::as_it_is;
using math::multiply;
using math::transposed;

namespace {

index_t matrices_of(const recurrent_shape& s, index_t layer) {
  return s.gates() * s.hidden * (s.inputs_of(layer) + s.outputs) + (s.is_projected() ? s.outputs * s.hidden : 0);
}
index_t biases_of(const recurrent_shape& s) {
  return s.gates() * s.hidden * (static_cast<index_t>(s.has_bias(true)) + static_cast<index_t>(s.has_bias(false)));
}
index_t record_each(const recurrent_shape& s, const recurrent_batch& b) {
  return b.rows() * (2 * s.kept() * s.hidden + 2 * s.hidden + 2 * s.outputs);
}

template <class T>
T sigmoid_of(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

// Adds a product to each result: a row of weights times a row of x.
template <class T>
void add_products(index_t rows, index_t results, index_t inputs, const T* weights, const T* x, T* to, index_t lead) {
  multiply<T>(transposed, as_it_is, results, rows, inputs, 1, weights, inputs, x, inputs, 1, to, lead);
}
// Computes the slopes of inputs from the slopes of results.
template <class T>
void add_back(index_t rows, index_t results, index_t inputs, const T* weights, const T* slopes, index_t lead, T* to,
              index_t to_lead) {
  multiply<T>(as_it_is, as_it_is, inputs, rows, results, 1, weights, inputs, slopes, lead, 1, to, to_lead);
}
template <class T>
void add_weight_slopes(index_t rows, index_t results, index_t inputs, const T* x, const T* slopes, index_t lead,
                       T* to) {
  multiply<T>(as_it_is, transposed, inputs, results, rows, 1, x, inputs, slopes, lead, 1, to, inputs);
}

// Returns the step that a sequence processes at position `turn`. Returns -1 outside the sequence.
index_t step_of(const recurrent_batch& b, index_t sequence, index_t turn, bool backwards) {
  const index_t length = b.lengths[sequence];
  if (turn < 0 || turn >= length) return -1;
  return backwards ? length - 1 - turn : turn;
}

// Returns the inputs of a layer. These are x, or the results of the previous layer times their mask.
template <class T>
std::vector<T> inputs_of(const recurrent_shape& s, const recurrent_batch& b, index_t layer, const std::vector<T>& x,
                         const std::vector<T>& record) {
  if (layer == 0) return x;
  const index_t width = s.inputs_of(layer);
  std::vector<T> inputs(static_cast<std::size_t>(b.rows() * width));
  const T* const mask = record.data() + mask_of(s, b, layer);
  for (index_t d = 0; d < s.directions; ++d) {
    const T* const from = record.data() + record_of(s, b, (layer - 1) * s.directions + d).results;
    for (index_t row = 0; row < b.rows(); ++row)
      for (index_t o = 0; o < s.outputs; ++o) inputs[row * width + d * s.outputs + o] = from[row * s.outputs + o];
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] *= mask[i];
  return inputs;
}

// Returns the slopes of R h + b. For a GRU, some of these slopes differ from the slopes of W x + b.
template <class T>
std::vector<T> recurrent_slopes(const recurrent_shape& s, const T* kept, index_t rows) {
  const index_t width = s.gates() * s.hidden, all = s.kept() * s.hidden;
  std::vector<T> slopes(static_cast<std::size_t>(rows * width));
  for (index_t row = 0; row < rows; ++row)
    for (index_t i = 0; i < width; ++i)
      slopes[row * width + i] = kept[row * all + (s.mode == gru && i >= 2 * s.hidden ? i + s.hidden : i)];
  return slopes;
}

}  // namespace

recurrent_weights weights_of(const recurrent_shape& s, index_t pseudo_layer) {
  const index_t layer = pseudo_layer / s.directions, width = s.gates() * s.hidden;
  index_t at = 0, all = 0;
  for (index_t p = 0; p < s.layers * s.directions; ++p) {
    if (p == pseudo_layer) at = all;
    all += matrices_of(s, p / s.directions);
  }
  recurrent_weights w;
  w.input = at;
  w.recurrent = at + width * s.inputs_of(layer);
  if (s.is_projected()) w.projection = w.recurrent + width * s.outputs;
  index_t bias = all + pseudo_layer * biases_of(s);
  if (s.has_bias(true)) {
    w.input_bias = bias;
    bias += width;
  }
  if (s.has_bias(false)) w.recurrent_bias = bias;
  return w;
}
index_t weights_count(const recurrent_shape& s) {
  index_t all = s.layers * s.directions * biases_of(s);
  for (index_t p = 0; p < s.layers * s.directions; ++p) all += matrices_of(s, p / s.directions);
  return all;
}

recurrent_record record_of(const recurrent_shape& s, const recurrent_batch& b, index_t pseudo_layer) {
  recurrent_record r;
  r.gates = pseudo_layer * record_each(s, b);
  r.gate_slopes = r.gates + b.rows() * s.kept() * s.hidden;
  r.cells = r.gate_slopes + b.rows() * s.kept() * s.hidden;
  r.hidden = r.cells + b.rows() * s.hidden;
  r.results = r.hidden + b.rows() * s.hidden;
  r.result_slopes = r.results + b.rows() * s.outputs;
  return r;
}
index_t mask_of(const recurrent_shape& s, const recurrent_batch& b, index_t layer) {
  return s.layers * s.directions * record_each(s, b) + (layer - 1) * b.rows() * s.directions * s.outputs;
}
index_t record_count(const recurrent_shape& s, const recurrent_batch& b) { return mask_of(s, b, s.layers); }

template <class T>
std::vector<T> run_recurrent(const recurrent_shape& s, const recurrent_batch& b, const std::vector<T>& weights,
                             const std::vector<T>& x, recurrent_state<T>& state, std::vector<T>& record,
                             double least_cell, double most_cell) {
  const index_t width = s.gates() * s.hidden, hidden = s.hidden, kept_width = s.kept() * hidden;
  for (index_t p = 0; p < s.layers * s.directions; ++p) {
    const index_t layer = p / s.directions;
    const bool backwards = p % s.directions == 1;
    const recurrent_weights w = weights_of(s, p);
    const recurrent_record r = record_of(s, b, p);
    const std::vector<T> in = inputs_of(s, b, layer, x, record);
    std::vector<T> from_input(static_cast<std::size_t>(b.rows() * width));
    if (w.input_bias >= 0)
      for (index_t row = 0; row < b.rows(); ++row)
        std::copy_n(weights.begin() + w.input_bias, width, from_input.begin() + row * width);
    add_products(b.rows(), width, s.inputs_of(layer), weights.data() + w.input, in.data(), from_input.data(), width);
    std::fill_n(record.begin() + r.results, b.rows() * s.outputs, T(0));
    T* const h = state.hidden.data() + p * b.sequences * s.outputs;
    T* const c = s.mode == lstm ? state.cell.data() + p * b.sequences * hidden : nullptr;
    std::vector<T> from_state(static_cast<std::size_t>(b.sequences * width)), fresh(static_cast<std::size_t>(hidden));
    for (index_t turn = 0; turn < b.steps; ++turn) {
      std::fill(from_state.begin(), from_state.end(), T(0));
      if (w.recurrent_bias >= 0)
        for (index_t n = 0; n < b.sequences; ++n)
          std::copy_n(weights.begin() + w.recurrent_bias, width, from_state.begin() + n * width);
      add_products(b.sequences, width, s.outputs, weights.data() + w.recurrent, h, from_state.data(), width);
      for (index_t n = 0; n < b.sequences; ++n) {
        const index_t step = step_of(b, n, turn, backwards);
        if (step < 0) continue;
        const index_t row = step * b.sequences + n;
        const T *const a = from_input.data() + row * width, *const u = from_state.data() + n * width;
        T* const g = record.data() + r.gates + row * kept_width;
        for (index_t i = 0; i < hidden; ++i) {
          switch (s.mode) {
            case lstm: {
              const T in_gate = sigmoid_of(a[i] + u[i]), forget = sigmoid_of(a[hidden + i] + u[hidden + i]),
                      made = std::tanh(a[2 * hidden + i] + u[2 * hidden + i]),
                      out = sigmoid_of(a[3 * hidden + i] + u[3 * hidden + i]);
              c[n * hidden + i] = std::clamp(forget * c[n * hidden + i] + in_gate * made, static_cast<T>(least_cell),
                                             static_cast<T>(most_cell));
              record[r.cells + row * hidden + i] = c[n * hidden + i];
              fresh[i] = out * std::tanh(c[n * hidden + i]);
              g[i] = in_gate;
              g[hidden + i] = forget;
              g[2 * hidden + i] = made;
              g[3 * hidden + i] = out;
              break;
            }
            case gru: {
              const T reset = sigmoid_of(a[i] + u[i]), update = sigmoid_of(a[hidden + i] + u[hidden + i]);
              const T made = std::tanh(a[2 * hidden + i] + reset * u[2 * hidden + i]);
              fresh[i] = (T(1) - update) * made + update * h[n * s.outputs + i];
              g[i] = reset;
              g[hidden + i] = update;
              g[2 * hidden + i] = made;
              g[3 * hidden + i] = u[2 * hidden + i];
              break;
            }
            default: {
              const T sum = a[i] + u[i];
              fresh[i] = s.mode == rnn_tanh ? std::tanh(sum) : sum > 0 ? sum : T(0);
              g[i] = fresh[i];
              break;
            }
          }
        }
        std::copy(fresh.begin(), fresh.end(), record.begin() + r.hidden + row * hidden);
        T* const to = h + n * s.outputs;
        if (s.is_projected()) {
          std::fill_n(to, s.outputs, T(0));
          add_products(1, s.outputs, hidden, weights.data() + w.projection, fresh.data(), to, s.outputs);
        } else {
          std::copy(fresh.begin(), fresh.end(), to);
        }
        std::copy_n(to, s.outputs, record.begin() + r.results + row * s.outputs);
      }
    }
  }
  const index_t wide = s.directions * s.outputs;
  std::vector<T> y(static_cast<std::size_t>(b.rows() * wide));
  for (index_t d = 0; d < s.directions; ++d) {
    const T* const from = record.data() + record_of(s, b, (s.layers - 1) * s.directions + d).results;
    for (index_t row = 0; row < b.rows(); ++row)
      std::copy_n(from + row * s.outputs, s.outputs, y.begin() + row * wide + d * s.outputs);
  }
  return y;
}

template <class T>
std::vector<T> run_recurrent_back(const recurrent_shape& s, const recurrent_batch& b, const std::vector<T>& weights,
                                  const std::vector<T>& dy, const recurrent_state<T>& first, recurrent_state<T>& slopes,
                                  std::vector<T>& record) {
  const index_t width = s.gates() * s.hidden, hidden = s.hidden, kept_width = s.kept() * hidden,
                wide = s.directions * s.outputs;
  std::vector<T> of_results = dy;
  for (index_t layer = s.layers - 1; layer >= 0; --layer) {
    const index_t inputs = s.inputs_of(layer);
    std::vector<T> of_inputs(static_cast<std::size_t>(b.rows() * inputs));
    for (index_t d = 0; d < s.directions; ++d) {
      const index_t p = layer * s.directions + d;
      const recurrent_weights w = weights_of(s, p);
      const recurrent_record r = record_of(s, b, p);
      T* const dh = slopes.hidden.data() + p * b.sequences * s.outputs;
      T* const dc = s.mode == lstm ? slopes.cell.data() + p * b.sequences * hidden : nullptr;
      T* const all = record.data() + r.gate_slopes;
      std::fill_n(all, b.rows() * kept_width, T(0));
      std::fill_n(record.begin() + r.result_slopes, b.rows() * s.outputs, T(0));
      std::vector<T> kept(static_cast<std::size_t>(b.sequences * kept_width)),
          direct(static_cast<std::size_t>(b.sequences * s.outputs)), given(static_cast<std::size_t>(s.outputs)),
          of_hidden(static_cast<std::size_t>(hidden));
      for (index_t turn = b.steps - 1; turn >= 0; --turn) {
        std::fill(kept.begin(), kept.end(), T(0));
        for (index_t n = 0; n < b.sequences; ++n) {
          T* const onward = direct.data() + n * s.outputs;
          const index_t step = step_of(b, n, turn, d == 1);
          if (step < 0) {
            std::copy_n(dh + n * s.outputs, s.outputs, onward);
            continue;
          }
          const index_t row = step * b.sequences + n, step_before = step_of(b, n, turn - 1, d == 1);
          const T* const g = record.data() + r.gates + row * kept_width;
          T* const k = kept.data() + n * kept_width;
          for (index_t o = 0; o < s.outputs; ++o)
            given[o] = of_results[row * wide + d * s.outputs + o] + dh[n * s.outputs + o];
          std::copy(given.begin(), given.end(), record.begin() + r.result_slopes + row * s.outputs);
          std::fill_n(onward, s.outputs, T(0));
          if (s.is_projected()) {
            std::fill(of_hidden.begin(), of_hidden.end(), T(0));
            add_back(1, s.outputs, hidden, weights.data() + w.projection, given.data(), s.outputs, of_hidden.data(),
                     hidden);
          } else {
            of_hidden = given;
          }
          for (index_t i = 0; i < hidden; ++i) {
            const T slope = of_hidden[i];
            switch (s.mode) {
              case lstm: {
                const T in_gate = g[i], forget = g[hidden + i], made = g[2 * hidden + i], out = g[3 * hidden + i];
                const T bent = std::tanh(record[r.cells + row * hidden + i]);
                const T cell = dc[n * hidden + i] + slope * out * (T(1) - bent * bent);
                const T before = step_before >= 0     ? record[r.cells + (step_before * b.sequences + n) * hidden + i]
                                 : first.cell.empty() ? T(0)
                                                      : first.cell[(p * b.sequences + n) * hidden + i];
                k[i] = cell * made * in_gate * (T(1) - in_gate);
                k[hidden + i] = cell * before * forget * (T(1) - forget);
                k[2 * hidden + i] = cell * in_gate * (T(1) - made * made);
                k[3 * hidden + i] = slope * bent * out * (T(1) - out);
                dc[n * hidden + i] = cell * forget;
                break;
              }
              case gru: {
                const T reset = g[i], update = g[hidden + i], made = g[2 * hidden + i], from_state = g[3 * hidden + i];
                const T before = step_before >= 0 ? record[r.results + (step_before * b.sequences + n) * s.outputs + i]
                                 : first.hidden.empty() ? T(0)
                                                        : first.hidden[(p * b.sequences + n) * s.outputs + i];
                const T of_made = slope * (T(1) - update) * (T(1) - made * made);
                k[i] = of_made * from_state * reset * (T(1) - reset);
                k[hidden + i] = slope * (before - made) * update * (T(1) - update);
                k[2 * hidden + i] = of_made;
                k[3 * hidden + i] = of_made * reset;
                onward[i] = slope * update;
                break;
              }
              default: k[i] = s.mode == rnn_tanh ? slope * (T(1) - g[i] * g[i]) : g[i] > 0 ? slope : T(0); break;
            }
          }
          std::copy_n(k, kept_width, all + row * kept_width);
        }
        const std::vector<T> back = recurrent_slopes(s, kept.data(), b.sequences);
        add_back(b.sequences, width, s.outputs, weights.data() + w.recurrent, back.data(), width, direct.data(),
                 s.outputs);
        std::copy(direct.begin(), direct.end(), dh);
      }
      add_back(b.rows(), width, inputs, weights.data() + w.input, all, kept_width, of_inputs.data(), inputs);
    }
    if (layer > 0) {
      const T* const mask = record.data() + mask_of(s, b, layer);
      for (std::size_t i = 0; i < of_inputs.size(); ++i) of_inputs[i] *= mask[i];
    }
    of_results = std::move(of_inputs);
  }
  return of_results;
}

template <class T>
std::vector<T> recurrent_weight_slopes(const recurrent_shape& s, const recurrent_batch& b, const std::vector<T>& x,
                                       const std::vector<T>& first_hidden, const std::vector<T>& record) {
  const index_t width = s.gates() * s.hidden, kept_width = s.kept() * s.hidden;
  std::vector<T> slopes(static_cast<std::size_t>(weights_count(s)));
  for (index_t p = 0; p < s.layers * s.directions; ++p) {
    const index_t layer = p / s.directions;
    const recurrent_weights w = weights_of(s, p);
    const recurrent_record r = record_of(s, b, p);
    const std::vector<T> in = inputs_of(s, b, layer, x, record);
    const T* const of_input = record.data() + r.gate_slopes;
    const std::vector<T> of_state = recurrent_slopes(s, of_input, b.rows());
    // The state that each step reads.
    std::vector<T> before(static_cast<std::size_t>(b.rows() * s.outputs));
    for (index_t n = 0; n < b.sequences; ++n)
      for (index_t turn = 0; turn < b.lengths[n]; ++turn) {
        const index_t step = step_of(b, n, turn, p % s.directions == 1),
                      last = step_of(b, n, turn - 1, p % s.directions == 1);
        T* const to = before.data() + (step * b.sequences + n) * s.outputs;
        if (last >= 0)
          std::copy_n(record.data() + r.results + (last * b.sequences + n) * s.outputs, s.outputs, to);
        else if (!first_hidden.empty())
          std::copy_n(first_hidden.data() + (p * b.sequences + n) * s.outputs, s.outputs, to);
      }
    add_weight_slopes(b.rows(), width, s.inputs_of(layer), in.data(), of_input, kept_width, slopes.data() + w.input);
    add_weight_slopes(b.rows(), width, s.outputs, before.data(), of_state.data(), width, slopes.data() + w.recurrent);
    if (w.projection >= 0)
      add_weight_slopes(b.rows(), s.outputs, s.hidden, record.data() + r.hidden, record.data() + r.result_slopes,
                        s.outputs, slopes.data() + w.projection);
    for (index_t row = 0; row < b.rows(); ++row)
      for (index_t i = 0; i < width; ++i) {
        if (w.input_bias >= 0) slopes[w.input_bias + i] += of_input[row * kept_width + i];
        if (w.recurrent_bias >= 0) slopes[w.recurrent_bias + i] += of_state[row * width + i];
      }
  }
  return slopes;
}

#define RECURRENT(T)                                                                                                   \
  template std::vector<T> run_recurrent<T>(const recurrent_shape&, const recurrent_batch&, const std::vector<T>&,      \
                                           const std::vector<T>&, recurrent_state<T>&, std::vector<T>&, double,        \
                                           double);                                                                    \
  template std::vector<T> run_recurrent_back<T>(const recurrent_shape&, const recurrent_batch&, const std::vector<T>&, \
                                                const std::vector<T>&, const recurrent_state<T>&, recurrent_state<T>&, \
                                                std::vector<T>&);                                                      \
  template std::vector<T> recurrent_weight_slopes<T>(const recurrent_shape&, const recurrent_batch&,                   \
                                                     const std::vector<T>&, const std::vector<T>&,                     \
                                                     const std::vector<T>&);
RECURRENT(float)
RECURRENT(double)

}  // namespace bankwise::dnn
