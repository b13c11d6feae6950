// cuDNN's spatial transformers, with their gradients. A matrix for each image determines a grid of positions, at which
// the image is sampled. Positions may be between pixels. -1 and 1 are the centres of the outermost pixels.
#include <cmath>

#include "math/dnn/dnn_descriptors.hpp"

using namespace bankwise::dnn;

namespace {

double place_of(index_t i, index_t count) {
  return count > 1 ? -1 + 2 * static_cast<double>(i) / static_cast<double>(count - 1) : -1;
}
tensor theta_shape(const spatial_transformer& s) { return packed(s.type, {s.dims[0], 2, 3}); }
tensor grid_shape(const spatial_transformer& s) { return packed(s.type, {s.dims[0], s.dims[2], s.dims[3], 2}); }

// One of the four pixels around a position, with its weight, and the derivatives of the weight with respect to the
// position.
struct corner {
  index_t x = 0, y = 0;
  double weight = 0, by_x = 0, by_y = 0;
};
template <class F>
void for_corners(double x, double y, index_t width, index_t height, F body) {
  const double at_x = (x + 1) / 2 * static_cast<double>(width - 1),
               at_y = (y + 1) / 2 * static_cast<double>(height - 1);
  if (!(std::fabs(at_x) < 1e9 && std::fabs(at_y) < 1e9)) return;
  const auto low_x = static_cast<index_t>(std::floor(at_x)), low_y = static_cast<index_t>(std::floor(at_y));
  const double part_x = at_x - static_cast<double>(low_x), part_y = at_y - static_cast<double>(low_y);
  const double per_x = static_cast<double>(width - 1) / 2, per_y = static_cast<double>(height - 1) / 2;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) {
      const corner c{low_x + i, low_y + j, (i == 0 ? 1 - part_x : part_x) * (j == 0 ? 1 - part_y : part_y),
                     (i == 0 ? -1 : 1) * (j == 0 ? 1 - part_y : part_y) * per_x,
                     (j == 0 ? -1 : 1) * (i == 0 ? 1 - part_x : part_x) * per_y};
      if (c.x >= 0 && c.x < width && c.y >= 0 && c.y < height) body(c);
    }
}
bool fits(const spatial_transformer& s, const tensor& x, const tensor& y) {
  return s.rank == 4 && is_sound(x) && is_sound(y) && x.rank == 4 && y.rank == 4 && x.dims[0] == s.dims[0] &&
         y.dims[0] == s.dims[0] && x.dims[1] == y.dims[1] && y.dims[2] == s.dims[2] && y.dims[3] == s.dims[3];
}

}  // namespace

CUDA_API int cudnnSpatialTfGridGeneratorForward(const handle* h, const spatial_transformer* s, const void* theta,
                                                void* grid) {
  if (s == nullptr) return bad_param_null;
  if (s->rank != 4) return bad_param;
  return perform(h, "cudnnSpatialTfGridGeneratorForward", [&](routine& r) {
    const operand from = reads(r, theta_shape(*s), theta);
    const result to = writes(r, grid_shape(*s), grid);
    return r.perform([=, shape = *s](const view& v) {
      const std::vector<double> matrices = from.numbers<double>(v);
      std::vector<double> places;
      for (index_t n = 0; n < shape.dims[0]; ++n)
        for (index_t y = 0; y < shape.dims[2]; ++y)
          for (index_t x = 0; x < shape.dims[3]; ++x)
            for (index_t row = 0; row < 2; ++row) {
              const double* const m = matrices.data() + n * 6 + row * 3;
              places.push_back(m[0] * place_of(x, shape.dims[3]) + m[1] * place_of(y, shape.dims[2]) + m[2]);
            }
      to.put(v, places);
    });
  });
}
CUDA_API int cudnnSpatialTfGridGeneratorBackward(const handle* h, const spatial_transformer* s, const void* dgrid,
                                                 void* dtheta) {
  if (s == nullptr) return bad_param_null;
  if (s->rank != 4) return bad_param;
  return perform(h, "cudnnSpatialTfGridGeneratorBackward", [&](routine& r) {
    const operand from = reads(r, grid_shape(*s), dgrid);
    const result to = writes(r, theta_shape(*s), dtheta);
    return r.perform([=, shape = *s](const view& v) {
      const std::vector<double> given = from.numbers<double>(v);
      std::vector<double> sums(static_cast<std::size_t>(shape.dims[0] * 6));
      std::size_t i = 0;
      for (index_t n = 0; n < shape.dims[0]; ++n)
        for (index_t y = 0; y < shape.dims[2]; ++y)
          for (index_t x = 0; x < shape.dims[3]; ++x)
            for (index_t row = 0; row < 2; ++row, ++i) {
              double* const m = sums.data() + n * 6 + row * 3;
              m[0] += given[i] * place_of(x, shape.dims[3]);
              m[1] += given[i] * place_of(y, shape.dims[2]);
              m[2] += given[i];
            }
      to.put(v, sums);
    });
  });
}

