// cuDNN's recurrent networks: descriptors, the positions of weights, and the three calls of a training step. The
// forward pass stores values for the gradients in the reserve space. These values have the type in which the forward
// pass computes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/format.hpp"
#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/numerics/dropout_mask.hpp"
#include "math/dnn/numerics/recurrent.hpp"

using namespace bankwise::dnn;

// The object to which a program's cudnnRNNDescriptor_t points.
struct dnn_recurrent {
  int algorithm = 0, mode = lstm, bias = double_bias, direction = 0, input_mode = 0, type = f32, computed = f32,
      math_type = 0;
  int inputs = 0, hidden = 0, projected = 0, layers = 0;
  const dropout* drop = nullptr;
  unsigned flags = 0;
  int clip = 0, clip_nan = 0;
  double least = 0, most = 0;
};
struct dnn_sequences {
  int type = f32, layout = time_major, steps = 0, batch = 0, width = 0;
  std::vector<int> lengths;
  double fill = 0;
  std::vector<std::byte> fill_bytes;
};

namespace {

// below these sizes, no product of sizes overflows
constexpr int most_width = 1 << 20, most_layers = 256;
constexpr index_t most_rows = index_t{1} << 28;

recurrent_shape shape_of(const dnn_recurrent& d) {
  recurrent_shape s;
  s.mode = d.mode;
  s.bias = d.bias;
  s.inputs = d.inputs;
  s.hidden = d.hidden;
  s.outputs = d.mode == lstm && d.projected > 0 ? d.projected : d.hidden;
  s.layers = d.layers;
  s.directions = d.direction + 1;
  return s;
}
int computed_type(const dnn_recurrent& d) { return d.type == f64 ? f64 : f32; }

// For sequences that are stored without padding: returns the number of rows before each step.
std::vector<index_t> first_rows(const dnn_sequences& s) {
  std::vector<index_t> first(1, 0);
  for (int t = 0; t < s.steps; ++t) {
    const auto active = std::count_if(s.lengths.begin(), s.lengths.end(), [t](int length) { return length > t; });
    first.push_back(first.back() + active);
  }
  return first;
}
index_t rows_of(const dnn_sequences& s) {
  return s.layout == time_major_packed ? first_rows(s).back() : index_t{s.steps} * s.batch;
}
tensor shape_of(const dnn_sequences& s) { return packed(s.type, {rows_of(s), s.width}); }

// Calls body(row in the program's memory, row in the computation) for each step of each sequence.
template <class F>
void for_rows(const dnn_sequences& s, F body) {
  const std::vector<index_t> first = s.layout == time_major_packed ? first_rows(s) : std::vector<index_t>();
  for (index_t t = 0; t < s.steps; ++t)
    for (index_t n = 0; n < s.batch; ++n)
      if (t < s.lengths[n]) {
        const index_t row = s.layout == time_major_packed ? first[t] + n
                            : s.layout == batch_major     ? n * s.steps + t
                                                          : t * s.batch + n;
        body(row, t * s.batch + n);
      }
}
template <class T>
std::vector<T> unpacked(const dnn_sequences& s, const std::vector<T>& from) {
  std::vector<T> to(static_cast<std::size_t>(index_t{s.steps} * s.batch * s.width));
  for_rows(s, [&](index_t row, index_t inner) {
    std::copy_n(from.begin() + row * s.width, s.width, to.begin() + inner * s.width);
  });
  return to;
}
template <class T>
std::vector<T> packed_again(const dnn_sequences& s, const std::vector<T>& from) {
  std::vector<T> to(static_cast<std::size_t>(rows_of(s) * s.width), static_cast<T>(s.fill));
  for_rows(s, [&](index_t row, index_t inner) {
    std::copy_n(from.begin() + inner * s.width, s.width, to.begin() + row * s.width);
  });
  return to;
}

// Returns an error in the settings of a network or in its sequences, or null.
const char* unfit(const dnn_recurrent& d, const dnn_sequences& x, const dnn_sequences& y) {
  if (d.layers < 1 || bytes_of(d.type) == 0) return "a network that is not set";
  if (d.input_mode != 0) return "an input that is not multiplied (CUDNN_SKIP_INPUT)";
  if (x.steps < 1) return "an input without time steps";
  if (y.steps != x.steps) return "numbers of time steps that differ between input and output";
  if (y.batch != x.batch) return "batch sizes that differ between input and output";
  if (x.width != d.inputs) return "an input whose vector size is not the network's input size";
  const recurrent_shape s = shape_of(d);
  if (y.width != s.outputs * s.directions)
    return "an output whose vector size is not the network's output size multiplied by the number of directions";
  if (y.lengths != x.lengths) return "sequence lengths that differ between input and output";
  if ((x.layout == time_major_packed || y.layout == time_major_packed) &&
      !std::is_sorted(x.lengths.rbegin(), x.lengths.rend()))
    return "packed sequences that are not sorted by their lengths";
  return nullptr;
}
recurrent_batch batch_of(const dnn_sequences& x) { return {x.steps, x.batch, x.lengths}; }

tensor state_shape(const dnn_recurrent& d, const recurrent_shape& s, index_t batch, index_t width) {
  return packed(d.type, {s.layers * s.directions, batch, width});
}
tensor record_shape(const dnn_recurrent& d, const recurrent_shape& s, const recurrent_batch& b) {
  return packed(computed_type(d), {record_count(s, b)});
}
operand reads_if(routine& r, const tensor& t, const void* at) {
  return at != nullptr ? reads(r, t, at) : operand{t, {}};
}
result writes_if(routine& r, const tensor& t, void* at) {
  return at != nullptr ? writes(r, t, at) : result{t, {}, 1, 0};
}
template <class T>
std::vector<T> numbers_or_zeros(const operand& o, const view& v) {
  return o.from.bytes != 0 ? o.numbers<T>(v) : std::vector<T>(static_cast<std::size_t>(count_of(o.shape)));
}

}  // namespace

