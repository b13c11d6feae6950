// Entry points of the driver: modules, libraries, the linker, functions, launches, occupancy.
#include <chrono>
#include <cstring>

#include "allocation.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "device.hpp"
#include "driver_call.hpp"
#include "jit.hpp"
#include "limits.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

// --- options of the compiler: numbers and values that stand in two arrays, a value being a number or a pointer

// Where the program wants to read what was said.
struct jit_report {
  char *info = nullptr, *error = nullptr;
  std::size_t info_room = 0, error_room = 0;
  void **info_used = nullptr, **error_used = nullptr, **wall_time = nullptr;
};

struct jit_request {
  jit_options options;
  jit_report report;
  std::string log;
};

void read_options(jit_request& r, unsigned count, const jit_option* options, void** values) {
  for (unsigned i = 0; options != nullptr && values != nullptr && i < count; ++i) {
    const auto number = reinterpret_cast<std::uintptr_t>(values[i]);
    switch (options[i]) {
      case jit_max_registers: r.options.most_registers = static_cast<unsigned>(number); break;
      case jit_optimization: r.options.optimization = static_cast<int>(number); break;
      case jit_info_buffer: r.report.info = static_cast<char*>(values[i]); break;
      case jit_info_bytes:
        r.report.info_room = static_cast<unsigned>(number);
        r.report.info_used = &values[i];
        break;
      case jit_error_buffer: r.report.error = static_cast<char*>(values[i]); break;
      case jit_error_bytes:
        r.report.error_room = static_cast<unsigned>(number);
        r.report.error_used = &values[i];
        break;
      case jit_wall_time: r.report.wall_time = &values[i]; break;
      default: break;  // what the device is, and how to cache
    }
  }
}

void write_text(const std::string& text, char* to, std::size_t room, void** used) {
  const std::size_t n = to != nullptr && room > 0 ? std::min(text.size(), room - 1) : 0;
  if (to != nullptr && room > 0) {
    std::memcpy(to, text.data(), n);
    to[n] = '\0';
  }
  if (used != nullptr) *used = reinterpret_cast<void*>(static_cast<std::uintptr_t>(n));
}

// Tells the program what was said: as information, or as errors.
void answer(const jit_request& r, bool went_well, std::chrono::steady_clock::time_point began) {
  write_text(went_well ? r.log : std::string(), r.report.info, r.report.info_room, r.report.info_used);
  write_text(went_well ? std::string() : r.log, r.report.error, r.report.error_room, r.report.error_used);
  if (r.report.wall_time != nullptr) {
    const std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - began;
    const float milliseconds = time.count();
    std::memcpy(r.report.wall_time, &milliseconds, sizeof milliseconds);
  }
}

error load_image(state& s, module** made, byte_span image, jit_request& r) {
  if (made == nullptr || image.empty()) return cudaErrorInvalidValue;
  const auto began = std::chrono::steady_clock::now();
  error why = cudaSuccess;
  *made = load_module(s, image, r.options, r.log, why);
  answer(r, *made != nullptr, began);
  return why;
}

driver_status load_data(module** made, const void* image, unsigned count, const jit_option* options, void** values,
                        const char* entry = __builtin_FUNCTION()) {
  return context_call(
      [&](state& s) {
        jit_request r;
        read_options(r, count, options, values);
        const error e = load_image(s, made, image_at(image), r);
        if (e == cudaSuccess) (*made)->owner = current_context();
        return e;
      },
      entry);
}

error load_file(state& s, module** made, const char* path, jit_request& r) {
  if (path == nullptr) return cudaErrorInvalidValue;
  const auto text = read_file(path);
  return text ? load_image(s, made, bytes_of(*text), r) : cudaErrorFileNotFound;
}

// --- handles

module* find_module(state& s, const module* handle) {
  for (const auto& m : s.modules)
    if (m.get() == handle && load(s, *m) == cudaSuccess) return m.get();
  return nullptr;
}

template <class Body>
driver_status with_module(const module* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call(
      [&](state& s) {
        module* m = find_module(s, handle);
        return m != nullptr ? body(s, *m) : cudaErrorInvalidResourceHandle;
      },
      entry);
}

template <class Body>
driver_status with_function(const function* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call(
      [&](state& s) {
        function* f = nullptr;
        const error e = find_kernel(s, handle, f);
        return e == cudaSuccess ? body(s, *f) : e;
      },
      entry);
}

driver_status tell_function(function** to, const module* handle, const char* name,
                            const char* entry = __builtin_FUNCTION()) {
  return with_module(
      handle,
      [&](state&, module& m) {
        if (to == nullptr || name == nullptr) return cudaErrorInvalidValue;
        *to = find_function(m, name);
        return *to != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
      },
      entry);
}

