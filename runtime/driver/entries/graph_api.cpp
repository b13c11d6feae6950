// Entry points of the driver: graphs and their nodes.
#include "runtime/driver/call.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/node_parameters.hpp"

using namespace bankwise::cuda;

namespace {

template <class Body>
driver_status with_graph(graph* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call(
      [&](state& s) {
        graph* g = find_graph(handle);
        return g != nullptr ? body(s, *g) : cudaErrorInvalidValue;
      },
      entry);
}
template <class Parameters>
driver_status add_node(node** made, graph* g, node* const* after, const edge_data* edges, std::size_t count,
                       Parameters p, const char* entry = __builtin_FUNCTION()) {
  return context_call([&](state& s) { return add_graph_node(s, made, g, after, edges, count, p); }, entry);
}
driver_status set_node(node* n, const make_operation& make, const char* entry = __builtin_FUNCTION()) {
  return context_call([&](state& s) { return change(s, n, make); }, entry);
}
driver_status set_node(graph_exec* exec, node* n, const make_operation& make,
                       const char* entry = __builtin_FUNCTION()) {
  return context_call([&](state& s) { return change(s, exec, n, make); }, entry);
}
template <class Body>
driver_status of_node(Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call([&](state&) { return body(); }, entry);
}

driver_status add_edges(graph* g, node* const* from, node* const* to, const edge_data* edges, std::size_t count,
                        const char* entry = __builtin_FUNCTION()) {
  return of_node([&] { return change_edges(g, from, to, edges, count, true); }, entry);
}
driver_status remove_edges(graph* g, node* const* from, node* const* to, std::size_t count,
                           const char* entry = __builtin_FUNCTION()) {
  return of_node([&] { return change_edges(g, from, to, nullptr, count, false); }, entry);
}
driver_status before(node* n, node** some, edge_data* edges, std::size_t* count,
                     const char* entry = __builtin_FUNCTION()) {
  return of_node([&] { return find_node(n) != nullptr ? list(n->after, some, edges, count) : cudaErrorInvalidValue; },
                 entry);
}
driver_status behind(node* n, node** some, edge_data* edges, std::size_t* count,
                     const char* entry = __builtin_FUNCTION()) {
  return of_node(
      [&] { return find_node(n) != nullptr ? list(dependents(*n), some, edges, count) : cudaErrorInvalidValue; },
      entry);
}
driver_status make_exec(graph_exec** made, graph* handle, unsigned long long flags,
                        const char* entry = __builtin_FUNCTION()) {
  return with_graph(
      handle, [&](state& s, graph& g) { return instantiate(s, made, g, flags); }, entry);
}

}  // namespace

