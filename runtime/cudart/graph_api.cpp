// Entry points: graphs, instantiated and launched.
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/stream/graph.hpp"

using namespace bankwise::cuda;

namespace {

template <class Body>
error with_graph(graph* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return guarded(
      [&](state& s) {
        graph* g = find_graph(handle);
        return g != nullptr ? body(s, *g) : cudaErrorInvalidValue;
      },
      entry);
}

}  // namespace

CUDA_API error cudaGraphCreate(graph** made, unsigned) {
  return guarded([&](state& s) { return create_graph(s, made); });
}
CUDA_API error cudaGraphDestroy(graph* handle) {
  return guarded([&](state& s) { return destroy_graph(s, handle); });
}
CUDA_API error cudaGraphClone(graph** made, graph* handle) {
  return guarded([&](state& s) { return clone(s, made, handle); });
}
CUDA_API error cudaGraphNodeFindInClone(node** found, node* original, graph* copy) {
  return with_graph(copy, [&](state&, graph& g) {
    if (found == nullptr || find_node(original) == nullptr) return cudaErrorInvalidValue;
    *found = find_node(g, original->id);
    return *found != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}
CUDA_API error cudaGraphDebugDotPrint(graph* handle, const char* path, unsigned flags) {
  return guarded([&](state&) { return print_graph(handle, path, flags); });
}

CUDA_API error cudaGraphGetNodes(graph* handle, node** nodes, std::size_t* count) {
  return with_graph(handle, [&](state&, graph& g) { return list_nodes(g, false, nodes, count); });
}
CUDA_API error cudaGraphGetRootNodes(graph* handle, node** nodes, std::size_t* count) {
  return with_graph(handle, [&](state&, graph& g) { return list_nodes(g, true, nodes, count); });
}

// --- edges

namespace {

error add_edges(graph* g, node* const* from, node* const* to, const edge_data* edges, std::size_t count,
                const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state&) { return change_edges(g, from, to, edges, count, true); }, entry);
}
error remove_edges(graph* g, node* const* from, node* const* to, std::size_t count,
                   const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state&) { return change_edges(g, from, to, nullptr, count, false); }, entry);
}
error edges_of(graph* g, node** from, node** to, edge_data* edges, std::size_t* count,
               const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state&) { return list_edges(g, from, to, edges, count); }, entry);
}
error before(node* n, node** some, edge_data* edges, std::size_t* count, const char* entry = __builtin_FUNCTION()) {
  return guarded(
      [&](state&) { return find_node(n) != nullptr ? list(n->after, some, edges, count) : cudaErrorInvalidValue; },
      entry);
}
error behind(node* n, node** some, edge_data* edges, std::size_t* count, const char* entry = __builtin_FUNCTION()) {
  return guarded(
      [&](state&) {
        return find_node(n) != nullptr ? list(dependents(*n), some, edges, count) : cudaErrorInvalidValue;
      },
      entry);
}

}  // namespace

#if BANKWISE_CUDART == 12
CUDA_API error cudaGraphGetEdges(graph* g, node** from, node** to, std::size_t* count) {
  return edges_of(g, from, to, nullptr, count);
}
CUDA_API error cudaGraphAddDependencies(graph* g, node* const* from, node* const* to, std::size_t count) {
  return add_edges(g, from, to, nullptr, count);
}
CUDA_API error cudaGraphRemoveDependencies(graph* g, node* const* from, node* const* to, std::size_t count) {
  return remove_edges(g, from, to, count);
}
CUDA_API error cudaGraphNodeGetDependencies(node* n, node** some, std::size_t* count) {
  return before(n, some, nullptr, count);
}
CUDA_API error cudaGraphNodeGetDependentNodes(node* n, node** some, std::size_t* count) {
  return behind(n, some, nullptr, count);
}
#define WITH_EDGE_DATA(name) name##_v2
#else
#define WITH_EDGE_DATA(name) name
#endif
CUDA_API error WITH_EDGE_DATA(cudaGraphGetEdges)(graph* g, node** from, node** to, edge_data* edges,
                                                 std::size_t* count) {
  return edges_of(g, from, to, edges, count);
}
CUDA_API error WITH_EDGE_DATA(cudaGraphAddDependencies)(graph* g, node* const* from, node* const* to,
                                                        const edge_data* edges, std::size_t count) {
  return add_edges(g, from, to, edges, count);
}
CUDA_API error WITH_EDGE_DATA(cudaGraphRemoveDependencies)(graph* g, node* const* from, node* const* to,
                                                           const edge_data*, std::size_t count) {
  return remove_edges(g, from, to, count);
}
CUDA_API error WITH_EDGE_DATA(cudaGraphNodeGetDependencies)(node* n, node** some, edge_data* edges,
                                                            std::size_t* count) {
  return before(n, some, edges, count);
}
CUDA_API error WITH_EDGE_DATA(cudaGraphNodeGetDependentNodes)(node* n, node** some, edge_data* edges,
                                                              std::size_t* count) {
  return behind(n, some, edges, count);
}

