// cuDNN's descriptors: creation, settings, queries and destruction.
#include "math/dnn/dnn_descriptors.hpp"

#include "base/format.hpp"

using namespace bankwise::dnn;

namespace {

// Sets dimensions and strides from the program's ints. A tensor's descriptor does not contain its address.
status set_tensor(tensor* t, int type, int rank, const int* dims, const int* strides, int format = nchw) {
  if (t == nullptr || dims == nullptr) return bad_param_null;
  if (rank < 1 || rank > most_dimensions) return bad_param;
  if (format != nchw && format != nhwc) return refuse("a tensor in CUDNN_TENSOR_NCHW_VECT_C");
  tensor made;
  made.type = type;
  made.rank = rank;
  for (int d = 0; d < rank; ++d) made.dims[d] = dims[d];
  if (strides == nullptr)
    set_packed_strides(made, static_cast<tensor_format>(format));
  else
    for (int d = 0; d < rank; ++d) made.strides[d] = strides[d];
  if (bytes_of(type) == 0) return refuse(bankwise::formatted("a tensor of cudnnDataType_t {}", type));
  if (!is_sound(made)) return bad_param;
  *t = made;
  return success;
}
void give_dims(const index_t* from, int rank, int most, int* to) {
  if (to == nullptr) return;
  for (int d = 0; d < rank && d < most; ++d) to[d] = static_cast<int>(from[d]);
}
bool fits_axes(int rank) { return rank >= 1 && rank <= most_axes; }

}  // namespace

// --- tensors

CUDA_API int cudnnCreateTensorDescriptor(tensor** made) { return create(made); }
CUDA_API int cudnnDestroyTensorDescriptor(tensor* t) { return destroy(t); }
CUDA_API int cudnnSetTensor4dDescriptor(tensor* t, int format, int type, int n, int c, int h, int w) {
  const int dims[] = {n, c, h, w};
  return set_tensor(t, type, 4, dims, nullptr, format);
}
CUDA_API int cudnnSetTensor4dDescriptorEx(tensor* t, int type, int n, int c, int h, int w, int n_step, int c_step,
                                          int h_step, int w_step) {
  const int dims[] = {n, c, h, w}, strides[] = {n_step, c_step, h_step, w_step};
  return set_tensor(t, type, 4, dims, strides);
}
CUDA_API int cudnnSetTensorNdDescriptor(tensor* t, int type, int rank, const int* dims, const int* strides) {
  if (strides == nullptr) return bad_param_null;
  return set_tensor(t, type, rank, dims, strides);
}
CUDA_API int cudnnSetTensorNdDescriptorEx(tensor* t, int format, int type, int rank, const int* dims) {
  return set_tensor(t, type, rank, dims, nullptr, format);
}
CUDA_API int cudnnGetTensor4dDescriptor(const tensor* t, int* type, int* n, int* c, int* h, int* w, int* n_step,
                                        int* c_step, int* h_step, int* w_step) {
  if (t == nullptr) return bad_param_null;
  if (t->rank != 4) return bad_param;
  give(type, t->type);
  int* const dims[] = {n, c, h, w};
  int* const strides[] = {n_step, c_step, h_step, w_step};
  for (int d = 0; d < 4; ++d) {
    give(dims[d], t->dims[d]);
    give(strides[d], t->strides[d]);
  }
  return success;
}
CUDA_API int cudnnGetTensorNdDescriptor(const tensor* t, int asked, int* type, int* rank, int* dims, int* strides) {
  if (t == nullptr) return bad_param_null;
  give(type, t->type);
  give(rank, t->rank);
  give_dims(t->dims, t->rank, asked, dims);
  give_dims(t->strides, t->rank, asked, strides);
  return success;
}
CUDA_API int cudnnGetTensorSizeInBytes(const tensor* t, std::size_t* bytes) {
  if (t == nullptr || bytes == nullptr) return bad_param_null;
  *bytes = static_cast<std::size_t>(bytes_of(*t));
  return success;
}

// --- filters