CUDA_API driver_status cuGraphCreate(graph** made, unsigned) {
  return driver_call([&](state& s) { return create_graph(s, made); });
}
CUDA_API driver_status cuGraphDestroy(graph* handle) {
  return driver_call([&](state& s) { return destroy_graph(s, handle); });
}
CUDA_API driver_status cuGraphClone(graph** made, graph* handle) {
  return driver_call([&](state& s) { return clone(s, made, handle); });
}
CUDA_API driver_status cuGraphNodeFindInClone(node** found, node* original, graph* copy) {
  return with_graph(copy, [&](state&, graph& g) {
    if (found == nullptr || find_node(original) == nullptr) return cudaErrorInvalidValue;
    *found = find_node(g, original->id);
    return *found != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuGraphDebugDotPrint(graph* handle, const char* path, unsigned flags) {
  return of_node([&] { return print_graph(handle, path, flags); });
}
CUDA_API driver_status cuGraphGetNodes(graph* handle, node** nodes, std::size_t* count) {
  return with_graph(handle, [&](state&, graph& g) { return list_nodes(g, false, nodes, count); });
}
CUDA_API driver_status cuGraphGetRootNodes(graph* handle, node** nodes, std::size_t* count) {
  return with_graph(handle, [&](state&, graph& g) { return list_nodes(g, true, nodes, count); });
}

// --- edges

CUDA_API driver_status cuGraphGetEdges(graph* g, node** from, node** to, std::size_t* count) {
  return of_node([&] { return list_edges(g, from, to, nullptr, count); });
}
CUDA_API driver_status cuGraphGetEdges_v2(graph* g, node** from, node** to, edge_data* edges, std::size_t* count) {
  return of_node([&] { return list_edges(g, from, to, edges, count); });
}
CUDA_API driver_status cuGraphNodeGetDependencies(node* n, node** some, std::size_t* count) {
  return before(n, some, nullptr, count);
}
CUDA_API driver_status cuGraphNodeGetDependencies_v2(node* n, node** some, edge_data* edges, std::size_t* count) {
  return before(n, some, edges, count);
}
CUDA_API driver_status cuGraphNodeGetDependentNodes(node* n, node** some, std::size_t* count) {
  return behind(n, some, nullptr, count);
}
CUDA_API driver_status cuGraphNodeGetDependentNodes_v2(node* n, node** some, edge_data* edges, std::size_t* count) {
  return behind(n, some, edges, count);
}
CUDA_API driver_status cuGraphAddDependencies(graph* g, node* const* from, node* const* to, std::size_t count) {
  return add_edges(g, from, to, nullptr, count);
}
CUDA_API driver_status cuGraphAddDependencies_v2(graph* g, node* const* from, node* const* to, const edge_data* edges,
                                                 std::size_t count) {
  return add_edges(g, from, to, edges, count);
}
CUDA_API driver_status cuGraphRemoveDependencies(graph* g, node* const* from, node* const* to, std::size_t count) {
  return remove_edges(g, from, to, count);
}
CUDA_API driver_status cuGraphRemoveDependencies_v2(graph* g, node* const* from, node* const* to, const edge_data*,
                                                    std::size_t count) {
  return remove_edges(g, from, to, count);
}

// --- nodes that are added

CUDA_API driver_status cuGraphAddKernelNode(node** made, graph* g, node* const* after, std::size_t count,
                                            const driver_kernel_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p, true));
}
CUDA_API driver_status cuGraphAddKernelNode_v2(node** made, graph* g, node* const* after, std::size_t count,
                                               const driver_kernel_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p, false));
}
CUDA_API driver_status cuGraphAddMemcpyNode(node** made, graph* g, node* const* after, std::size_t count,
                                            const driver_copy_3d* p, context*) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API driver_status cuGraphAddMemsetNode(node** made, graph* g, node* const* after, std::size_t count,
                                            const fill_node_parameters* p, context*) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API driver_status cuGraphAddHostNode(node** made, graph* g, node* const* after, std::size_t count,
                                          const host_node_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API driver_status cuGraphAddChildGraphNode(node** made, graph* g, node* const* after, std::size_t count,
                                                graph* child) {
  return add_node(made, g, after, nullptr, count, making(child));
}
CUDA_API driver_status cuGraphAddEmptyNode(node** made, graph* g, node* const* after, std::size_t count) {
  return add_node(made, g, after, nullptr, count, making_nothing());
}
CUDA_API driver_status cuGraphAddEventRecordNode(node** made, graph* g, node* const* after, std::size_t count,
                                                 event* e) {
  return add_node(made, g, after, nullptr, count, making_record(e));
}
CUDA_API driver_status cuGraphAddEventWaitNode(node** made, graph* g, node* const* after, std::size_t count, event* e) {
  return add_node(made, g, after, nullptr, count, making_wait(e));
}
CUDA_API driver_status cuGraphAddMemAllocNode(node** made, graph* g, node* const* after, std::size_t count,
                                              allocation_node_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API driver_status cuGraphAddMemFreeNode(node** made, graph* g, node* const* after, std::size_t count,
                                             device_pointer at) {
  return add_node(made, g, after, nullptr, count, making_release(at));
}
CUDA_API driver_status cuGraphAddBatchMemOpNode(node** made, graph* g, node* const* after, std::size_t count,
                                                const memory_operation_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API driver_status cuGraphAddNode(node** made, graph* g, node* const* after, std::size_t count,
                                      driver_node_parameters* p) {
  return add_node(made, g, after, nullptr, count, p);
}
CUDA_API driver_status cuGraphAddNode_v2(node** made, graph* g, node* const* after, const edge_data* edges,
                                         std::size_t count, driver_node_parameters* p) {
  return add_node(made, g, after, edges, count, p);
}

// --- changed

CUDA_API driver_status cuGraphKernelNodeSetParams(node* n, const driver_kernel_parameters* p) {
  return set_node(n, making(p, true));
}
CUDA_API driver_status cuGraphKernelNodeSetParams_v2(node* n, const driver_kernel_parameters* p) {
  return set_node(n, making(p, false));
}
CUDA_API driver_status cuGraphMemcpyNodeSetParams(node* n, const driver_copy_3d* p) { return set_node(n, making(p)); }
CUDA_API driver_status cuGraphMemsetNodeSetParams(node* n, const fill_node_parameters* p) {
  return set_node(n, making(p));
}
CUDA_API driver_status cuGraphHostNodeSetParams(node* n, const host_node_parameters* p) {
  return set_node(n, making(p));
}
CUDA_API driver_status cuGraphEventRecordNodeSetEvent(node* n, event* e) { return set_node(n, making_record(e)); }
CUDA_API driver_status cuGraphEventWaitNodeSetEvent(node* n, event* e) { return set_node(n, making_wait(e)); }
CUDA_API driver_status cuGraphBatchMemOpNodeSetParams(node* n, const memory_operation_parameters* p) {
  return set_node(n, making(p));
}
CUDA_API driver_status cuGraphNodeSetParams(node* n, driver_node_parameters* p) { return set_node(n, making(p)); }

CUDA_API driver_status cuGraphExecKernelNodeSetParams(graph_exec* exec, node* n, const driver_kernel_parameters* p) {
  return set_node(exec, n, making(p, true));
}
CUDA_API driver_status cuGraphExecKernelNodeSetParams_v2(graph_exec* exec, node* n, const driver_kernel_parameters* p) {
  return set_node(exec, n, making(p, false));
}
CUDA_API driver_status cuGraphExecMemcpyNodeSetParams(graph_exec* exec, node* n, const driver_copy_3d* p, context*) {
  return set_node(exec, n, making(p));
}
CUDA_API driver_status cuGraphExecMemsetNodeSetParams(graph_exec* exec, node* n, const fill_node_parameters* p,
                                                      context*) {
  return set_node(exec, n, making(p));
}
CUDA_API driver_status cuGraphExecHostNodeSetParams(graph_exec* exec, node* n, const host_node_parameters* p) {
  return set_node(exec, n, making(p));
}
CUDA_API driver_status cuGraphExecEventRecordNodeSetEvent(graph_exec* exec, node* n, event* e) {
  return set_node(exec, n, making_record(e));
}
CUDA_API driver_status cuGraphExecEventWaitNodeSetEvent(graph_exec* exec, node* n, event* e) {
  return set_node(exec, n, making_wait(e));
}
CUDA_API driver_status cuGraphExecBatchMemOpNodeSetParams(graph_exec* exec, node* n,
                                                          const memory_operation_parameters* p) {
  return set_node(exec, n, making(p));
}
CUDA_API driver_status cuGraphExecNodeSetParams(graph_exec* exec, node* n, driver_node_parameters* p) {
  return set_node(exec, n, making(p));
}
CUDA_API driver_status cuGraphExecChildGraphNodeSetParams(graph_exec* exec, node* n, graph* child) {
  return set_node(exec, n, making(child));
}
CUDA_API driver_status cuGraphNodeSetEnabled(graph_exec* exec, node* n, unsigned enabled) {
  return driver_call([&](state& s) { return enable(s, exec, n, enabled != 0); });
}
CUDA_API driver_status cuGraphNodeGetEnabled(graph_exec* exec, node* n, unsigned* enabled) {
  return driver_call([&](state& s) { return is_enabled(s, exec, n, enabled); });
}
CUDA_API driver_status cuGraphDestroyNode(node* n) {
  return of_node([&] { return destroy_node(n); });
}

// --- told

CUDA_API driver_status cuGraphNodeGetType(node* n, node_type* type) {
  return of_node([&] { return find_node(n) != nullptr ? put(type, type_of(n->what)) : cudaErrorInvalidValue; });
}
CUDA_API driver_status cuGraphKernelNodeGetParams(node* n, driver_kernel_parameters* p) {
  return of_node([&] { return tell(n, p, true); });
}
CUDA_API driver_status cuGraphKernelNodeGetParams_v2(node* n, driver_kernel_parameters* p) {
  return of_node([&] { return tell(n, p, false); });
}
CUDA_API driver_status cuGraphMemcpyNodeGetParams(node* n, driver_copy_3d* p) {
  return of_node([&] { return tell(n, p); });
}
CUDA_API driver_status cuGraphMemsetNodeGetParams(node* n, fill_node_parameters* p) {
  return of_node([&] { return tell(n, p); });
}
CUDA_API driver_status cuGraphHostNodeGetParams(node* n, host_node_parameters* p) {
  return of_node([&] { return tell(n, p); });
}
CUDA_API driver_status cuGraphChildGraphNodeGetGraph(node* n, graph** child) {
  return of_node([&] { return tell(n, child); });
}
CUDA_API driver_status cuGraphMemAllocNodeGetParams(node* n, allocation_node_parameters* p) {
  return of_node([&] { return tell(n, p); });
}
CUDA_API driver_status cuGraphMemFreeNodeGetParams(node* n, device_pointer* at) {
  return of_node([&] { return tell_released(n, at); });
}
CUDA_API driver_status cuGraphBatchMemOpNodeGetParams(node* n, memory_operation_parameters* p) {
  return of_node([&] { return tell(n, p); });
}
CUDA_API driver_status cuGraphEventRecordNodeGetEvent(node* n, event** e) {
  return of_node([&] { return tell_recorded(n, e); });
}
CUDA_API driver_status cuGraphEventWaitNodeGetEvent(node* n, event** e) {
  return of_node([&] { return tell_awaited(n, e); });
}
CUDA_API driver_status cuGraphKernelNodeGetAttribute(node* n, int which, attribute_value* value) {
  return of_node([&] { return tell_attribute(n, which, value); });
}
CUDA_API driver_status cuGraphKernelNodeSetAttribute(node* n, int which, const attribute_value* value) {
  return of_node([&] { return set_attribute(n, which, value); });
}
CUDA_API driver_status cuGraphKernelNodeCopyAttributes(node* to, node* from) {
  return of_node([&] { return copy_attributes(to, from); });
}

// --- instantiated

CUDA_API driver_status cuGraphInstantiate(graph_exec** made, graph* g, node**, char*, std::size_t) {
  return make_exec(made, g, 0);
}
CUDA_API driver_status cuGraphInstantiate_v2(graph_exec** made, graph* g, node**, char*, std::size_t) {
  return make_exec(made, g, 0);
}
CUDA_API driver_status cuGraphInstantiateWithFlags(graph_exec** made, graph* g, unsigned long long flags) {
  return make_exec(made, g, flags);
}
CUDA_API driver_status cuGraphInstantiateWithParams(graph_exec** made, graph* handle, instantiate_parameters* p) {
  return with_graph(handle, [&](state& s, graph& g) { return instantiate(s, made, g, p); });
}
CUDA_API driver_status cuGraphExecGetFlags(graph_exec* exec, unsigned long long* flags) {
  return driver_call(
      [&](state& s) { return s.execs.contains(exec) ? put(flags, exec->flags) : cudaErrorInvalidValue; });
}
CUDA_API driver_status cuGraphExecUpdate(graph_exec* exec, graph* g, node** where, int* problem) {
  return driver_call([&](state& s) {
    update_result result{};
    const error e = update(s, exec, g, &result);
    if (where != nullptr) *where = result.error_node;
    if (problem != nullptr) *problem = result.result;
    return e;
  });
}
CUDA_API driver_status cuGraphExecUpdate_v2(graph_exec* exec, graph* g, update_result* result) {
  return driver_call([&](state& s) { return update(s, exec, g, result); });
}
CUDA_API driver_status cuGraphUpload(graph_exec*, stream*) { return CUDA_SUCCESS; }
CUDA_API driver_status cuGraphLaunch(graph_exec* exec, stream* on) {
  return stream_call(on, [&](state& s) { return launch_graph(s, exec, on); });
}
CUDA_API driver_status cuGraphExecDestroy(graph_exec* exec) {
  return driver_call([&](state& s) { return s.execs.erase(exec) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

// --- memory that graphs allocate, conditions, and objects that graphs keep alive

CUDA_API driver_status cuDeviceGraphMemTrim(int) { return CUDA_SUCCESS; }
CUDA_API driver_status cuDeviceGetGraphMemAttribute(int device, int which, void* value) {
  return driver_call([&](state& s) { return tell_graph_memory(s, device, which, value); });
}
CUDA_API driver_status cuDeviceSetGraphMemAttribute(int device, int which, void* value) {
  return driver_call([&](state& s) { return reset_graph_memory(s, device, which, value); });
}
CUDA_API driver_status cuGraphConditionalHandleCreate(unsigned long long* handle, graph* g, context*, unsigned initial,
                                                      unsigned flags) {
  return driver_call([&](state& s) { return make_condition(s, handle, g, initial, flags); });
}
CUDA_API driver_status cuUserObjectCreate(user_object** made, void* pointer, host_function destroy, unsigned count,
                                          unsigned flags) {
  return of_node([&] { return make_user_object(made, pointer, destroy, count, flags); });
}
CUDA_API driver_status cuUserObjectRetain(user_object* object, unsigned count) {
  return of_node([&] { return retain(object, count); });
}
CUDA_API driver_status cuUserObjectRelease(user_object* object, unsigned count) {
  return of_node([&] { return bankwise::cuda::release(object, count); });
}
CUDA_API driver_status cuGraphRetainUserObject(graph* g, user_object* object, unsigned count, unsigned flags) {
  return of_node([&] { return retain_in(g, object, count, flags); });
}
CUDA_API driver_status cuGraphReleaseUserObject(graph* g, user_object* object, unsigned count) {
  return of_node([&] { return release_in(g, object, count); });
}
