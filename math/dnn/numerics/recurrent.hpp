// Recurrent networks of cuDNN's four kinds, with their gradients. A network consists of layers of steps, forward and
// backward in time.
//
//     LSTM   i, f, o = sigmoid(W x + R h + b), g = tanh(...);  c = f c + i g;  h = P (o tanh(c))
//     GRU    r, z = sigmoid(W x + R h + b);  n = tanh(W x + b + r (R h + b));  h = (1 - z) n + z h
//
// The weights are one array: W, R and P for each layer and direction, with a row for each result, followed by all
// biases. All sequences are filled with zeros to the length of the longest sequence. Rows are sorted by step, and then
// by sequence.
#pragma once

#include <vector>

#include "math/common/products.hpp"
#include "math/dnn/dnn_abi.hpp"

namespace bankwise::dnn {

using math::index_t;

struct recurrent_shape {
  int mode = lstm, bias = double_bias;
  // If there are fewer outputs than hidden values, the hidden values are projected to the outputs.
  index_t inputs = 0, hidden = 0, outputs = 0;
  index_t layers = 1, directions = 1;

  index_t gates() const { return mode == lstm ? 4 : mode == gru ? 3 : 1; }
  // Returns the number of values that a step stores for the gradient. A GRU also stores R h + b of its third gate.
  index_t kept() const { return mode == gru ? 4 : gates(); }
  bool is_projected() const { return outputs != hidden; }
  index_t inputs_of(index_t layer) const { return layer == 0 ? inputs : outputs * directions; }
  bool has_bias(bool of_input) const { return bias == double_bias || bias == (of_input ? input_bias : recurrent_bias); }
};

// The index of the first weight of each kind, for a layer and direction. The index is -1 if there are no weights of
// this kind.
struct recurrent_weights {
  index_t input = 0, recurrent = 0, projection = -1, input_bias = -1, recurrent_bias = -1;
};
recurrent_weights weights_of(const recurrent_shape& s, index_t pseudo_layer);
index_t weights_count(const recurrent_shape& s);

struct recurrent_batch {
  index_t steps = 0, sequences = 0;
  std::vector<int> lengths;
  index_t rows() const { return steps * sequences; }
};

// For each layer and direction, the forward pass records the values that the gradients need. The record is one array,
// in which the values have these positions.
struct recurrent_record {
  index_t gates = 0, cells = 0, hidden = 0, results = 0, gate_slopes = 0, result_slopes = 0;
};
recurrent_record record_of(const recurrent_shape& s, const recurrent_batch& b, index_t pseudo_layer);
index_t mask_of(const recurrent_shape& s, const recurrent_batch& b,
                index_t layer);  // masks for the inputs of all layers except the first
index_t record_count(const recurrent_shape& s, const recurrent_batch& b);

template <class T>
struct recurrent_state {
  std::vector<T> hidden, cell;  // values for each layer, direction and sequence
};

// Computes the forward pass. The record must contain the masks, which are factors for the inputs of all layers except
// the first.
template <class T>
std::vector<T> run_recurrent(const recurrent_shape& s, const recurrent_batch& b, const std::vector<T>& weights,
                             const std::vector<T>& x, recurrent_state<T>& state, std::vector<T>& record,
                             double least_cell, double most_cell);
// Computes the gradient of x. `slopes` contains the slopes of the last state. The function overwrites it with the
// slopes of the first state.
template <class T>
std::vector<T> run_recurrent_back(const recurrent_shape& s, const recurrent_batch& b, const std::vector<T>& weights,
                                  const std::vector<T>& dy, const recurrent_state<T>& first, recurrent_state<T>& slopes,
                                  std::vector<T>& record);
template <class T>
std::vector<T> recurrent_weight_slopes(const recurrent_shape& s, const recurrent_batch& b, const std::vector<T>& x,
                                       const std::vector<T>& first_hidden, const std::vector<T>& record);

}  // namespace bankwise::dnn
