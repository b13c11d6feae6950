// cuFFT: plans, which are identified by numbers, and transforms in the streams of the plans.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "math/common/library_version.hpp"
#include "math/common/routine.hpp"
#include "math/fft/fourier.hpp"

using namespace bankwise::math;

namespace {

enum fft_status : int {
  done,
  invalid_plan,
  out_of_memory,
  invalid_type,
  invalid_argument,
  exec_failed = 6,
  invalid_size = 8,
  unsupported = 16,
};
enum fft_type : int { c2c = 0x29, r2c = 0x2a, c2r = 0x2c, z2z = 0x69, d2z = 0x6a, z2d = 0x6c };

// The positions of the elements in an input or an output.
struct side_layout {
  std::vector<index_t> embed;  // one number for each dimension; the first is not used
  index_t step = 1, distance = 0;
  bool packed = true;  // whether the elements have the default layout of the type
};

struct plan {
  bool made = false;
  int type = c2c;
  std::vector<index_t> sizes;
  side_layout in, out;
  index_t batch = 1;
  bankwise::cuda::stream* on = nullptr;
  std::vector<std::shared_ptr<const fourier>> along;  // the transforms, one for each dimension
};

struct all_plans {
  std::mutex mutex;
  std::map<int, plan> by_number;
  int next = 1;
};
all_plans& plans() {
  static all_plans& all = *new all_plans;
  return all;
}

bool is_double(int type) { return (type & 0x40) != 0; }
bool reads_real(int type) { return type == r2c || type == d2z; }
bool writes_real(int type) { return type == c2r || type == z2d; }
index_t bytes_in(int type) { return (is_double(type) ? 8 : 4) * (reads_real(type) ? 1 : 2); }
index_t bytes_out(int type) { return (is_double(type) ? 8 : 4) * (writes_real(type) ? 1 : 2); }

// Returns the sizes of the input or of the output of a transform. `halved` is set if this side is complex and the other
// side is real. The last dimension then has half as many complex numbers as real numbers, plus one.
std::vector<index_t> sizes_of(const plan& p, bool halved) {
  std::vector<index_t> s = p.sizes;
  if (halved) s.back() = s.back() / 2 + 1;
  return s;
}
side_layout packed_layout(const plan& p, bool real, bool padded) {
  side_layout l;
  l.embed = sizes_of(p, !real && (reads_real(p.type) || writes_real(p.type)));
  if (padded) l.embed.back() = (p.sizes.back() / 2 + 1) * 2;
  l.distance = 1;
  for (const index_t e : l.embed) l.distance *= e;
  return l;
}

// Returns the position of the first element in a row of the last dimension. `row` combines the indices of all other
// dimensions.
index_t row_begin(const side_layout& l, const std::vector<index_t>& sizes, index_t row) {
  index_t at = 0, scale = 1;
  for (std::size_t d = sizes.size() - 1; d-- > 0;) {
    scale *= l.embed[d + 1];
    at += row % sizes[d] * scale;
    row /= sizes[d];
  }
  return at * l.step;
}
index_t reach(const side_layout& l, const std::vector<index_t>& sizes, index_t batch) {
  index_t rows = 1;
  for (std::size_t d = 0; d + 1 < sizes.size(); ++d) rows *= sizes[d];
  return (batch - 1) * l.distance + row_begin(l, sizes, rows - 1) + (sizes.back() - 1) * l.step + 1;
}

cdouble load_number(const std::byte* at, bool real, bool doubles) {
  if (real) return doubles ? load<double>(at) : static_cast<double>(load<float>(at));
  return doubles ? load<cdouble>(at) : cdouble(load<cfloat>(at));
}
void store_number(std::byte* at, cdouble x, bool real, bool doubles) {
  if (real && doubles) return store(at, x.real());
  if (real) return store(at, static_cast<float>(x.real()));
  doubles ? store(at, x) : store(at, cfloat(x));
}

void transform_one(const plan& p, const side_layout& in, const side_layout& out, const std::byte* from, std::byte* to,
                   int sign) {
  const bool real_in = reads_real(p.type), real_out = writes_real(p.type), doubles = is_double(p.type);
  const std::vector<index_t> in_sizes = sizes_of(p, real_out), out_sizes = sizes_of(p, real_in),
                             inner = sizes_of(p, real_in || real_out);
  const index_t width = p.sizes.back(), half = inner.back();
  index_t rows = 1;
  for (std::size_t d = 0; d + 1 < p.sizes.size(); ++d) rows *= p.sizes[d];
  std::vector<cdouble> all(static_cast<std::size_t>(rows * half)), line;
  for (index_t row = 0; row < rows; ++row) {
    line.assign(static_cast<std::size_t>(width), 0);
    const std::byte* const begin = from + row_begin(in, in_sizes, row) * bytes_in(p.type);
    for (index_t i = 0; i < in_sizes.back(); ++i)
      line[i] = load_number(begin + i * in.step * bytes_in(p.type), real_in, doubles);
    if (!real_out) p.along.back()->transform(line.data(), sign);
    std::copy_n(line.begin(), half, all.begin() + row * half);
  }
  index_t below = half;  // distance between neighbouring elements of a dimension
  for (std::size_t d = p.sizes.size() - 1; d-- > 0;) {
    const index_t size = p.sizes[d];
    line.resize(static_cast<std::size_t>(size));
    for (index_t block = 0; block < rows * half / (below * size); ++block)
      for (index_t i = 0; i < below; ++i) {
        cdouble* const begin = all.data() + block * below * size + i;
        for (index_t k = 0; k < size; ++k) line[k] = begin[k * below];
        p.along[d]->transform(line.data(), sign);
        for (index_t k = 0; k < size; ++k) begin[k * below] = line[k];
      }
    below *= size;
  }
  for (index_t row = 0; row < rows; ++row) {
    line.assign(static_cast<std::size_t>(width), 0);
    std::copy_n(all.begin() + row * half, half, line.begin());
    if (real_out) {
      // The result is real. So the second half of the input follows from the first half.
      line[0] = line[0].real();
      for (index_t i = half; i < width; ++i) line[i] = std::conj(line[width - i]);
      if (width % 2 == 0) line[width / 2] = line[width / 2].real();
      p.along.back()->transform(line.data(), sign);
    }
    std::byte* const begin = to + row_begin(out, out_sizes, row) * bytes_out(p.type);
    for (index_t i = 0; i < out_sizes.back(); ++i)
      store_number(begin + i * out.step * bytes_out(p.type), line[i], real_out, doubles);
  }
}

// Returns what a GPU computes in a transform: 2.5 n log2(n) multiplications with additions, half of them if one side is
// real. A kernel transforms up to 2^13 elements of a line in shared memory, so longer lines and further dimensions need
// further passes over all elements.
bankwise::cuda::library_work gpu_work(const plan& p) {
  constexpr double bits_of_a_pass = 13;
  double elements = static_cast<double>(p.batch), bits = 0, passes = 0;
  for (const index_t s : p.sizes) {
    const double bits_of_line = std::log2(static_cast<double>(std::max<index_t>(s, 2)));
    elements *= static_cast<double>(s);
    bits += bits_of_line;
    passes += std::ceil(bits_of_line / bits_of_a_pass);
  }
  const bool is_real = reads_real(p.type) || writes_real(p.type);
  bankwise::cuda::library_work w;
  w.in = is_double(p.type) ? bankwise::cuda::arithmetic::twice : bankwise::cuda::arithmetic::single;
  w.operations = 2.5 * elements * bits * (is_real ? 0.5 : 1);
  w.passes = passes;
  return w;
}

int execute(int number, const char* name, const void* from, void* to, int sign, std::initializer_list<int> types) {
  plan p;
  {
    all_plans& all = plans();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_number.find(number);
    if (found == all.by_number.end() || !found->second.made) return invalid_plan;
    p = found->second;
  }
  if (std::find(types.begin(), types.end(), p.type) == types.end()) return invalid_type;
  if (sign != 1 && sign != -1) return invalid_argument;
  if (from == nullptr || to == nullptr) return invalid_argument;
  handle h;
  h.on = p.on;
  routine r(&h, name);
  const bool in_place = from == to;
  side_layout in = p.in, out = p.out;
  if (in.packed) in = packed_layout(p, reads_real(p.type), in_place && reads_real(p.type));
  if (out.packed) out = packed_layout(p, writes_real(p.type), in_place && writes_real(p.type));
  const auto x = r.reads_bytes(from, reach(in, sizes_of(p, writes_real(p.type)), p.batch) * bytes_in(p.type));
  const auto y = r.writes_bytes(to, reach(out, sizes_of(p, reads_real(p.type)), p.batch) * bytes_out(p.type));
  double work = static_cast<double>(p.batch) * 40;
  for (const index_t s : p.sizes) work *= static_cast<double>(s);
  r.work(gpu_work(p));
  const status s = r.perform([=](const view& v) {
    const std::byte* const source = x.at(v);
    std::byte* const target = y.at(v);
    for_each(p.batch, in_place && in.distance * bytes_in(p.type) != out.distance * bytes_out(p.type) ? 0 : work,
             [&](index_t b) {
               transform_one(p, in, out, source + b * in.distance * bytes_in(p.type),
                             target + b * out.distance * bytes_out(p.type), sign);
             });
  });
  return s == success ? done : s == alloc_failed ? out_of_memory : exec_failed;
}

template <class I>
int make_plan(int number, int rank, const I* sizes, const I* in_embed, I in_step, I in_distance, const I* out_embed,
              I out_step, I out_distance, int type, I batch, std::size_t* work) {
  plan p;
  if (rank < 1 || rank > 3 || sizes == nullptr) return invalid_argument;
  if (type != c2c && type != r2c && type != c2r && type != z2z && type != d2z && type != z2d) return invalid_type;
  constexpr index_t most = index_t{1} << 32;
  for (int d = 0; d < rank; ++d)
    if (sizes[d] < 1 || static_cast<index_t>(sizes[d]) > most) return invalid_size;
  if (batch < 1) return invalid_argument;
  p.type = type;
  p.sizes.assign(sizes, sizes + rank);
  p.batch = batch;
  // A program passes a layout for the input and the output, or for neither.
  if (in_embed != nullptr && out_embed != nullptr) {
    if (in_step < 1 || out_step < 1 || in_distance < 0 || out_distance < 0) return invalid_argument;
    p.in = {{in_embed, in_embed + rank}, in_step, in_distance, false};
    p.out = {{out_embed, out_embed + rank}, out_step, out_distance, false};
    for (int d = 1; d < rank; ++d)
      if (in_embed[d] < 1 || out_embed[d] < 1) return invalid_argument;
  }
  try {
    for (const index_t s : p.sizes) {
      std::shared_ptr<const fourier> same;
      for (std::size_t d = 0; d < p.along.size(); ++d)
        if (p.sizes[d] == s) same = p.along[d];
      p.along.push_back(same != nullptr ? same : std::make_shared<const fourier>(static_cast<std::size_t>(s)));
    }
  } catch (const std::bad_alloc&) {
    return out_of_memory;
  }
  all_plans& all = plans();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_number.find(number);
  if (found == all.by_number.end() || found->second.made) return invalid_plan;
  p.on = found->second.on;
  p.made = true;
  found->second = std::move(p);
  if (work != nullptr) *work = 0;
  return done;
}
int make_plan(int number, std::initializer_list<int> sizes, int type, int batch, std::size_t* work) {
  return make_plan<int>(number, static_cast<int>(sizes.size()), sizes.begin(), nullptr, 1, 0, nullptr, 1, 0, type,
                        batch, work);
}

int create(int* made) {
  if (made == nullptr) return invalid_argument;
  all_plans& all = plans();
  const std::lock_guard lock(all.mutex);
  *made = all.next++;
  all.by_number[*made];
  return done;
}
template <class Make>
int create_and(int* made, Make make) {
  int number = 0;
  if (made == nullptr) return invalid_argument;
  if (const int s = create(&number); s != done) return s;
  const int s = make(number);
  if (s == done) {
    *made = number;
  } else {
    all_plans& all = plans();
    const std::lock_guard lock(all.mutex);
    all.by_number.erase(number);
  }
  return s;
}
template <class Body>
int with_plan(int number, Body body) {
  all_plans& all = plans();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_number.find(number);
  return found == all.by_number.end() ? int{invalid_plan} : body(found->second);
}
int nothing(std::size_t* work) {
  if (work == nullptr) return invalid_argument;
  *work = 0;
  return done;
}
// Returns the type of a transform with these types of input and output.
int type_between(int from, int to) {
  if (from == c32 && to == c32) return c2c;
  if (from == c64 && to == c64) return z2z;
  if (from == f32 && to == c32) return r2c;
  if (from == f64 && to == c64) return d2z;
  if (from == c32 && to == f32) return c2r;
  return from == c64 && to == f64 ? z2d : 0;
}

}  // namespace