CUDA_API int cudnnCreateFilterDescriptor(filter** made) { return create(made); }
CUDA_API int cudnnDestroyFilterDescriptor(filter* f) { return destroy(f); }
CUDA_API int cudnnSetFilterNdDescriptor(filter* f, int type, int format, int rank, const int* dims) {
  if (f == nullptr) return bad_param_null;
  f->format = format;
  return set_tensor(&f->shape, type, rank, dims, nullptr, format);
}
CUDA_API int cudnnSetFilter4dDescriptor(filter* f, int type, int format, int k, int c, int h, int w) {
  const int dims[] = {k, c, h, w};
  return cudnnSetFilterNdDescriptor(f, type, format, 4, dims);
}
CUDA_API int cudnnGetFilterNdDescriptor(const filter* f, int asked, int* type, int* format, int* rank, int* dims) {
  if (f == nullptr) return bad_param_null;
  give(type, f->shape.type);
  give(format, f->format);
  give(rank, f->shape.rank);
  give_dims(f->shape.dims, f->shape.rank, asked, dims);
  return success;
}
CUDA_API int cudnnGetFilter4dDescriptor(const filter* f, int* type, int* format, int* k, int* c, int* h, int* w) {
  if (f == nullptr) return bad_param_null;
  if (f->shape.rank != 4) return bad_param;
  give(type, f->shape.type);
  give(format, f->format);
  int* const dims[] = {k, c, h, w};
  for (int d = 0; d < 4; ++d) give(dims[d], f->shape.dims[d]);
  return success;
}
CUDA_API int cudnnGetFilterSizeInBytes(const filter* f, std::size_t* bytes) {
  if (f == nullptr) return bad_param_null;
  return cudnnGetTensorSizeInBytes(&f->shape, bytes);
}

// --- convolutions

CUDA_API int cudnnCreateConvolutionDescriptor(convolution** made) { return create(made); }
CUDA_API int cudnnDestroyConvolutionDescriptor(convolution* c) { return destroy(c); }
CUDA_API int cudnnSetConvolutionNdDescriptor(convolution* c, int rank, const int* padding, const int* stride,
                                             const int* dilation, int mode, int computed) {
  if (c == nullptr || padding == nullptr || stride == nullptr || dilation == nullptr) return bad_param_null;
  if (rank < 1 || (mode != convolution_flipped && mode != cross_correlation)) return bad_param;
  if (!fits_axes(rank)) return refuse(bankwise::formatted("a convolution of {} dimensions", rank));
  for (int d = 0; d < rank; ++d)
    if (padding[d] < 0 || stride[d] < 1 || dilation[d] < 1) return bad_param;
  c->rank = rank;
  c->mode = mode;
  c->computed = computed;
  for (int d = 0; d < rank; ++d) {
    c->before[d] = padding[d];
    c->stride[d] = stride[d];
    c->dilation[d] = dilation[d];
  }
  return success;
}
CUDA_API int cudnnSetConvolution2dDescriptor(convolution* c, int pad_h, int pad_w, int u, int v, int dilation_h,
                                             int dilation_w, int mode, int computed) {
  const int padding[] = {pad_h, pad_w}, stride[] = {u, v}, dilation[] = {dilation_h, dilation_w};
  return cudnnSetConvolutionNdDescriptor(c, 2, padding, stride, dilation, mode, computed);
}
CUDA_API int cudnnGetConvolutionNdDescriptor(const convolution* c, int asked, int* rank, int* padding, int* stride,
                                             int* dilation, int* mode, int* computed) {
  if (c == nullptr) return bad_param_null;
  give(rank, c->rank);
  give_dims(c->before, c->rank, asked, padding);
  give_dims(c->stride, c->rank, asked, stride);
  give_dims(c->dilation, c->rank, asked, dilation);
  give(mode, c->mode);
  give(computed, c->computed);
  return success;
}
CUDA_API int cudnnGetConvolution2dDescriptor(const convolution* c, int* pad_h, int* pad_w, int* u, int* v,
                                             int* dilation_h, int* dilation_w, int* mode, int* computed) {
  if (c == nullptr) return bad_param_null;
  if (c->rank != 2) return bad_param;
  give(pad_h, c->before[0]);
  give(pad_w, c->before[1]);
  give(u, c->stride[0]);
  give(v, c->stride[1]);
  give(dilation_h, c->dilation[0]);
  give(dilation_w, c->dilation[1]);
  give(mode, c->mode);
  give(computed, c->computed);
  return success;
}
#define CONVOLUTION_FIELD(Name, field)                                       \
  CUDA_API int cudnnSetConvolution##Name(convolution* c, int value) {        \
    if (c == nullptr) return bad_param_null;                                 \
    c->field = value;                                                        \
    return success;                                                          \
  }                                                                          \
  CUDA_API int cudnnGetConvolution##Name(const convolution* c, int* value) { \
    if (c == nullptr || value == nullptr) return bad_param_null;             \
    *value = c->field;                                                       \
    return success;                                                          \
  }