// --- descriptors

CUDA_API int cudnnCreateRNNDescriptor(dnn_recurrent** made) { return create(made); }
CUDA_API int cudnnDestroyRNNDescriptor(dnn_recurrent* d) { return destroy(d); }
CUDA_API int cudnnSetRNNDescriptor_v8(dnn_recurrent* d, int algorithm, int mode, int bias, int direction,
                                      int input_mode, int type, int computed, int math_type, int inputs, int hidden,
                                      int projected, int layers, const dropout* drop, unsigned flags) {
  if (d == nullptr) return bad_param_null;
  if (mode < rnn_relu || mode > gru || bias < no_bias || bias > recurrent_bias || direction < 0 || direction > 1 ||
      inputs < 1 || hidden < 1 || layers < 1 || projected < 0 || projected > hidden)
    return bad_param;
  if (std::max(inputs, hidden) > most_width || layers > most_layers)
    return refuse(
        bankwise::formatted("a recurrent network with {} layers of width {}", layers, std::max(inputs, hidden)));
  if (bytes_of(type) == 0 || (type != f32 && type != f64 && type != f16 && type != bf16))
    return refuse(bankwise::formatted("a recurrent network of cudnnDataType_t {}", type));
  *d = {algorithm, mode,      bias,   direction, input_mode, type, computed, math_type, inputs,
        hidden,    projected, layers, drop,      flags,      0,    0,        0,         0};
  return success;
}
CUDA_API int cudnnGetRNNDescriptor_v8(const dnn_recurrent* d, int* algorithm, int* mode, int* bias, int* direction,
                                      int* input_mode, int* type, int* computed, int* math_type, int* inputs,
                                      int* hidden, int* projected, int* layers, const dropout** drop, unsigned* flags) {
  if (d == nullptr) return bad_param_null;
  give(algorithm, d->algorithm);
  give(mode, d->mode);
  give(bias, d->bias);
  give(direction, d->direction);
  give(input_mode, d->input_mode);
  give(type, d->type);
  give(computed, d->computed);
  give(math_type, d->math_type);
  give(inputs, d->inputs);
  give(hidden, d->hidden);
  give(projected, d->projected);
  give(layers, d->layers);
  if (drop != nullptr) *drop = d->drop;
  give(flags, d->flags);
  return success;
}
CUDA_API int cudnnRNNSetClip_v8(dnn_recurrent* d, int mode, int nan, double least, double most) {
  if (d == nullptr) return bad_param_null;
  if (mode != 0 && !(least <= most)) return bad_param;
  d->clip = mode;
  d->clip_nan = nan;
  d->least = least;
  d->most = most;
  return success;
}
CUDA_API int cudnnRNNSetClip_v9(dnn_recurrent* d, int mode, double least, double most) {
  return cudnnRNNSetClip_v8(d, mode, 0, least, most);
}
CUDA_API int cudnnRNNGetClip_v8(const dnn_recurrent* d, int* mode, int* nan, double* least, double* most) {
  if (d == nullptr) return bad_param_null;
  give(mode, d->clip);
  give(nan, d->clip_nan);
  give(least, d->least);
  give(most, d->most);
  return success;
}
CUDA_API int cudnnRNNGetClip_v9(const dnn_recurrent* d, int* mode, double* least, double* most) {
  return cudnnRNNGetClip_v8(d, mode, nullptr, least, most);
}
CUDA_API int cudnnBuildRNNDynamic(const handle*, const dnn_recurrent* d, int) {
  return d == nullptr ? bad_param_null : success;
}

