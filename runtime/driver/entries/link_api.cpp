// Entry points of the driver: its linker.
#include <map>
#include <memory>
#include <vector>

#include "base/system/files.hpp"
#include "base/text.hpp"
#include "runtime/driver/call.hpp"
#include "runtime/driver/jit_options.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

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