// --- instantiated

CUDA_API error cudaGraphInstantiateWithFlags(graph_exec** made, graph* handle, unsigned long long flags) {
  return with_graph(handle, [&](state& s, graph& g) { return instantiate(s, made, g, flags); });
}
CUDA_API error cudaGraphInstantiate(graph_exec** made, graph* handle, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(made, handle, flags);
}
CUDA_API error cudaGraphInstantiateWithParams(graph_exec** made, graph* handle, instantiate_parameters* p) {
  return with_graph(handle, [&](state& s, graph& g) { return instantiate(s, made, g, p); });
}
CUDA_API error cudaGraphExecGetFlags(graph_exec* exec, unsigned long long* flags) {
  return guarded([&](state& s) {
    if (!s.execs.contains(exec) || flags == nullptr) return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphExecUpdate(graph_exec* exec, graph* handle, update_result* result) {
  return guarded([&](state& s) { return update(s, exec, handle, result); });
}
CUDA_API error cudaGraphUpload(graph_exec*, stream*) { return cudaSuccess; }
CUDA_API error cudaGraphLaunch(graph_exec* exec, stream* on) {
  return guarded([&](state& s) { return launch_graph(s, exec, on); });
}
CUDA_API error cudaGraphExecDestroy(graph_exec* exec) {
  return guarded([&](state& s) { return s.execs.erase(exec) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

// --- memory that graphs allocate

CUDA_API error cudaDeviceGraphMemTrim(int) { return cudaSuccess; }
CUDA_API error cudaDeviceGetGraphMemAttribute(int device, int which, void* value) {
  return guarded([&](state& s) { return tell_graph_memory(s, device, which, value); });
}
// Begins the count of what is used at most again.
CUDA_API error cudaDeviceSetGraphMemAttribute(int device, int which, void* value) {
  return guarded([&](state& s) { return reset_graph_memory(s, device, which, value); });
}

// --- conditions, and objects that graphs keep alive

CUDA_API error cudaGraphConditionalHandleCreate(unsigned long long* handle, graph* g, unsigned initial,
                                                unsigned flags) {
  return guarded([&](state& s) { return make_condition(s, handle, g, initial, flags); });
}
CUDA_API error cudaUserObjectCreate(user_object** made, void* pointer, host_function destroy, unsigned count,
                                    unsigned flags) {
  return guarded([&](state&) { return make_user_object(made, pointer, destroy, count, flags); });
}
CUDA_API error cudaUserObjectRetain(user_object* object, unsigned count) {
  return guarded([&](state&) { return retain(object, count); });
}
CUDA_API error cudaUserObjectRelease(user_object* object, unsigned count) {
  return guarded([&](state&) { return release(object, count); });
}
CUDA_API error cudaGraphRetainUserObject(graph* g, user_object* object, unsigned count, unsigned flags) {
  return guarded([&](state&) { return retain_in(g, object, count, flags); });
}
CUDA_API error cudaGraphReleaseUserObject(graph* g, user_object* object, unsigned count) {
  return guarded([&](state&) { return release_in(g, object, count); });
}