driver_status tell_global(device_pointer* address, std::size_t* bytes, const module* handle, const char* name,
                          const char* entry = __builtin_FUNCTION()) {
  return with_module(
      handle,
      [&](state&, module& m) {
        const variable* v = name != nullptr ? find_variable(m, name) : nullptr;
        if (name == nullptr) return cudaErrorInvalidValue;
        if (v == nullptr) return cudaErrorSymbolNotFound;
        if (address != nullptr) *address = v->address;
        if (bytes != nullptr) *bytes = v->bytes;
        return cudaSuccess;
      },
      entry);
}

error list_functions(const module& m, function** to, unsigned count) {
  unsigned n = 0;
  for (const auto& f : m.functions)
    if (f->kernel != nullptr && n < count) to[n++] = f.get();
  return cudaSuccess;
}

driver_status count_functions(unsigned* count, const module* handle) {
  return with_module(handle,
                     [&](state&, module& m) { return put(count, static_cast<unsigned>(m.program->kernels.size())); });
}

driver_status tell_attribute(int* value, driver_function_attribute which, const function* handle) {
  return with_function(handle, [&](state&, const function& f) {
    switch (which) {
      case most_threads_attribute: return put(value, static_cast<int>(most_threads(f)));
      case static_shared_attribute: return put(value, static_cast<int>(f.kernel->static_shared_bytes));
      case constant_attribute: return put(value, static_cast<int>(constant_bytes(*f.owner)));
      case local_attribute: return put(value, static_cast<int>(f.kernel->frame_bytes));
      case registers_attribute: return put(value, static_cast<int>(f.kernel->registers));
      case ptx_version_attribute:
      case binary_version_attribute: return put(value, static_cast<int>(the_device().sm));
      case max_dynamic_shared_attribute: return put(value, static_cast<int>(f.max_dynamic_shared_bytes));
      case carveout_attribute: return put(value, f.carveout);
      default: {
        int answer = 0;
        cluster_attribute(f, which, answer);
        return which < driver_function_attributes && which >= 0 ? put(value, answer) : cudaErrorInvalidValue;
      }
    }
  });
}

driver_status change_attribute(const function* handle, driver_function_attribute which, int value) {
  return with_function(handle, [&](state&, function& f) {
    if (which == max_dynamic_shared_attribute) return set_max_dynamic_shared(f, value);
    if (which == carveout_attribute) return set_carveout(f, value);
    return which < driver_function_attributes && which > carveout_attribute ? set_cluster_attribute(f, which, value)
                                                                            : cudaErrorInvalidValue;
  });
}

driver_status tell_name(const char** name, const function* handle) {
  return with_function(handle, [&](state&, const function& f) { return put(name, f.name.c_str()); });
}

driver_status tell_parameter(const function* handle, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return with_function(handle, [&](state&, const function& f) {
    if (offset == nullptr || index >= f.kernel->params.size()) return cudaErrorInvalidValue;
    *offset = f.kernel->params[index].offset;
    if (bytes != nullptr) *bytes = f.kernel->params[index].bytes;
    return cudaSuccess;
  });
}

// --- launches

// The bytes of the parameters that stand in `extra`: pairs of a name and a value.
error read_extra(void** extra, byte_span& parameters) {
  const std::byte* buffer = nullptr;
  const std::size_t* bytes = nullptr;
  for (; reinterpret_cast<std::uintptr_t>(*extra) != launch_end; extra += 2) {
    const auto name = reinterpret_cast<std::uintptr_t>(*extra);
    if (name == launch_buffer)
      buffer = static_cast<const std::byte*>(extra[1]);
    else if (name == launch_buffer_size)
      bytes = static_cast<const std::size_t*>(extra[1]);
    else
      return cudaErrorInvalidValue;
  }
  if (buffer == nullptr || bytes == nullptr) return cudaErrorInvalidValue;
  parameters = {buffer, *bytes};
  return cudaSuccess;
}

error read_config(const driver_launch_config* config, launch_shape& shape) {
  if (config == nullptr) return cudaErrorInvalidValue;
  shape = {{config->grid_x, config->grid_y, config->grid_z},
           {config->block_x, config->block_y, config->block_z},
           config->dynamic_shared_bytes};
  return read_attributes(config->attributes, config->attribute_count, shape);
}
// What a launch would be, for a question about clusters.
template <class Answer>
driver_status ask_clusters(int* to, const function* handle, const driver_launch_config* config, Answer answer) {
  return with_function(handle, [&](state&, const function& f) {
    launch_shape shape;
    const error e = read_config(config, shape);
    return e != cudaSuccess ? e : put(to, answer(f, shape));
  });
}

