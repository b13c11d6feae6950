// Why a launch failed during its call, and which call or change helps.
#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "cubin/kernel_names.hpp"
#include "emulate/launch/launch_check.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/launch/limits.hpp"

namespace bankwise::cuda {

namespace {

std::array<std::uint32_t, 3> sides_of(const dim3& d) { return {d.x, d.y, d.z}; }

// A limit that the program can raise by a call.
diagnostic beyond_dynamic_shared(const function& f, const launch_shape& shape, const cubin::launch_limits& most) {
  return {formatted("the launch asks for {} bytes of dynamic shared memory, but the kernel is allowed only {} bytes",
                    grouped(shape.dynamic_shared_bytes), grouped(most.dynamic_shared_bytes)),
          {},
          formatted("call cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {}) before the launch",
                    f.kernel->name, shape.dynamic_shared_bytes)};
}

// The reason why the launch is beyond a limit. Empty if it is within all limits.
diagnostic beyond_limits(const function& f, const launch_shape& shape) {
  using limit = cubin::launch_limit;
  cubin::launch_limits most = limits_of(f);
  emulate::launch l;
  l.program = &*f.owner->program;
  l.kernel = f.kernel;
  l.grid = sides_of(shape.grid);
  l.block = sides_of(shape.block);
  l.cluster = shape.cluster.x != 0 ? sides_of(shape.cluster) : f.cluster;
  l.dynamic_shared_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(shape.dynamic_shared_bytes, ~0u));
  l.cooperative = shape.cooperative;
  l.large_clusters = f.large_clusters;
  cubin::launch_request asked{l.grid, l.block, l.cluster, shape.dynamic_shared_bytes, l.cooperative};
  limit beyond = cubin::first_beyond(asked, most);
  if (beyond == limit::none) return {};
  if (beyond == limit::dynamic_shared) {
    // With the largest limit, another limit may be left.
    cubin::launch_limits raised = most;
    raised.dynamic_shared_bytes = ~std::uint64_t{0};
    const limit other = cubin::first_beyond(asked, raised);
    if (other != limit::shared) return beyond_dynamic_shared(f, shape, most);
    beyond = other;
  }
  diagnostic why = emulate::describe_beyond(beyond, l, most);
  if (beyond == limit::grid)
    why.hint = "X of a grid must be 1 to 2147483647, and Y and Z must be 1 to 65535";
  else if (beyond == limit::block)
    why.hint = "X and Y of a block must be 1 to 1024, and Z must be 1 to 64";
  else if (beyond == limit::threads)
    why.hint = "launch more blocks with fewer threads each";
  else if (beyond == limit::shared)
    why.hint = "use smaller arrays in shared memory";
  return why;
}

diagnostic reason_of(const function* f, const launch_shape& shape, error e) {
  if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorInvalidPtx || e == cudaErrorUnsupportedPtxVersion)
    return {formatted("the program has no code of this kernel for {}", the_device().one.name),
            {},
            formatted("compile with nvcc -arch={}, or let bankwise emulate another GPU with {}", the_device().one.name,
                      worded(setting::arch))};
  if (f == nullptr || f->kernel == nullptr)
    return {"the program has no such kernel", {}, "check that the kernel's code is linked into the program"};
  if (diagnostic why = beyond_limits(*f, shape); !why.message.empty()) return why;
  if (e == cudaErrorInvalidValue)
    return {formatted("the arguments do not match the kernel, which has {} with {} in total",
                      count_of(f->kernel->params.size(), "parameter"),
                      count_of(cubin::parameter_bytes(*f->kernel), "byte")),
            {},
            "pass a pointer to each argument of the kernel"};
  return {formatted("the launch failed with {}", name_of_status("cuda", e)), {}, {}};
}

}  // namespace

error refuse(state& s, const function* f, const launch_shape& shape, error e, bool by_arrows) {
  ++s.errors.launches;
  if (e == cudaSuccess || s.sticky != cudaSuccess) return e;
  const diagnostic why = reason_of(f, shape, e);
  s.errors.refused = refused_launch{.kernel = f == nullptr           ? ""
                                              : f->kernel != nullptr ? f->kernel->full_name
                                                                     : cubin::demangle(f->name),
                                    .grid = sides_of(shape.grid),
                                    .block = sides_of(shape.block),
                                    .dynamic_shared_bytes = shape.dynamic_shared_bytes,
                                    .why = why.message,
                                    .hint = why.hint,
                                    .number = s.errors.launches,
                                    .by_arrows = by_arrows};
  return e;
}

}  // namespace bankwise::cuda
