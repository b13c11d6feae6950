// The driver's functions for graphs and their nodes.
#include "runtime/driver/call.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/node_parameters.hpp"

using namespace bankwise::cuda;

namespace {

template <class Body>
driver_status with_graph(const char* entry, graph* handle, Body body) {
  return driver_call(entry, [&](state& s) {
    graph* g = find_graph(handle);
    return g != nullptr ? body(s, *g) : cudaErrorInvalidValue;
  });
}
template <class Body>
driver_status with_node(const char* entry, node* handle, Body body) {
  return driver_call(entry,
                     [&](state& s) { return find_node(handle) != nullptr ? body(s, *handle) : cudaErrorInvalidValue; });
}

// Converts a pointer to the first version of the structure to a pointer to the newest version. Members that only the
// newest version has must not be accessed through the result.
const driver_kernel_parameters* whole(const first_kernel_parameters* p) {
  return reinterpret_cast<const driver_kernel_parameters*>(p);
}
driver_kernel_parameters* whole(first_kernel_parameters* p) { return reinterpret_cast<driver_kernel_parameters*>(p); }

error find_in_clone(node** found, node* original, graph& copy) {
  if (found == nullptr || find_node(original) == nullptr) return cudaErrorInvalidValue;
  *found = find_node(copy, original->id);
  return *found != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

error update_telling(state& s, graph_exec* exec, graph* g, node** where, int* problem) {
  update_result result{};
  const error e = update(s, exec, g, &result);
  if (where != nullptr) *where = result.error_node;
  if (problem != nullptr) *problem = result.result;
  return e;
}

}  // namespace

#define ENTRIES "runtime/driver/entries/graph_api.def"
#include "runtime/driver/entries/entry_functions.def"