driver_status launch(const function* handle, const launch_shape& shape, stream* on, void** arguments, void** extra,
                     const char* entry = __builtin_FUNCTION()) {
  return context_call(
      [&](state& s) {
        function* f = nullptr;
        if (const error e = find_kernel(s, handle, f); e != cudaSuccess) return e;
        if (arguments != nullptr && extra != nullptr) return cudaErrorInvalidValue;
        call c;
        byte_span parameters;
        error e = extra != nullptr ? read_extra(extra, parameters) : cudaSuccess;
        if (e == cudaSuccess)
          e = extra != nullptr ? make_call(*f, shape, parameters, c) : make_call(*f, shape, arguments, c);
        return e == cudaSuccess ? enqueue(s, on, std::move(c)) : e;
      },
      entry);
}

using shared_of_block = std::size_t (*)(int threads);

// --- the linker

struct link_state {
  jit_request request;
  std::vector<link_input> inputs;
  std::vector<std::byte> made;
};

std::map<const link_state*, std::unique_ptr<link_state>>& links() {
  static auto* const all = new std::map<const link_state*, std::unique_ptr<link_state>>;
  return *all;
}

error add_input(link_state* l, jit_input kind, byte_span bytes, const std::string& name) {
  if (!links().contains(l) || bytes.empty()) return cudaErrorInvalidValue;
  if (kind == input_nvvm) {
    say("the linker does not take NVVM IR, only PTX, cubins, fatbins, objects and libraries");
    return cudaErrorNotSupported;
  }
  l->inputs.push_back({name, kind == input_ptx, {bytes.begin(), bytes.end()}});
  return cudaSuccess;
}

driver_status create_link(unsigned count, const jit_option* options, void** values, link_state** made) {
  return context_call([&](state&) {
    if (made == nullptr) return cudaErrorInvalidValue;
    auto l = std::make_unique<link_state>();
    read_options(l->request, count, options, values);
    *made = l.get();
    links()[*made] = std::move(l);
    return cudaSuccess;
  });
}
driver_status add_link_data(link_state* l, jit_input kind, const void* data, std::size_t bytes, const char* name) {
  return driver_call([&](state&) {
    if (data == nullptr) return cudaErrorInvalidValue;
    return add_input(l, kind, {static_cast<const std::byte*>(data), bytes}, name != nullptr ? name : "what was added");
  });
}
driver_status add_link_file(link_state* l, jit_input kind, const char* path) {
  return driver_call([&](state&) {
    if (path == nullptr) return cudaErrorInvalidValue;
    const auto text = read_file(path);
    return text ? add_input(l, kind, bytes_of(*text), path) : cudaErrorFileNotFound;
  });
}

}  // namespace

// --- modules

CUDA_API driver_status cuModuleLoad(module** made, const char* path) {
  return context_call([&](state& s) {
    jit_request r;
    const error e = load_file(s, made, path, r);
    if (e == cudaSuccess) (*made)->owner = current_context();
    return e;
  });
}
CUDA_API driver_status cuModuleLoadData(module** made, const void* image) {
  return load_data(made, image, 0, nullptr, nullptr);
}
CUDA_API driver_status cuModuleLoadDataEx(module** made, const void* image, unsigned count, jit_option* options,
                                          void** values) {
  return load_data(made, image, count, options, values);
}
CUDA_API driver_status cuModuleLoadFatBinary(module** made, const void* image) {
  return load_data(made, image, 0, nullptr, nullptr);
}
CUDA_API driver_status cuModuleUnload(module* handle) {
  return with_module(handle, [](state& s, module& m) {
    unload(s, m);
    return cudaSuccess;
  });
}
CUDA_API driver_status cuModuleGetFunction(function** to, module* handle, const char* name) {
  return tell_function(to, handle, name);
}
CUDA_API driver_status cuModuleGetFunctionCount(unsigned* count, module* handle) {
  return count_functions(count, handle);
}
CUDA_API driver_status cuModuleEnumerateFunctions(function** to, unsigned count, module* handle) {
  return with_module(handle, [&](state&, module& m) { return list_functions(m, to, to != nullptr ? count : 0); });
}
CUDA_API driver_status cuModuleGetGlobal_v2(device_pointer* address, std::size_t* bytes, module* handle,
                                            const char* name) {
  return tell_global(address, bytes, handle, name);
}
CUDA_API driver_status cuModuleGetLoadingMode(int* mode) {
  return driver_call([&](state&) { return put(mode, 1); });  // eager
}

