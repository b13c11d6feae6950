// Handles and descriptors of cuSPARSE. The contents of a descriptor are checked when a program passes it to a function.
#include "math/common/objects.hpp"
#include "math/sparse/cusparse_entries.hpp"

using namespace bankwise::math;
using bankwise::cuda::stream;

namespace {

constexpr int major = 12, minor = 6, patch = 3;

using library = statuses<sparse_invalid_value, sparse_alloc_failed>;
template <class T>
int make(T** made, std::type_identity_t<std::remove_const_t<T>> value = {}) {
  return library::make(made, std::move(value));
}
template <class T>
int destroy(T* made) {
  return library::destroy(made);
}
int number_of_products(const product_description* d, std::int64_t* count) {
  return d == nullptr ? int{sparse_invalid_value} : library::put(count, d->result->products);
}
int make_info(pivot_info** made) { return make(made, std::make_shared<pivot_state>()); }

template <class D, class T, class V>
int get_value(const D* d, T D::*field, V* to) {
  return d == nullptr ? int{sparse_invalid_value} : library::put(to, d->*field);
}
template <class D, class T>
int set_value(D* d, T D::*field, T value) {
  if (d == nullptr) return sparse_invalid_value;
  d->*field = value;
  return sparse_success;
}
int set_number(matrix_description* d, int matrix_description::*field, int value, int most) {
  return value < 0 || value > most ? int{sparse_invalid_value} : set_value(d, field, value);
}

bool is_kind(int type, int index_kind, int base) {
  return bytes_of(type) != 0 && index_kind >= index_16 && index_kind <= index_64 && (base == 0 || base == 1);
}
void* changeable(const void* p) { return const_cast<void*>(p); }
template <class M>
int make_lines(M** made, int format, index_t rows, index_t columns, index_t count, const void* offsets,
               const void* indices, const void* values, int offsets_type, int indices_type, int base, int type) {
  if (rows < 0 || columns < 0 || count < 0 || !fits_memory({rows}) || !fits_memory({columns}) ||
      !fits_memory({count}) || !is_kind(type, offsets_type, base) || !is_kind(type, indices_type, base))
    return sparse_invalid_value;
  sparse_matrix m;
  m.format = format;
  m.rows = rows;
  m.columns = columns;
  m.count = count;
  m.offsets = changeable(offsets);
  m.indices = changeable(indices);
  m.values = changeable(values);
  m.offsets_type = offsets_type;
  m.indices_type = indices_type;
  m.base = base;
  m.type = type;
  return make(made, M(m));
}
template <class M>
int make_blocks(M** made, index_t rows, index_t columns, index_t count, index_t block_rows, index_t block_columns,
                const void* offsets, const void* indices, const void* values, int offsets_type, int indices_type,
                int base, int type, int order) {
  if (block_rows < 1 || block_columns < 1 || !fits_memory({count, block_rows, block_columns}) ||
      !fits_memory({rows, block_rows}) || !fits_memory({columns, block_columns}) ||
      (order != by_rows && order != by_columns))
    return sparse_invalid_value;
  if (const int s =
          make_lines(made, bsr, rows, columns, count, offsets, indices, values, offsets_type, indices_type, base, type);
      s != sparse_success)
    return s;
  auto* const m = const_cast<sparse_matrix*>(*made);
  m->block_rows = block_rows;
  m->block_columns = block_columns;
  m->blocks_by_rows = order == by_rows;
  return sparse_success;
}
// Writes a value if the pointer is not null. Programs pass null if they do not need the value.
template <class T>
void tell(T* to, std::type_identity_t<T> value) {
  if (to != nullptr) *to = value;
}
template <class P>
int get_lines(const sparse_matrix* m, int format, index_t* rows, index_t* columns, index_t* count, P* offsets,
              P* indices, P* values, int* offsets_type, int* indices_type, int* base, int* type) {
  if (m == nullptr || m->format != format) return sparse_invalid_value;
  tell(rows, m->rows);
  tell(columns, m->columns);
  tell(count, m->count);
  tell(offsets, m->offsets);
  tell(indices, m->indices);
  tell(values, m->values);
  tell(offsets_type, m->offsets_type);
  tell(indices_type, m->indices_type);
  tell(base, m->base);
  tell(type, m->type);
  return sparse_success;
}
int get_size(const sparse_matrix* m, index_t* rows, index_t* columns, index_t* count) {
  if (m == nullptr) return sparse_invalid_value;
  tell(rows, m->rows);
  tell(columns, m->columns);
  tell(count, m->count);
  return sparse_success;
}
int set_batch(sparse_matrix* m, int format, int batch, index_t offsets, index_t indices, index_t values) {
  if (m == nullptr || m->format != format || batch < 1 || offsets < 0 || indices < 0 || values < 0 ||
      !fits_memory({batch, std::max({offsets, indices, values})}))
    return sparse_invalid_value;
  m->batch = batch;
  m->offsets_stride = offsets;
  m->indices_stride = indices;
  m->values_stride = values;
  return sparse_success;
}
int set_pointers(sparse_matrix* m, void* offsets, void* indices, void* values) {
  if (m == nullptr) return sparse_invalid_value;
  m->offsets = offsets;
  m->indices = indices;
  m->values = values;
  return sparse_success;
}
int* attribute_of(sparse_matrix& m, int attribute, std::size_t bytes) {
  if (bytes != sizeof(int)) return nullptr;
  return attribute == fill_attribute ? &m.part : attribute == diagonal_attribute ? &m.unit : nullptr;
}
int get_attribute(const sparse_matrix* m, int attribute, void* data, std::size_t bytes) {
  if (m == nullptr || data == nullptr) return sparse_invalid_value;
  sparse_matrix copy = *m;
  const int* const value = attribute_of(copy, attribute, bytes);
  return value == nullptr ? int{sparse_invalid_value} : library::put(static_cast<int*>(data), *value);
}
int set_attribute(sparse_matrix* m, int attribute, const void* data, std::size_t bytes) {
  if (m == nullptr || data == nullptr) return sparse_invalid_value;
  return library::put(attribute_of(*m, attribute, bytes), *static_cast<const int*>(data));
}

template <class M>
int make_dense(M** made, index_t rows, index_t columns, index_t lead, const void* values, int type, int order) {
  const dense_matrix m{rows, columns, lead, changeable(values), type, order, 1, 0};
  if (bytes_of(type) == 0 || (order != by_columns && order != by_rows) || !is_valid(m)) return sparse_invalid_value;
  return make(made, M(m));
}
template <class P>
int get_dense(const dense_matrix* m, index_t* rows, index_t* columns, index_t* lead, P* values, int* type, int* order) {
  if (m == nullptr) return sparse_invalid_value;
  tell(rows, m->rows);
  tell(columns, m->columns);
  tell(lead, m->lead);
  tell(values, m->values);
  tell(type, m->type);
  tell(order, m->order);
  return sparse_success;
}
int set_batch(dense_matrix* m, int batch, index_t stride) {
  if (m == nullptr || batch < 1 || stride < 0 || !fits_memory({batch, stride})) return sparse_invalid_value;
  m->batch = batch;
  m->stride = stride;
  return sparse_success;
}
int get_batch(const dense_matrix* m, int* batch, index_t* stride) {
  if (m == nullptr) return sparse_invalid_value;
  tell(batch, m->batch);
  tell(stride, m->stride);
  return sparse_success;
}
template <class V>
int make_dense_vector(V** made, index_t size, const void* values, int type) {
  if (size < 0 || !fits_memory({size}) || bytes_of(type) == 0) return sparse_invalid_value;
  return make(made, V{size, changeable(values), type});
}
template <class P>
int get_dense_vector(const dense_vector* v, index_t* size, P* values, int* type) {
  if (v == nullptr) return sparse_invalid_value;
  tell(size, v->size);
  tell(values, v->values);
  tell(type, v->type);
  return sparse_success;
}
template <class V>
int make_sparse_vector(V** made, index_t size, index_t count, const void* indices, const void* values, int index_kind,
                       int base, int type) {
  if (size < 0 || !fits_memory({size}) || count < 0 || count > size || !is_kind(type, index_kind, base))
    return sparse_invalid_value;
  return make(made, V{size, count, changeable(indices), changeable(values), index_kind, base, type});
}
template <class P>
int get_sparse_vector(const sparse_vector* v, index_t* size, index_t* count, P* indices, P* values, int* index_kind,
                      int* base, int* type) {
  if (v == nullptr) return sparse_invalid_value;
  tell(size, v->size);
  tell(count, v->count);
  tell(indices, v->indices);
  tell(values, v->values);
  tell(index_kind, v->index_type);
  tell(base, v->base);
  tell(type, v->type);
  return sparse_success;
}

constexpr status_words all_statuses[] = {
    {0, "CUSPARSE_STATUS_SUCCESS", "success"},
    {1, "CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {2, "CUSPARSE_STATUS_ALLOC_FAILED", "insufficient resources"},
    {3, "CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {4, "CUSPARSE_STATUS_ARCH_MISMATCH", "the architecture is not supported"},
    {5, "CUSPARSE_STATUS_MAPPING_ERROR", "an access to the memory of the device failed"},
    {6, "CUSPARSE_STATUS_EXECUTION_FAILED", "the program of the device failed"},
    {7, "CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {8, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "the type of the matrix is not supported"},
    {9, "CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {10, "CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {11, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

}  // namespace

CUDA_API int cusparseCreate(handle** made) { return make(made); }
CUDA_API int cusparseDestroy(handle* h) { return library::close(h); }
CUDA_API int cusparseGetVersion(handle*, int* version) {
  return library::put(version, major * 1000 + minor * 100 + patch);
}
CUDA_API int cusparseGetProperty(int which, int* value) {
  return library::put_version(which, value, {major, minor, patch});
}
CUDA_API int cusparseSetStream(handle* h, stream* on) { return library::set(h, &handle::on, on); }
CUDA_API int cusparseGetStream(handle* h, stream** on) { return library::get(h, &handle::on, on); }
CUDA_API int cusparseSetPointerMode(handle* h, int mode) {
  if (mode != pointers_on_host && mode != pointers_on_device) return sparse_invalid_value;
  return library::set(h, &handle::pointers, mode);
}
CUDA_API int cusparseGetPointerMode(handle* h, int* mode) { return library::get(h, &handle::pointers, mode); }
CUDA_API const char* cusparseGetErrorName(int s) {
  const status_words* const w = find_status(all_statuses, s);
  return w == nullptr ? "unrecognized error code" : w->name;
}
CUDA_API const char* cusparseGetErrorString(int s) {
  const status_words* const w = find_status(all_statuses, s);
  return w == nullptr ? "unrecognized error code" : w->text;
}
CUDA_API int cusparseLoggerSetLevel(int) { return sparse_success; }
CUDA_API int cusparseLoggerSetMask(int) { return sparse_success; }
CUDA_API int cusparseLoggerForceDisable() { return sparse_success; }

#undef ENTRY
#define ENTRY(name, parameters, call) \
  CUDA_API int name parameters { return call; }
#include "math/sparse/cusparse_descriptors.def"
