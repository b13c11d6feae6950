// Entry points: the nodes of graphs.
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/node_parameters.hpp"

using namespace bankwise::cuda;

namespace {

template <class Parameters>
error add_node(node** made, graph* g, node* const* after, const edge_data* edges, std::size_t count, Parameters p,
               const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state& s) { return add_graph_node(s, made, g, after, edges, count, p); }, entry);
}
error set_node(node* n, const make_operation& make, const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state& s) { return change(s, n, make); }, entry);
}
error set_node(graph_exec* exec, node* n, const make_operation& make, const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state& s) { return change(s, exec, n, make); }, entry);
}
template <class Parameters>
error tell_node(node* n, Parameters* p, const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state&) { return tell(n, p); }, entry);
}

// To a variable, or from one.
make_operation making_symbol(const void* symbol, void* other, std::size_t bytes, std::size_t offset, copy_kind kind,
                             bool to_symbol) {
  return [=](state& s, operation& o) {
    const variable* v = find_variable(s, symbol);
    if (v == nullptr || v->address == 0) return cudaErrorInvalidSymbol;
    if (offset > v->bytes || bytes > v->bytes - offset) return cudaErrorInvalidValue;
    void* there = pointer_to(v->address + offset);
    o = to_symbol ? row(there, other, bytes, kind) : row(other, there, bytes, kind);
    return cudaSuccess;
  };
}
make_operation to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, copy_kind kind) {
  return making_symbol(symbol, const_cast<void*>(from), bytes, offset, kind, true);
}
make_operation from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, copy_kind kind) {
  return making_symbol(symbol, to, bytes, offset, kind, false);
}

}  // namespace

// --- added