// --- libraries: modules that belong to no context

CUDA_API driver_status cuLibraryLoadData(module** made, const void* image, jit_option* options, void** values,
                                         unsigned count, void*, void**, unsigned) {
  return driver_call([&](state& s) {
    jit_request r;
    read_options(r, count, options, values);
    return load_image(s, made, image_at(image), r);
  });
}
CUDA_API driver_status cuLibraryLoadFromFile(module** made, const char* path, jit_option* options, void** values,
                                             unsigned count, void*, void**, unsigned) {
  return driver_call([&](state& s) {
    jit_request r;
    read_options(r, count, options, values);
    return load_file(s, made, path, r);
  });
}
CUDA_API driver_status cuLibraryUnload(module* handle) { return cuModuleUnload(handle); }
CUDA_API driver_status cuLibraryGetKernel(function** to, module* handle, const char* name) {
  return tell_function(to, handle, name);
}
CUDA_API driver_status cuLibraryGetKernelCount(unsigned* count, module* handle) {
  return count_functions(count, handle);
}
CUDA_API driver_status cuLibraryEnumerateKernels(function** to, unsigned count, module* handle) {
  return with_module(handle, [&](state&, module& m) { return list_functions(m, to, to != nullptr ? count : 0); });
}
CUDA_API driver_status cuLibraryGetModule(module** to, module* handle) {
  return with_module(handle, [&](state&, module& m) { return put(to, &m); });
}
CUDA_API driver_status cuLibraryGetGlobal(device_pointer* address, std::size_t* bytes, module* handle,
                                          const char* name) {
  return tell_global(address, bytes, handle, name);
}

CUDA_API driver_status cuKernelGetFunction(function** to, function* handle) {
  return with_function(handle, [&](state&, function& f) { return put(to, &f); });
}
CUDA_API driver_status cuKernelGetLibrary(module** to, function* handle) {
  return with_function(handle, [&](state&, function& f) { return put(to, f.owner); });
}
CUDA_API driver_status cuKernelGetAttribute(int* value, driver_function_attribute which, function* handle, int) {
  return tell_attribute(value, which, handle);
}
CUDA_API driver_status cuKernelSetAttribute(driver_function_attribute which, int value, function* handle, int) {
  return change_attribute(handle, which, value);
}
CUDA_API driver_status cuKernelSetCacheConfig(function* handle, int, int) {
  return with_function(handle, [](state&, function&) { return cudaSuccess; });
}
CUDA_API driver_status cuKernelGetName(const char** name, function* handle) { return tell_name(name, handle); }
CUDA_API driver_status cuKernelGetParamInfo(function* handle, std::size_t index, std::size_t* offset,
                                            std::size_t* bytes) {
  return tell_parameter(handle, index, offset, bytes);
}

// --- functions

CUDA_API driver_status cuFuncGetAttribute(int* value, driver_function_attribute which, function* handle) {
  return tell_attribute(value, which, handle);
}
CUDA_API driver_status cuFuncSetAttribute(function* handle, driver_function_attribute which, int value) {
  return change_attribute(handle, which, value);
}
CUDA_API driver_status cuFuncSetCacheConfig(function* handle, int) {
  return with_function(handle, [](state&, function&) { return cudaSuccess; });
}
CUDA_API driver_status cuFuncSetSharedMemConfig(function* handle, int) { return cuFuncSetCacheConfig(handle, 0); }
CUDA_API driver_status cuFuncGetModule(module** to, function* handle) {
  return with_function(handle, [&](state&, function& f) { return put(to, f.owner); });
}
CUDA_API driver_status cuFuncGetName(const char** name, function* handle) { return tell_name(name, handle); }
CUDA_API driver_status cuFuncGetParamInfo(function* handle, std::size_t index, std::size_t* offset,
                                          std::size_t* bytes) {
  return tell_parameter(handle, index, offset, bytes);
}
CUDA_API driver_status cuFuncIsLoaded(int* loaded, function* handle) {
  return with_function(handle, [&](state&, function&) { return put(loaded, 1); });
}
CUDA_API driver_status cuFuncLoad(function* handle) { return cuFuncSetCacheConfig(handle, 0); }

// --- launches