CUDA_API int cudnnCreateRNNDataDescriptor(dnn_sequences** made) { return create(made); }
CUDA_API int cudnnDestroyRNNDataDescriptor(dnn_sequences* s) { return destroy(s); }
CUDA_API int cudnnSetRNNDataDescriptor(dnn_sequences* s, int type, int layout, int steps, int batch, int width,
                                       const int* lengths, const void* fill) {
  if (s == nullptr || lengths == nullptr) return bad_param_null;
  if (layout < time_major || layout > batch_major || steps < 1 || batch < 1 || width < 1 || bytes_of(type) == 0)
    return bad_param;
  if (std::any_of(lengths, lengths + batch, [&](int length) { return length < 0 || length > steps; })) return bad_param;
  if (index_t{steps} * batch > most_rows)
    return refuse(bankwise::formatted("a batch of {} sequences of {} steps (at most {} steps in total are supported)",
                                      batch, steps, most_rows));
  const auto* const bytes = static_cast<const std::byte*>(fill);
  s->type = type;
  s->layout = layout;
  s->steps = steps;
  s->batch = batch;
  s->width = width;
  s->lengths.assign(lengths, lengths + batch);
  s->fill = fill != nullptr ? number_at(type, bytes) : 0;
  s->fill_bytes.assign(bytes, bytes + (fill != nullptr ? bytes_of(type) : 0));
  return success;
}
CUDA_API int cudnnGetRNNDataDescriptor(const dnn_sequences* s, int* type, int* layout, int* steps, int* batch,
                                       int* width, int asked, int* lengths, void* fill) {
  if (s == nullptr) return bad_param_null;
  give(type, s->type);
  give(layout, s->layout);
  give(steps, s->steps);
  give(batch, s->batch);
  give(width, s->width);
  for (int i = 0; lengths != nullptr && i < asked && i < s->batch; ++i)
    lengths[i] = s->lengths[static_cast<std::size_t>(i)];
  if (fill != nullptr && !s->fill_bytes.empty()) std::memcpy(fill, s->fill_bytes.data(), s->fill_bytes.size());
  return success;
}