CUDA_API int cufftCreate(int* made) { return create(made); }
CUDA_API int cufftDestroy(int number) {
  all_plans& all = plans();
  const std::lock_guard lock(all.mutex);
  return all.by_number.erase(number) != 0 ? done : invalid_plan;
}
CUDA_API int cufftSetStream(int number, bankwise::cuda::stream* on) {
  return with_plan(number, [&](plan& p) {
    p.on = on;
    return int{done};
  });
}
CUDA_API int cufftGetVersion(int* version) {
  if (version == nullptr) return invalid_argument;
  *version = number_of(library_version, 1000);
  return done;
}
CUDA_API int cufftGetProperty(int which, int* value) {
  if (value == nullptr || which < 0 || which > 2) return invalid_argument;
  *value = part_of(library_version, which);
  return done;
}
// No work area is needed.
CUDA_API int cufftSetWorkArea(int number, void*) {
  return with_plan(number, [](plan&) { return int{done}; });
}
CUDA_API int cufftSetAutoAllocation(int number, int) {
  return with_plan(number, [](plan&) { return int{done}; });
}
CUDA_API int cufftXtSetWorkAreaPolicy(int number, int, std::size_t*) {
  return with_plan(number, [](plan&) { return int{done}; });
}
CUDA_API int cufftGetSize(int number, std::size_t* work) {
  return with_plan(number, [&](plan&) { return nothing(work); });
}
CUDA_API int cufftEstimate1d(int, int, int, std::size_t* work) { return nothing(work); }
CUDA_API int cufftEstimate2d(int, int, int, std::size_t* work) { return nothing(work); }
CUDA_API int cufftEstimate3d(int, int, int, int, std::size_t* work) { return nothing(work); }
CUDA_API int cufftEstimateMany(int, int*, int*, int, int, int*, int, int, int, int, std::size_t* work) {
  return nothing(work);
}
CUDA_API int cufftGetSize1d(int, int, int, int, std::size_t* work) { return nothing(work); }
CUDA_API int cufftGetSize2d(int, int, int, int, std::size_t* work) { return nothing(work); }
CUDA_API int cufftGetSize3d(int, int, int, int, int, std::size_t* work) { return nothing(work); }
CUDA_API int cufftGetSizeMany(int, int, int*, int*, int, int, int*, int, int, int, int, std::size_t* work) {
  return nothing(work);
}
CUDA_API int cufftGetSizeMany64(int, int, long long*, long long*, long long, long long, long long*, long long,
                                long long, int, long long, std::size_t* work) {
  return nothing(work);
}