CUDA_API driver_status cuLaunchKernel(function* handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, stream* on,
                                      void** arguments, void** extra) {
  return launch(handle, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, false}, on, arguments, extra);
}
CUDA_API driver_status cuLaunchCooperativeKernel(function* handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                                 stream* on, void** arguments) {
  return launch(handle, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, true}, on, arguments, nullptr);
}
CUDA_API driver_status cuLaunchKernelEx(const driver_launch_config* config, function* handle, void** arguments,
                                        void** extra) {
  launch_shape shape;
  if (const error e = read_config(config, shape); e != cudaSuccess) return status_of(e);
  return launch(handle, shape, config->on, arguments, extra);
}
CUDA_API driver_status cuLaunchHostFunc(stream* on, host_function called, void* data) {
  return context_call([&](state& s) {
    return called != nullptr ? enqueue(s, on, host_call{called, nullptr, on, data}) : cudaErrorInvalidValue;
  });
}

// --- occupancy

CUDA_API driver_status cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, function* handle, int threads,
                                                                            std::size_t shared, unsigned) {
  return with_function(handle, [&](state&, const function& f) {
    return threads > 0 ? put(blocks, blocks_that_fit(f, threads, shared)) : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, function* handle, int threads,
                                                                   std::size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, shared, 0);
}
CUDA_API driver_status cuOccupancyMaxActiveClusters(int* clusters, function* handle,
                                                    const driver_launch_config* config) {
  return ask_clusters(clusters, handle, config, clusters_that_fit);
}
CUDA_API driver_status cuOccupancyMaxPotentialClusterSize(int* blocks, function* handle,
                                                          const driver_launch_config* config) {
  return ask_clusters(blocks, handle, config, largest_cluster);
}
CUDA_API driver_status cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, function* handle,
                                                                 shared_of_block shared_of, std::size_t shared,
                                                                 int most_threads_of_block, unsigned) {
  return with_function(handle, [&](state&, const function& f) {
    if (grid == nullptr || block == nullptr) return cudaErrorInvalidValue;
    const auto [threads, blocks] =
        best_block(f, most_threads_of_block, [&](int n) { return shared_of != nullptr ? shared_of(n) : shared; });
    *block = threads;
    *grid = blocks * static_cast<int>(the_device().gpu.multiprocessors);
    return cudaSuccess;
  });
}
CUDA_API driver_status cuOccupancyMaxPotentialBlockSize(int* grid, int* block, function* handle,
                                                        shared_of_block shared_of, std::size_t shared,
                                                        int most_threads_of_block) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, handle, shared_of, shared, most_threads_of_block, 0);
}
CUDA_API driver_status cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, function* handle, int blocks,
                                                               int threads) {
  return with_function(handle, [&](state&, const function& f) {
    return bytes != nullptr ? shared_that_fits(f, blocks, threads, *bytes) : cudaErrorInvalidValue;
  });
}

// --- the linker

CUDA_API driver_status cuLinkCreate(unsigned count, jit_option* options, void** values, link_state** made) {
  return create_link(count, options, values, made);
}
CUDA_API driver_status cuLinkCreate_v2(unsigned count, jit_option* options, void** values, link_state** made) {
  return create_link(count, options, values, made);
}
CUDA_API driver_status cuLinkAddData(link_state* l, jit_input kind, void* data, std::size_t bytes, const char* name,
                                     unsigned, jit_option*, void**) {
  return add_link_data(l, kind, data, bytes, name);
}
CUDA_API driver_status cuLinkAddData_v2(link_state* l, jit_input kind, void* data, std::size_t bytes, const char* name,
                                        unsigned, jit_option*, void**) {
  return add_link_data(l, kind, data, bytes, name);
}
CUDA_API driver_status cuLinkAddFile(link_state* l, jit_input kind, const char* path, unsigned, jit_option*, void**) {
  return add_link_file(l, kind, path);
}
CUDA_API driver_status cuLinkAddFile_v2(link_state* l, jit_input kind, const char* path, unsigned, jit_option*,
                                        void**) {
  return add_link_file(l, kind, path);
}
CUDA_API driver_status cuLinkComplete(link_state* l, void** image, std::size_t* bytes) {
  return driver_call([&](state&) {
    if (!links().contains(l) || image == nullptr || l->inputs.empty()) return cudaErrorInvalidValue;
    const auto began = std::chrono::steady_clock::now();
    auto made = link_images(l->inputs, l->request.options, l->request.log);
    answer(l->request, bool(made), began);
    if (!made) {
      say(to_text(made.error()));
      return cudaErrorInvalidPtx;
    }
    l->made = std::move(*made);
    *image = l->made.data();
    if (bytes != nullptr) *bytes = l->made.size();
    return cudaSuccess;
  });
}
CUDA_API driver_status cuLinkDestroy(link_state* l) {
  return driver_call([&](state&) { return links().erase(l) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