// --- sizes and addresses

CUDA_API int cudnnGetRNNTempSpaceSizes(const handle*, const dnn_recurrent* d, int training, const dnn_sequences* x,
                                       std::size_t* workspace, std::size_t* reserve) {
  if (d == nullptr || x == nullptr) return bad_param_null;
  if (d->layers < 1 || x->steps < 1) return bad_param;
  give(workspace, 0);
  if (reserve != nullptr)
    *reserve = training == 0 ? 0 : static_cast<std::size_t>(bytes_of(record_shape(*d, shape_of(*d), batch_of(*x))));
  return success;
}
CUDA_API int cudnnGetRNNWeightSpaceSize(const handle*, const dnn_recurrent* d, std::size_t* bytes) {
  if (d == nullptr || bytes == nullptr) return bad_param_null;
  if (d->layers < 1) return bad_param;
  *bytes = static_cast<std::size_t>(weights_count(shape_of(*d)) * bytes_of(d->type));
  return success;
}
// Numbers the matrices of a layer and direction: W and R of each gate, and then P, which only an LSTM has.
CUDA_API int cudnnGetRNNWeightParams(const handle*, const dnn_recurrent* d, int pseudo_layer, std::size_t bytes,
                                     const void* weights, int number, tensor* matrix_shape, void** matrix,
                                     tensor* bias_shape, void** bias) {
  if (d == nullptr) return bad_param_null;
  const recurrent_shape s = shape_of(*d);
  const index_t gates = s.gates(), width = bytes_of(d->type);
  if (d->layers < 1 || pseudo_layer < 0 || pseudo_layer >= s.layers * s.directions || number < 0 ||
      number > 2 * gates || (number == 2 * gates && d->mode != lstm) ||
      bytes < static_cast<std::size_t>(weights_count(s) * width))
    return bad_param;
  const recurrent_weights w = weights_of(s, pseudo_layer);
  const index_t layer = pseudo_layer / s.directions, gate = number % gates;
  const bool of_input = number < gates, of_projection = number == 2 * gates;
  const index_t columns = of_projection ? s.hidden : of_input ? s.inputs_of(layer) : s.outputs;
  const index_t rows = of_projection ? s.outputs : s.hidden;
  index_t at = of_projection ? w.projection : (of_input ? w.input : w.recurrent) + gate * s.hidden * columns;
  index_t bias_at = of_projection ? -1 : of_input ? w.input_bias : w.recurrent_bias;
  if (bias_at >= 0) bias_at += gate * s.hidden;
  const auto address = [&](index_t element) {
    return element < 0 ? nullptr : const_cast<std::byte*>(static_cast<const std::byte*>(weights)) + element * width;
  };
  // The shape of a missing matrix has no dimensions.
  if (matrix_shape != nullptr)
    *matrix_shape = at < 0 ? tensor{d->type, 0, {}, {}} : packed(d->type, {1, rows, columns});
  if (matrix != nullptr) *matrix = address(at);
  if (bias_shape != nullptr) *bias_shape = bias_at < 0 ? tensor{d->type, 0, {}, {}} : packed(d->type, {1, s.hidden, 1});
  if (bias != nullptr) *bias = address(bias_at);
  return success;
}

// --- a training step