CONVOLUTION_FIELD(MathType, math_type)
CONVOLUTION_FIELD(GroupCount, groups)
CONVOLUTION_FIELD(ReorderType, reorder)

CUDA_API int cudnnGetConvolutionNdForwardOutputDim(const convolution* c, const tensor* x, const filter* w, int rank,
                                                   int* dims) {
  if (c == nullptr || x == nullptr || w == nullptr || dims == nullptr) return bad_param_null;
  if (rank != c->rank + 2 || x->rank != rank || w->shape.rank != rank) return bad_param;
  if (x->dims[1] != w->shape.dims[1] * c->groups) return bad_param;
  dims[0] = static_cast<int>(x->dims[0]);
  dims[1] = static_cast<int>(w->shape.dims[0]);
  for (int d = 0; d < c->rank; ++d)
    dims[d + 2] = static_cast<int>(
        results_of(x->dims[d + 2], 2 * c->before[d], w->shape.dims[d + 2], c->stride[d], c->dilation[d]));
  return success;
}
CUDA_API int cudnnGetConvolution2dForwardOutputDim(const convolution* c, const tensor* x, const filter* w, int* n,
                                                   int* channels, int* h, int* width) {
  int dims[4] = {};
  if (const int s = cudnnGetConvolutionNdForwardOutputDim(c, x, w, 4, dims); s != success) return s;
  give(n, dims[0]);
  give(channels, dims[1]);
  give(h, dims[2]);
  give(width, dims[3]);
  return success;
}

// --- pooling

CUDA_API int cudnnCreatePoolingDescriptor(pooling** made) { return create(made); }
CUDA_API int cudnnDestroyPoolingDescriptor(pooling* p) { return destroy(p); }
CUDA_API int cudnnSetPoolingNdDescriptor(pooling* p, int mode, int nan, int rank, const int* window, const int* padding,
                                         const int* stride) {
  if (p == nullptr || window == nullptr || padding == nullptr || stride == nullptr) return bad_param_null;
  if (mode < pool_max || mode > pool_max_deterministic || rank < 1) return bad_param;
  if (!fits_axes(rank)) return refuse(bankwise::formatted("pooling of {} dimensions", rank));
  for (int d = 0; d < rank; ++d)
    if (window[d] < 1 || padding[d] < 0 || stride[d] < 1 || padding[d] >= window[d]) return bad_param;
  p->mode = mode;
  p->nan = nan;
  p->rank = rank;
  for (int d = 0; d < rank; ++d) {
    p->window[d] = window[d];
    p->before[d] = padding[d];
    p->stride[d] = stride[d];
  }
  return success;
}
CUDA_API int cudnnSetPooling2dDescriptor(pooling* p, int mode, int nan, int window_h, int window_w, int pad_h,
                                         int pad_w, int stride_h, int stride_w) {
  const int window[] = {window_h, window_w}, padding[] = {pad_h, pad_w}, stride[] = {stride_h, stride_w};
  return cudnnSetPoolingNdDescriptor(p, mode, nan, 2, window, padding, stride);
}
CUDA_API int cudnnGetPoolingNdDescriptor(const pooling* p, int asked, int* mode, int* nan, int* rank, int* window,
                                         int* padding, int* stride) {
  if (p == nullptr) return bad_param_null;
  give(mode, p->mode);
  give(nan, p->nan);
  give(rank, p->rank);
  give_dims(p->window, p->rank, asked, window);
  give_dims(p->before, p->rank, asked, padding);
  give_dims(p->stride, p->rank, asked, stride);
  return success;
}
CUDA_API int cudnnGetPooling2dDescriptor(const pooling* p, int* mode, int* nan, int* window_h, int* window_w,
                                         int* pad_h, int* pad_w, int* stride_h, int* stride_w) {
  if (p == nullptr) return bad_param_null;
  if (p->rank != 2) return bad_param;
  give(mode, p->mode);
  give(nan, p->nan);
  give(window_h, p->window[0]);
  give(window_w, p->window[1]);
  give(pad_h, p->before[0]);
  give(pad_w, p->before[1]);
  give(stride_h, p->stride[0]);
  give(stride_w, p->stride[1]);
  return success;
}
CUDA_API int cudnnGetPoolingNdForwardOutputDim(const pooling* p, const tensor* x, int rank, int* dims) {
  if (p == nullptr || x == nullptr || dims == nullptr) return bad_param_null;
  if (x->rank != rank || rank != p->rank + 2) return bad_param;
  for (int d = 0; d < rank; ++d)
    dims[d] = static_cast<int>(
        d < 2 ? x->dims[d] : results_of(x->dims[d], 2 * p->before[d - 2], p->window[d - 2], p->stride[d - 2], 1));
  return success;
}
CUDA_API int cudnnGetPooling2dForwardOutputDim(const pooling* p, const tensor* x, int* n, int* c, int* h, int* w) {
  int dims[4] = {};
  if (const int s = cudnnGetPoolingNdForwardOutputDim(p, x, 4, dims); s != success) return s;
  give(n, dims[0]);
  give(c, dims[1]);
  give(h, dims[2]);
  give(w, dims[3]);
  return success;
}