CUDA_API error cudaGraphAddKernelNode(node** made, graph* g, node* const* after, std::size_t count,
                                      const kernel_node_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API error cudaGraphAddMemcpyNode(node** made, graph* g, node* const* after, std::size_t count,
                                      const copy_3d_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API error cudaGraphAddMemcpyNode1D(node** made, graph* g, node* const* after, std::size_t count, void* to,
                                        const void* from, std::size_t bytes, copy_kind kind) {
  return add_node(made, g, after, nullptr, count, making(to, from, bytes, kind));
}
CUDA_API error cudaGraphAddMemcpyNodeToSymbol(node** made, graph* g, node* const* after, std::size_t count,
                                              const void* symbol, const void* from, std::size_t bytes,
                                              std::size_t offset, copy_kind kind) {
  return add_node(made, g, after, nullptr, count, to_symbol(symbol, from, bytes, offset, kind));
}
CUDA_API error cudaGraphAddMemcpyNodeFromSymbol(node** made, graph* g, node* const* after, std::size_t count, void* to,
                                                const void* symbol, std::size_t bytes, std::size_t offset,
                                                copy_kind kind) {
  return add_node(made, g, after, nullptr, count, from_symbol(to, symbol, bytes, offset, kind));
}
CUDA_API error cudaGraphAddMemsetNode(node** made, graph* g, node* const* after, std::size_t count,
                                      const fill_node_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API error cudaGraphAddHostNode(node** made, graph* g, node* const* after, std::size_t count,
                                    const host_node_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API error cudaGraphAddChildGraphNode(node** made, graph* g, node* const* after, std::size_t count, graph* child) {
  return add_node(made, g, after, nullptr, count, making(child));
}
CUDA_API error cudaGraphAddEmptyNode(node** made, graph* g, node* const* after, std::size_t count) {
  return add_node(made, g, after, nullptr, count, making_nothing());
}
CUDA_API error cudaGraphAddEventRecordNode(node** made, graph* g, node* const* after, std::size_t count, event* e) {
  return add_node(made, g, after, nullptr, count, making_record(e));
}
CUDA_API error cudaGraphAddEventWaitNode(node** made, graph* g, node* const* after, std::size_t count, event* e) {
  return add_node(made, g, after, nullptr, count, making_wait(e));
}
CUDA_API error cudaGraphAddMemAllocNode(node** made, graph* g, node* const* after, std::size_t count,
                                        allocation_node_parameters* p) {
  return add_node(made, g, after, nullptr, count, making(p));
}
CUDA_API error cudaGraphAddMemFreeNode(node** made, graph* g, node* const* after, std::size_t count, void* pointer) {
  return add_node(made, g, after, nullptr, count, making_release(pointer));
}
#if BANKWISE_CUDART == 12
CUDA_API error cudaGraphAddNode(node** made, graph* g, node* const* after, std::size_t count, node_parameters* p) {
  return add_node(made, g, after, nullptr, count, p);
}
CUDA_API error cudaGraphAddNode_v2(node** made, graph* g, node* const* after, const edge_data* edges, std::size_t count,
                                   node_parameters* p) {
  return add_node(made, g, after, edges, count, p);
}
#else
CUDA_API error cudaGraphAddNode(node** made, graph* g, node* const* after, const edge_data* edges, std::size_t count,
                                node_parameters* p) {
  return add_node(made, g, after, edges, count, p);
}
#endif

// --- changed

CUDA_API error cudaGraphKernelNodeSetParams(node* n, const kernel_node_parameters* p) { return set_node(n, making(p)); }
CUDA_API error cudaGraphMemcpyNodeSetParams(node* n, const copy_3d_parameters* p) { return set_node(n, making(p)); }
CUDA_API error cudaGraphMemcpyNodeSetParams1D(node* n, void* to, const void* from, std::size_t bytes, copy_kind kind) {
  return set_node(n, making(to, from, bytes, kind));
}
CUDA_API error cudaGraphMemcpyNodeSetParamsToSymbol(node* n, const void* symbol, const void* from, std::size_t bytes,
                                                    std::size_t offset, copy_kind kind) {
  return set_node(n, to_symbol(symbol, from, bytes, offset, kind));
}
CUDA_API error cudaGraphMemcpyNodeSetParamsFromSymbol(node* n, void* to, const void* symbol, std::size_t bytes,
                                                      std::size_t offset, copy_kind kind) {
  return set_node(n, from_symbol(to, symbol, bytes, offset, kind));
}
CUDA_API error cudaGraphMemsetNodeSetParams(node* n, const fill_node_parameters* p) { return set_node(n, making(p)); }
CUDA_API error cudaGraphHostNodeSetParams(node* n, const host_node_parameters* p) { return set_node(n, making(p)); }
CUDA_API error cudaGraphEventRecordNodeSetEvent(node* n, event* e) { return set_node(n, making_record(e)); }
CUDA_API error cudaGraphEventWaitNodeSetEvent(node* n, event* e) { return set_node(n, making_wait(e)); }
CUDA_API error cudaGraphNodeSetParams(node* n, node_parameters* p) { return set_node(n, making(p)); }

CUDA_API error cudaGraphExecKernelNodeSetParams(graph_exec* exec, node* n, const kernel_node_parameters* p) {
  return set_node(exec, n, making(p));
}
CUDA_API error cudaGraphExecMemcpyNodeSetParams(graph_exec* exec, node* n, const copy_3d_parameters* p) {
  return set_node(exec, n, making(p));
}
CUDA_API error cudaGraphExecMemcpyNodeSetParams1D(graph_exec* exec, node* n, void* to, const void* from,
                                                  std::size_t bytes, copy_kind kind) {
  return set_node(exec, n, making(to, from, bytes, kind));
}
CUDA_API error cudaGraphExecMemcpyNodeSetParamsToSymbol(graph_exec* exec, node* n, const void* symbol, const void* from,
                                                        std::size_t bytes, std::size_t offset, copy_kind kind) {
  return set_node(exec, n, to_symbol(symbol, from, bytes, offset, kind));
}
CUDA_API error cudaGraphExecMemcpyNodeSetParamsFromSymbol(graph_exec* exec, node* n, void* to, const void* symbol,
                                                          std::size_t bytes, std::size_t offset, copy_kind kind) {
  return set_node(exec, n, from_symbol(to, symbol, bytes, offset, kind));
}
CUDA_API error cudaGraphExecMemsetNodeSetParams(graph_exec* exec, node* n, const fill_node_parameters* p) {
  return set_node(exec, n, making(p));
}
CUDA_API error cudaGraphExecHostNodeSetParams(graph_exec* exec, node* n, const host_node_parameters* p) {
  return set_node(exec, n, making(p));
}
CUDA_API error cudaGraphExecChildGraphNodeSetParams(graph_exec* exec, node* n, graph* child) {
  return set_node(exec, n, making(child));
}
CUDA_API error cudaGraphExecEventRecordNodeSetEvent(graph_exec* exec, node* n, event* e) {
  return set_node(exec, n, making_record(e));
}
CUDA_API error cudaGraphExecEventWaitNodeSetEvent(graph_exec* exec, node* n, event* e) {
  return set_node(exec, n, making_wait(e));
}
CUDA_API error cudaGraphExecNodeSetParams(graph_exec* exec, node* n, node_parameters* p) {
  return set_node(exec, n, making(p));
}
CUDA_API error cudaGraphNodeSetEnabled(graph_exec* exec, node* n, unsigned enabled) {
  return guarded([&](state& s) { return enable(s, exec, n, enabled != 0); });
}
CUDA_API error cudaGraphNodeGetEnabled(graph_exec* exec, node* n, unsigned* enabled) {
  return guarded([&](state& s) { return is_enabled(s, exec, n, enabled); });
}
CUDA_API error cudaGraphDestroyNode(node* n) {
  return guarded([&](state&) { return destroy_node(n); });
}

// --- told

CUDA_API error cudaGraphNodeGetType(node* n, node_type* type) {
  return guarded([&](state&) {
    if (find_node(n) == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = type_of(n->what);
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphKernelNodeGetParams(node* n, kernel_node_parameters* p) { return tell_node(n, p); }
CUDA_API error cudaGraphMemcpyNodeGetParams(node* n, copy_3d_parameters* p) { return tell_node(n, p); }
CUDA_API error cudaGraphMemsetNodeGetParams(node* n, fill_node_parameters* p) { return tell_node(n, p); }
CUDA_API error cudaGraphHostNodeGetParams(node* n, host_node_parameters* p) { return tell_node(n, p); }
CUDA_API error cudaGraphChildGraphNodeGetGraph(node* n, graph** child) { return tell_node(n, child); }
CUDA_API error cudaGraphMemAllocNodeGetParams(node* n, allocation_node_parameters* p) { return tell_node(n, p); }
CUDA_API error cudaGraphMemFreeNodeGetParams(node* n, void* pointer) {
  return guarded([&](state&) { return tell_released(n, pointer); });
}
CUDA_API error cudaGraphEventRecordNodeGetEvent(node* n, event** e) {
  return guarded([&](state&) { return tell_recorded(n, e); });
}
CUDA_API error cudaGraphEventWaitNodeGetEvent(node* n, event** e) {
  return guarded([&](state&) { return tell_awaited(n, e); });
}
CUDA_API error cudaGraphKernelNodeGetAttribute(node* n, int which, attribute_value* value) {
  return guarded([&](state&) { return tell_attribute(n, which, value); });
}
CUDA_API error cudaGraphKernelNodeSetAttribute(node* n, int which, const attribute_value* value) {
  return guarded([&](state&) { return set_attribute(n, which, value); });
}
CUDA_API error cudaGraphKernelNodeCopyAttributes(node* to, node* from) {
  return guarded([&](state&) { return copy_attributes(to, from); });
}