CUDA_API int cudnnSpatialTfSamplerForward(const handle* h, const spatial_transformer* s, const void* alpha,
                                          const tensor* x_shape, const void* x, const void* grid, const void* beta,
                                          const tensor* y_shape, void* y) {
  if (s == nullptr || x_shape == nullptr || y_shape == nullptr) return bad_param_null;
  if (!fits(*s, *x_shape, *y_shape)) return bad_param;
  return perform(h, "cudnnSpatialTfSamplerForward", [&](routine& r) {
    const operand from = reads(r, *x_shape, x), places = reads(r, grid_shape(*s), grid);
    const result to = writes(r, *y_shape, y, factor(*y_shape, alpha, 1), factor(*y_shape, beta, 0));
    return r.perform([=](const view& v) {
      const std::vector<double> pixels = from.numbers<double>(v), at = places.numbers<double>(v);
      const index_t channels = from.shape.dims[1], height = from.shape.dims[2], width = from.shape.dims[3],
                    results = to.shape.dims[2] * to.shape.dims[3];
      std::vector<double> made(static_cast<std::size_t>(count_of(to.shape)));
      for (index_t n = 0; n < from.shape.dims[0]; ++n)
        for (index_t p = 0; p < results; ++p)
          for_corners(at[(n * results + p) * 2], at[(n * results + p) * 2 + 1], width, height, [&](const corner& c) {
            for (index_t channel = 0; channel < channels; ++channel)
              made[(n * channels + channel) * results + p] +=
                  c.weight * pixels[((n * channels + channel) * height + c.y) * width + c.x];
          });
      to.put(v, made);
    });
  });
}
CUDA_API int cudnnSpatialTfSamplerBackward(const handle* h, const spatial_transformer* s, const void* alpha,
                                           const tensor* x_shape, const void* x, const void* beta,
                                           const tensor* dx_shape, void* dx, const void* alpha_of_grid,
                                           const tensor* dy_shape, const void* dy, const void* grid,
                                           const void* beta_of_grid, void* dgrid) {
  if (s == nullptr || x_shape == nullptr || dx_shape == nullptr || dy_shape == nullptr) return bad_param_null;
  if (!fits(*s, *x_shape, *dy_shape) || !is_sound(*dx_shape) || !same_dims(*x_shape, *dx_shape)) return bad_param;
  return perform(h, "cudnnSpatialTfSamplerBackward", [&](routine& r) {
    const operand from = reads(r, *x_shape, x), given = reads(r, *dy_shape, dy),
                  places = reads(r, grid_shape(*s), grid);
    const result to = writes(r, *dx_shape, dx, factor(*dx_shape, alpha, 1), factor(*dx_shape, beta, 0)),
                 to_grid = writes(r, grid_shape(*s), dgrid, factor(*dx_shape, alpha_of_grid, 1),
                                  factor(*dx_shape, beta_of_grid, 0));
    return r.perform([=](const view& v) {
      const std::vector<double> pixels = from.numbers<double>(v), at = places.numbers<double>(v),
                                slopes = given.numbers<double>(v);
      const index_t channels = from.shape.dims[1], height = from.shape.dims[2], width = from.shape.dims[3],
                    results = given.shape.dims[2] * given.shape.dims[3];
      std::vector<double> image(pixels.size()), grid_made(at.size());
      for (index_t n = 0; n < from.shape.dims[0]; ++n)
        for (index_t p = 0; p < results; ++p) {
          const index_t place = (n * results + p) * 2;
          for_corners(at[place], at[place + 1], width, height, [&](const corner& c) {
            for (index_t channel = 0; channel < channels; ++channel) {
              const index_t pixel = ((n * channels + channel) * height + c.y) * width + c.x;
              const double slope = slopes[(n * channels + channel) * results + p];
              image[pixel] += slope * c.weight;
              grid_made[place] += slope * pixels[pixel] * c.by_x;
              grid_made[place + 1] += slope * pixels[pixel] * c.by_y;
            }
          });
        }
      to.put(v, image);
      to_grid.put(v, grid_made);
    });
  });
}
