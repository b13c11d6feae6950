// The driver's functions for modules, libraries (modules without a context), and the linker.
#include <map>
#include <memory>
#include <vector>

#include "base/system/files.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/driver/handles.hpp"
#include "runtime/driver/jit_options.hpp"
#include "runtime/stream/in_flight.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

struct bankwise::cuda::link_state {
  jit_request request;
  std::vector<link_input> inputs;
  std::vector<std::byte> made;
};

namespace {

constexpr int eager_loading = 1;

error load_image(state& s, module** made, byte_span image, jit_request& r) {
  if (made == nullptr || image.empty()) return cudaErrorInvalidValue;
  const auto began = std::chrono::steady_clock::now();
  error why = cudaSuccess;
  *made = load_module(s, image, r.options, r.log, why);
  answer(r, *made != nullptr, began);
  return why;
}

error load_file(state& s, module** made, const char* path, jit_request& r) {
  if (path == nullptr) return cudaErrorInvalidValue;
  const auto text = read_file(path);
  return text ? load_image(s, made, bytes_of(*text), r) : cudaErrorFileNotFound;
}

// If `e` is success, makes the current context the owner of the module.
error own(module** made, error e) {
  if (e == cudaSuccess) (*made)->owner = current_context();
  return e;
}
error load_shared(state& s, module** made, const void* image, unsigned count, const jit_option* options,
                  void** values) {
  jit_request r;
  read_options(r, count, options, values);
  return load_image(s, made, image_at(image), r);
}
error load_shared_file(state& s, module** made, const char* path, unsigned count, const jit_option* options,
                       void** values) {
  jit_request r;
  read_options(r, count, options, values);
  return load_file(s, made, path, r);
}
error unload_module(state& s, module& m) {
  finish_all(s);
  unload(s, m);
  return cudaSuccess;
}

error tell_function(function** to, module& m, const char* name) {
  if (to == nullptr || name == nullptr) return cudaErrorInvalidValue;
  *to = find_function(m, name);
  return *to != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
}
unsigned count_of_kernels(const module& m) { return static_cast<unsigned>(m.program->kernels.size()); }
error list_functions(const module& m, function** to, unsigned count) {
  unsigned n = 0;
  if (to == nullptr) return cudaSuccess;
  for (const auto& f : m.functions)
    if (f->kernel != nullptr && n < count) to[n++] = f.get();
  return cudaSuccess;
}

error tell_variable(device_pointer* address, std::size_t* bytes, const variable* v) {
  if (v == nullptr) return cudaErrorSymbolNotFound;
  if (address != nullptr) *address = v->address;
  if (bytes != nullptr) *bytes = v->bytes;
  return cudaSuccess;
}
error tell_global(device_pointer* address, std::size_t* bytes, module& m, const char* name) {
  return name != nullptr ? tell_variable(address, bytes, find_variable(m, name)) : cudaErrorInvalidValue;
}
error tell_managed(device_pointer* address, std::size_t* bytes, const module& m, const char* name) {
  if (name == nullptr) return cudaErrorInvalidValue;
  for (const auto& v : m.variables)
    if (v->name == name && v->managed != nullptr) return tell_variable(address, bytes, v.get());
  return cudaErrorSymbolNotFound;
}

// --- the linker

std::map<const link_state*, std::unique_ptr<link_state>>& links() {
  static auto* const all = new std::map<const link_state*, std::unique_ptr<link_state>>;
  return *all;
}

error add_input(link_state* l, jit_input kind, byte_span bytes, const std::string& name) {
  if (!links().contains(l) || bytes.empty()) return cudaErrorInvalidValue;
  if (kind == input_nvvm) {
    say("bankwise cannot link NVVM IR, only PTX, cubins, fatbins, objects and libraries");
    return cudaErrorNotSupported;
  }
  l->inputs.push_back({name, kind == input_ptx, {bytes.begin(), bytes.end()}});
  return cudaSuccess;
}

error create_link(unsigned count, const jit_option* options, void** values, link_state** made) {
  if (made == nullptr) return cudaErrorInvalidValue;
  auto l = std::make_unique<link_state>();
  read_options(l->request, count, options, values);
  *made = l.get();
  links()[*made] = std::move(l);
  return cudaSuccess;
}
error add_link_data(link_state* l, jit_input kind, const void* data, std::size_t bytes, const char* name) {
  if (data == nullptr) return cudaErrorInvalidValue;
  return add_input(l, kind, {static_cast<const std::byte*>(data), bytes}, name != nullptr ? name : "an added input");
}
error add_link_file(link_state* l, jit_input kind, const char* path) {
  if (path == nullptr) return cudaErrorInvalidValue;
  const auto text = read_file(path);
  return text ? add_input(l, kind, bytes_of(*text), path) : cudaErrorFileNotFound;
}
error complete_link(link_state* l, void** image, std::size_t* bytes) {
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
}

}  // namespace

#define ENTRIES "runtime/driver/entries/module_api.def"
#include "runtime/driver/entries/entry_functions.def"