CUDA_API int cudnnRNNForward(const handle* h, const dnn_recurrent* d, int training, const int*,
                             const dnn_sequences* x_is, const void* x, const dnn_sequences* y_is, void* y,
                             const tensor*, const void* hx, void* hy, const tensor*, const void* cx, void* cy,
                             std::size_t weight_bytes, const void* weights, std::size_t, void*,
                             std::size_t reserve_bytes, void* reserve) {
  if (d == nullptr || x_is == nullptr || y_is == nullptr) return bad_param_null;
  const char* const name = "cudnnRNNForward";
  if (const char* const what = unfit(*d, *x_is, *y_is); what != nullptr)
    return refuse(bankwise::formatted("{} with {}", name, what));
  const recurrent_shape s = shape_of(*d);
  const recurrent_batch b = batch_of(*x_is);
  const tensor record = record_shape(*d, s, b);
  if (weight_bytes < static_cast<std::size_t>(weights_count(s) * bytes_of(d->type)) ||
      (training != 0 && (reserve == nullptr || reserve_bytes < static_cast<std::size_t>(bytes_of(record)))))
    return bad_param;
  if (training != 0 && d->clip != 0) return refuse("training an LSTM whose cells are clipped");
  return perform(h, name, [&](routine& r) {
    r.by_blas();
    const operand in = reads(r, shape_of(*x_is), x), with = reads(r, packed(d->type, {weights_count(s)}), weights),
                  first_h = reads_if(r, state_shape(*d, s, b.sequences, s.outputs), hx),
                  first_c = reads_if(r, state_shape(*d, s, b.sequences, s.hidden), d->mode == lstm ? cx : nullptr);
    const result out = writes(r, shape_of(*y_is), y),
                 last_h = writes_if(r, state_shape(*d, s, b.sequences, s.outputs), hy),
                 last_c = writes_if(r, state_shape(*d, s, b.sequences, s.hidden), d->mode == lstm ? cy : nullptr),
                 keeps = writes_if(r, record, training != 0 ? reserve : nullptr);
    const float dropped = d->drop != nullptr && training != 0 && s.layers > 1 ? d->drop->probability : 0;
    const place<std::byte> states =
        dropped > 0 ? r.writes_bytes(reinterpret_cast<void*>(d->drop->states), sizeof(dropout_state))
                    : place<std::byte>();
    const double huge = std::numeric_limits<float>::infinity(), least = d->clip != 0 ? d->least : -huge,
                 most = d->clip != 0 ? d->most : huge;
    return r.perform([=, from = *x_is, to = *y_is](const view& v) {
      in_type_of(with.shape, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> kept(static_cast<std::size_t>(record_count(s, b)));
        for (index_t layer = 1; layer < s.layers; ++layer) {
          const index_t at = mask_of(s, b, layer), count = b.rows() * s.inputs_of(layer);
          if (dropped > 0) {
            const std::vector<float> mask = next_mask(states.at(v), dropped, static_cast<std::size_t>(count));
            std::copy(mask.begin(), mask.end(), kept.begin() + at);
          } else {
            std::fill_n(kept.begin() + at, count, T(1));
          }
        }
        recurrent_state<T> state{numbers_or_zeros<T>(first_h, v), numbers_or_zeros<T>(first_c, v)};
        const std::vector<T> made =
            run_recurrent(s, b, with.numbers<T>(v), unpacked(from, in.numbers<T>(v)), state, kept, least, most);
        out.put(v, packed_again(to, made));
        last_h.put(v, state.hidden);
        last_c.put(v, state.cell);
        keeps.put(v, kept);
      });
    });
  });
}