CUDA_API int cufftMakePlan1d(int number, int nx, int type, int batch, std::size_t* work) {
  return make_plan(number, {nx}, type, batch, work);
}
CUDA_API int cufftMakePlan2d(int number, int nx, int ny, int type, std::size_t* work) {
  return make_plan(number, {nx, ny}, type, 1, work);
}
CUDA_API int cufftMakePlan3d(int number, int nx, int ny, int nz, int type, std::size_t* work) {
  return make_plan(number, {nx, ny, nz}, type, 1, work);
}
CUDA_API int cufftMakePlanMany(int number, int rank, int* sizes, int* in_embed, int in_step, int in_distance,
                               int* out_embed, int out_step, int out_distance, int type, int batch, std::size_t* work) {
  return make_plan<int>(number, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step, out_distance, type,
                        batch, work);
}
CUDA_API int cufftMakePlanMany64(int number, int rank, long long* sizes, long long* in_embed, long long in_step,
                                 long long in_distance, long long* out_embed, long long out_step,
                                 long long out_distance, int type, long long batch, std::size_t* work) {
  return make_plan<long long>(number, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step, out_distance,
                              type, batch, work);
}
CUDA_API int cufftXtMakePlanMany(int number, int rank, long long* sizes, long long* in_embed, long long in_step,
                                 long long in_distance, int in_type, long long* out_embed, long long out_step,
                                 long long out_distance, int out_type, long long batch, std::size_t* work, int) {
  const int type = type_between(in_type, out_type);
  if (type == 0) return unsupported;
  return make_plan<long long>(number, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step, out_distance,
                              type, batch, work);
}
CUDA_API int cufftPlan1d(int* made, int nx, int type, int batch) {
  return create_and(made, [&](int number) { return make_plan(number, {nx}, type, batch, nullptr); });
}
CUDA_API int cufftPlan2d(int* made, int nx, int ny, int type) {
  return create_and(made, [&](int number) { return make_plan(number, {nx, ny}, type, 1, nullptr); });
}
CUDA_API int cufftPlan3d(int* made, int nx, int ny, int nz, int type) {
  return create_and(made, [&](int number) { return make_plan(number, {nx, ny, nz}, type, 1, nullptr); });
}
CUDA_API int cufftPlanMany(int* made, int rank, int* sizes, int* in_embed, int in_step, int in_distance, int* out_embed,
                           int out_step, int out_distance, int type, int batch) {
  return create_and(made, [&](int number) {
    return make_plan<int>(number, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step, out_distance, type,
                          batch, nullptr);
  });
}