// --- activations, local response

CUDA_API int cudnnCreateActivationDescriptor(activation** made) { return create(made); }
CUDA_API int cudnnDestroyActivationDescriptor(activation* a) { return destroy(a); }
CUDA_API int cudnnSetActivationDescriptor(activation* a, int mode, int nan, double coefficient) {
  if (a == nullptr) return bad_param_null;
  if (mode < sigmoid || mode > swish) return bad_param;
  a->mode = mode;
  a->nan = nan;
  a->coefficient = coefficient;
  return success;
}
CUDA_API int cudnnGetActivationDescriptor(const activation* a, int* mode, int* nan, double* coefficient) {
  if (a == nullptr) return bad_param_null;
  give(mode, a->mode);
  give(nan, a->nan);
  give(coefficient, a->coefficient);
  return success;
}
CUDA_API int cudnnSetActivationDescriptorSwishBeta(activation* a, double beta) {
  if (a == nullptr) return bad_param_null;
  a->swish_beta = beta;
  return success;
}
CUDA_API int cudnnGetActivationDescriptorSwishBeta(const activation* a, double* beta) {
  if (a == nullptr || beta == nullptr) return bad_param_null;
  *beta = a->swish_beta;
  return success;
}

CUDA_API int cudnnCreateLRNDescriptor(local_response** made) { return create(made); }
CUDA_API int cudnnDestroyLRNDescriptor(local_response* l) { return destroy(l); }
CUDA_API int cudnnSetLRNDescriptor(local_response* l, unsigned window, double alpha, double beta, double k) {
  if (l == nullptr) return bad_param_null;
  if (window < 1 || window > 16 || k < 1e-5 || beta < 0.01) return bad_param;
  *l = {window, alpha, beta, k};
  return success;
}
CUDA_API int cudnnGetLRNDescriptor(const local_response* l, unsigned* window, double* alpha, double* beta, double* k) {
  if (l == nullptr) return bad_param_null;
  give(window, l->window);
  give(alpha, l->alpha);
  give(beta, l->beta);
  give(k, l->k);
  return success;
}

// --- operations on tensors

CUDA_API int cudnnCreateOpTensorDescriptor(op_description** made) { return create(made); }
CUDA_API int cudnnDestroyOpTensorDescriptor(op_description* o) { return destroy(o); }
CUDA_API int cudnnSetOpTensorDescriptor(op_description* o, int op, int computed, int nan) {
  if (o == nullptr) return bad_param_null;
  if (op < op_add || op > op_not) return bad_param;
  *o = {op, computed, nan};
  return success;
}
CUDA_API int cudnnGetOpTensorDescriptor(const op_description* o, int* op, int* computed, int* nan) {
  if (o == nullptr) return bad_param_null;
  give(op, o->op);
  give(computed, o->computed);
  give(nan, o->nan);
  return success;
}
CUDA_API int cudnnCreateReduceTensorDescriptor(reduction** made) { return create(made); }
CUDA_API int cudnnDestroyReduceTensorDescriptor(reduction* r) { return destroy(r); }
CUDA_API int cudnnSetReduceTensorDescriptor(reduction* r, int op, int computed, int nan, int indices, int index_type) {
  if (r == nullptr) return bad_param_null;
  if (op < reduce_add || op > reduce_mul_no_zeros) return bad_param;
  *r = {op, computed, nan, indices, index_type};
  return success;
}
CUDA_API int cudnnGetReduceTensorDescriptor(const reduction* r, int* op, int* computed, int* nan, int* indices,
                                            int* index_type) {
  if (r == nullptr) return bad_param_null;
  give(op, r->op);
  give(computed, r->computed);
  give(nan, r->nan);
  give(indices, r->indices);
  give(index_type, r->index_type);
  return success;
}