CUDA_API int cudnnRNNBackwardData_v8(const handle* h, const dnn_recurrent* d, const int*, const dnn_sequences* y_is,
                                     const void*, const void* dy, const dnn_sequences* x_is, void* dx, const tensor*,
                                     const void* hx, const void* dhy, void* dhx, const tensor*, const void* cx,
                                     const void* dcy, void* dcx, std::size_t weight_bytes, const void* weights,
                                     std::size_t, void*, std::size_t reserve_bytes, void* reserve) {
  if (d == nullptr || x_is == nullptr || y_is == nullptr || reserve == nullptr) return bad_param_null;
  const char* const name = "cudnnRNNBackwardData_v8";
  if (const char* const what = unfit(*d, *x_is, *y_is); what != nullptr)
    return refuse(bankwise::formatted("{} with {}", name, what));
  const recurrent_shape s = shape_of(*d);
  const recurrent_batch b = batch_of(*x_is);
  const tensor record = record_shape(*d, s, b);
  if (weight_bytes < static_cast<std::size_t>(weights_count(s) * bytes_of(d->type)) ||
      reserve_bytes < static_cast<std::size_t>(bytes_of(record)))
    return bad_param;
  return perform(h, name, [&](routine& r) {
    r.by_blas();
    const bool cells = d->mode == lstm;
    const tensor of_h = state_shape(*d, s, b.sequences, s.outputs), of_c = state_shape(*d, s, b.sequences, s.hidden);
    const operand given = reads(r, shape_of(*y_is), dy), with = reads(r, packed(d->type, {weights_count(s)}), weights),
                  first_h = reads_if(r, of_h, hx), first_c = reads_if(r, of_c, cells ? cx : nullptr),
                  last_h = reads_if(r, of_h, dhy), last_c = reads_if(r, of_c, cells ? dcy : nullptr),
                  kept = reads(r, record, reserve);
    const result out = writes_if(r, shape_of(*x_is), dx), to_h = writes_if(r, of_h, dhx),
                 to_c = writes_if(r, of_c, cells ? dcx : nullptr), keeps = writes(r, record, reserve);
    return r.perform([=, to = *x_is, from = *y_is](const view& v) {
      in_type_of(with.shape, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> all = kept.numbers<T>(v);
        const recurrent_state<T> first{numbers_or_zeros<T>(first_h, v), numbers_or_zeros<T>(first_c, v)};
        recurrent_state<T> slopes{numbers_or_zeros<T>(last_h, v), numbers_or_zeros<T>(last_c, v)};
        const std::vector<T> made =
            run_recurrent_back(s, b, with.numbers<T>(v), unpacked(from, given.numbers<T>(v)), first, slopes, all);
        out.put(v, packed_again(to, made));
        to_h.put(v, slopes.hidden);
        to_c.put(v, slopes.cell);
        keeps.put(v, all);
      });
    });
  });
}

CUDA_API int cudnnRNNBackwardWeights_v8(const handle* h, const dnn_recurrent* d, int sets, const int*,
                                        const dnn_sequences* x_is, const void* x, const tensor*, const void* hx,
                                        const dnn_sequences* y_is, const void*, std::size_t weight_bytes,
                                        void* dweights, std::size_t, void*, std::size_t reserve_bytes, void* reserve) {
  if (d == nullptr || x_is == nullptr || y_is == nullptr || reserve == nullptr) return bad_param_null;
  const char* const name = "cudnnRNNBackwardWeights_v8";
  if (const char* const what = unfit(*d, *x_is, *y_is); what != nullptr)
    return refuse(bankwise::formatted("{} with {}", name, what));
  const recurrent_shape s = shape_of(*d);
  const recurrent_batch b = batch_of(*x_is);
  const tensor record = record_shape(*d, s, b);
  if (weight_bytes < static_cast<std::size_t>(weights_count(s) * bytes_of(d->type)) ||
      reserve_bytes < static_cast<std::size_t>(bytes_of(record)))
    return bad_param;
  return perform(h, name, [&](routine& r) {
    r.by_blas();
    const operand in = reads(r, shape_of(*x_is), x), kept = reads(r, record, reserve),
                  first_h = reads_if(r, state_shape(*d, s, b.sequences, s.outputs), hx);
    // The mode determines whether the function replaces the old values or adds to them.
    const result to = writes(r, packed(d->type, {weights_count(s)}), dweights, 1, sets != 0 ? 0 : 1);
    return r.perform([=, from = *x_is](const view& v) {
      in_type_of(to.shape, [&](auto zero) {
        using T = decltype(zero);
        to.put(v, recurrent_weight_slopes(s, b, unpacked(from, in.numbers<T>(v)), numbers_or_zeros<T>(first_h, v),
                                          kept.numbers<T>(v)));
      });
    });
  });
}