CUDA_API int cufftExecC2C(int number, const void* from, void* to, int sign) {
  return execute(number, __func__, from, to, sign, {c2c});
}
CUDA_API int cufftExecZ2Z(int number, const void* from, void* to, int sign) {
  return execute(number, __func__, from, to, sign, {z2z});
}
CUDA_API int cufftExecR2C(int number, const void* from, void* to) {
  return execute(number, __func__, from, to, -1, {r2c});
}
CUDA_API int cufftExecD2Z(int number, const void* from, void* to) {
  return execute(number, __func__, from, to, -1, {d2z});
}
CUDA_API int cufftExecC2R(int number, const void* from, void* to) {
  return execute(number, __func__, from, to, 1, {c2r});
}
CUDA_API int cufftExecZ2D(int number, const void* from, void* to) {
  return execute(number, __func__, from, to, 1, {z2d});
}
CUDA_API int cufftXtExec(int number, const void* from, void* to, int sign) {
  int type = 0;
  if (const int s = with_plan(number, [&](plan& p) { return type = p.type, int{done}; }); s != done) return s;
  return execute(number, __func__, from, to,
                 reads_real(type)    ? -1
                 : writes_real(type) ? 1
                                     : sign,
                 {c2c, z2z, r2c, d2z, c2r, z2d});
}