// --- spatial transformers, connectionist temporal classification

CUDA_API int cudnnCreateSpatialTransformerDescriptor(spatial_transformer** made) { return create(made); }
CUDA_API int cudnnDestroySpatialTransformerDescriptor(spatial_transformer* s) { return destroy(s); }
CUDA_API int cudnnSetSpatialTransformerNdDescriptor(spatial_transformer* s, int sampler, int type, int rank,
                                                    const int* dims) {
  if (s == nullptr || dims == nullptr) return bad_param_null;
  if (sampler != 0 || rank < 1) return bad_param;
  if (rank != 4) return refuse(bankwise::formatted("a spatial transformer of {} dimensions", rank));
  // The grid has as many images as the tensor, and two numbers for each pixel.
  if (!is_sound(packed(type, {dims[0], dims[1], dims[2], dims[3], 2}))) return bad_param;
  s->sampler = sampler;
  s->type = type;
  s->rank = rank;
  for (int d = 0; d < rank; ++d) s->dims[d] = dims[d];
  return success;
}

CUDA_API int cudnnCreateCTCLossDescriptor(ctc_loss** made) { return create(made); }
CUDA_API int cudnnDestroyCTCLossDescriptor(ctc_loss* c) { return destroy(c); }
CUDA_API int cudnnSetCTCLossDescriptor_v9(ctc_loss* c, int computed, int normalisation, int gradient, int longest) {
  if (c == nullptr) return bad_param_null;
  if (normalisation < of_probabilities || normalisation > of_softmax) return bad_param;
  *c = {computed, normalisation, gradient, longest};
  return success;
}
// In this function, the enumerator for NaN propagation determines how to treat sequences with more labels than steps.
CUDA_API int cudnnSetCTCLossDescriptor_v8(ctc_loss* c, int computed, int normalisation, int nan, int longest) {
  return cudnnSetCTCLossDescriptor_v9(c, computed, normalisation, nan, longest);
}
CUDA_API int cudnnSetCTCLossDescriptorEx(ctc_loss* c, int computed, int normalisation, int nan) {
  return cudnnSetCTCLossDescriptor_v9(c, computed, normalisation, nan, 0);
}
CUDA_API int cudnnSetCTCLossDescriptor(ctc_loss* c, int computed) {
  return cudnnSetCTCLossDescriptor_v9(c, computed, of_probabilities, zero_gradient, 0);
}
CUDA_API int cudnnGetCTCLossDescriptor_v9(const ctc_loss* c, int* computed, int* normalisation, int* gradient,
                                          int* longest) {
  if (c == nullptr) return bad_param_null;
  give(computed, c->computed);
  give(normalisation, c->normalisation);
  give(gradient, c->gradient);
  give(longest, c->longest_label);
  return success;
}
CUDA_API int cudnnGetCTCLossDescriptor_v8(const ctc_loss* c, int* computed, int* normalisation, int* nan,
                                          int* longest) {
  return cudnnGetCTCLossDescriptor_v9(c, computed, normalisation, nan, longest);
}
CUDA_API int cudnnGetCTCLossDescriptorEx(const ctc_loss* c, int* computed, int* normalisation, int* nan) {
  return cudnnGetCTCLossDescriptor_v9(c, computed, normalisation, nan, nullptr);
}
CUDA_API int cudnnGetCTCLossDescriptor(const ctc_loss* c, int* computed) {
  return cudnnGetCTCLossDescriptor_v9(c, computed, nullptr, nullptr, nullptr);
}
