// Entry points: graphs.
#include <algorithm>
#include <cstring>
#include <functional>

#include "allocation.hpp"
#include "graph.hpp"
#include "runtime_call.hpp"

using namespace bankwise::cuda;

namespace {

graph* find(state& s, graph* handle) { return s.graphs.contains(handle) ? handle : nullptr; }

// A node of a graph that is alive.
node* find(state& s, node* handle) {
  for (const auto& [handle_of, g] : s.graphs)
    for (const auto& n : g->nodes)
      if (n.get() == handle) return handle;
  return nullptr;
}

template <class Body>
error with_graph(graph* handle, Body body) {
  return guarded([&](state& s) {
    graph* g = find(s, handle);
    return g != nullptr ? body(s, *g) : cudaErrorInvalidValue;
  });
}

error add(node** made, graph* handle, node* const* after, std::size_t count,
          const std::function<error(state&, operation&)>& make) {
  return guarded([&](state& s) {
    graph* g = find(s, handle);
    if (g == nullptr || made == nullptr || (count != 0 && after == nullptr)) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (find(s, after[i]) == nullptr || after[i]->owner != g) return cudaErrorInvalidValue;
    operation o;
    if (const error e = make(s, o); e != cudaSuccess) return e;
    *made = add_node(s, *g, std::move(o), std::vector<node*>(after, after + count));
    return cudaSuccess;
  });
}

using make_operation = std::function<error(state&, operation&)>;

make_operation making(const kernel_node_parameters* p) {
  return [p](state& s, operation& o) {
    if (p == nullptr || p->extra != nullptr) return cudaErrorInvalidValue;
    function* f = nullptr;
    if (const error e = find_kernel(s, p->function, f); e != cudaSuccess) return e;
    call c;
    const error e = make_call(*f, {p->grid, p->block, p->dynamic_shared_bytes, false}, p->arguments, c);
    o = std::move(c);
    return e;
  };
}
make_operation making(const copy_3d_parameters* p) {
  return [p](state&, operation& o) {
    if (p == nullptr) return cudaErrorInvalidValue;
    copy c;
    const error e = make_copy(*p, c);
    o = c;
    return e;
  };
}
make_operation making(void* to, const void* from, std::size_t bytes, copy_kind kind) {
  return [=](state&, operation& o) {
    o = row(to, from, bytes, kind);
    return cudaSuccess;
  };
}
make_operation making(const fill_node_parameters* p) {
  return [p](state&, operation& o) {
    if (p == nullptr) return cudaErrorInvalidValue;
    fill f;
    f.to = reinterpret_cast<std::uint64_t>(p->to);
    f.pitch = p->pitch;
    f.width = p->width;
    f.height = p->height;
    f.value = p->value;
    f.element_bytes = p->element_bytes;
    o = f;
    return cudaSuccess;
  };
}
make_operation making(const host_node_parameters* p) {
  return [p](state&, operation& o) {
    if (p == nullptr || p->function == nullptr) return cudaErrorInvalidValue;
    o = host_call{p->function, nullptr, nullptr, p->data};
    return cudaSuccess;
  };
}
make_operation making(graph* child) {
  return [child](state& s, operation& o) {
    if (find(s, child) == nullptr) return cudaErrorInvalidValue;
    o = child_graph{copy_of(*child)};
    return cudaSuccess;
  };
}
// To a variable, or from one.
make_operation making_symbol(const void* symbol, void* other, std::size_t bytes, std::size_t offset, copy_kind kind,
                             bool to_symbol) {
  return [=](state& s, operation& o) {
    const variable* v = find_variable(s, symbol);
    if (v == nullptr || v->address == 0) return cudaErrorInvalidSymbol;
    if (offset > v->bytes || bytes > v->bytes - offset) return cudaErrorInvalidValue;
    void* there = reinterpret_cast<void*>(v->address + offset);
    o = to_symbol ? row(there, other, bytes, kind) : row(other, there, bytes, kind);
    return cudaSuccess;
  };
}
make_operation making(node_parameters* p) {
  switch (p->type) {
    case kernel_node: return making(&p->kernel);
    case copy_node: return making(&p->copy.parameters);
    case fill_node: return making(&p->fill);
    case host_node: return making(&p->host);
    case graph_node_type: return making(p->child);
    case empty_node: return [](state&, operation&) { return cudaSuccess; };
    case record_node:
      return [p](state&, operation& o) {
        o = recording{p->event};
        return cudaSuccess;
      };
    case wait_node:
      return [p](state&, operation& o) {
        o = waiting{p->event};
        return cudaSuccess;
      };
    default:
      return [](state&, operation&) {
        say("a graph node of this kind is not executed yet");
        return cudaErrorNotSupported;
      };
  }
}

// Replaces what a node does by something of the same kind.
error change(state& s, node* n, const make_operation& make) {
  if (n == nullptr) return cudaErrorInvalidValue;
  operation o;
  if (const error e = make(s, o); e != cudaSuccess) return e;
  if (o.index() != n->what.index()) return cudaErrorInvalidValue;
  n->what = std::move(o);
  return cudaSuccess;
}
error change(node* handle, const make_operation& make) {
  return guarded([&](state& s) { return change(s, find(s, handle), make); });
}
// The node of an instantiated graph that came from this one.
error change(graph_exec* exec, node* handle, const make_operation& make) {
  return guarded([&](state& s) {
    if (!s.execs.contains(exec) || find(s, handle) == nullptr) return cudaErrorInvalidValue;
    return change(s, find_node(*exec->copy, handle->id), make);
  });
}

std::vector<node*> dependents(const node& n) {
  std::vector<node*> some;
  for (const auto& other : n.owner->nodes)
    if (std::find(other->after.begin(), other->after.end(), &n) != other->after.end()) some.push_back(other.get());
  return some;
}

error change_edges(graph* handle, node* const* from, node* const* to, std::size_t count, bool add_them) {
  return guarded([&](state& s) {
    if (find(s, handle) == nullptr) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (find(s, from[i]) == nullptr || find(s, to[i]) == nullptr) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      std::erase(to[i]->after, from[i]);
      if (add_them) to[i]->after.push_back(from[i]);
    }
    return cudaSuccess;
  });
}

error edges(graph* handle, node** from, node** to, std::size_t* count) {
  return guarded([&](state& s) {
    graph* g = find(s, handle);
    if (g == nullptr || count == nullptr) return cudaErrorInvalidValue;
    std::size_t n = 0;
    for (const auto& late : g->nodes)
      for (node* early : late->after) {
        if (from != nullptr && to != nullptr && n < *count) from[n] = early, to[n] = late.get();
        ++n;
      }
    *count = from != nullptr ? std::min(*count, n) : n;
    return cudaSuccess;
  });
}

}  // namespace

CUDA_API error cudaGraphCreate(graph** made, unsigned) {
  return guarded([&](state& s) { return create_graph(s, made); });
}
CUDA_API error cudaGraphDestroy(graph* handle) {
  return guarded([&](state& s) { return s.graphs.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}
CUDA_API error cudaGraphClone(graph** made, graph* handle) {
  return guarded([&](state& s) {
    graph* g = find(s, handle);
    if (g == nullptr || made == nullptr) return cudaErrorInvalidValue;
    auto copied = copy_of(*g);
    *made = copied.get();
    s.graphs[*made] = std::move(copied);
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphNodeFindInClone(node** found, node* original, graph* clone) {
  return guarded([&](state& s) {
    if (found == nullptr || find(s, original) == nullptr || find(s, clone) == nullptr) return cudaErrorInvalidValue;
    *found = find_node(*clone, original->id);
    return *found != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

// --- nodes

CUDA_API error cudaGraphAddKernelNode(node** made, graph* g, node* const* after, std::size_t count,
                                      const kernel_node_parameters* p) {
  return add(made, g, after, count, making(p));
}
CUDA_API error cudaGraphAddMemcpyNode(node** made, graph* g, node* const* after, std::size_t count,
                                      const copy_3d_parameters* p) {
  return add(made, g, after, count, making(p));
}
CUDA_API error cudaGraphAddMemcpyNode1D(node** made, graph* g, node* const* after, std::size_t count, void* to,
                                        const void* from, std::size_t bytes, copy_kind kind) {
  return add(made, g, after, count, making(to, from, bytes, kind));
}
CUDA_API error cudaGraphAddMemcpyNodeToSymbol(node** made, graph* g, node* const* after, std::size_t count,
                                              const void* symbol, const void* from, std::size_t bytes,
                                              std::size_t offset, copy_kind kind) {
  return add(made, g, after, count, making_symbol(symbol, const_cast<void*>(from), bytes, offset, kind, true));
}
CUDA_API error cudaGraphAddMemcpyNodeFromSymbol(node** made, graph* g, node* const* after, std::size_t count, void* to,
                                                const void* symbol, std::size_t bytes, std::size_t offset,
                                                copy_kind kind) {
  return add(made, g, after, count, making_symbol(symbol, to, bytes, offset, kind, false));
}
CUDA_API error cudaGraphAddMemsetNode(node** made, graph* g, node* const* after, std::size_t count,
                                      const fill_node_parameters* p) {
  return add(made, g, after, count, making(p));
}
CUDA_API error cudaGraphAddHostNode(node** made, graph* g, node* const* after, std::size_t count,
                                    const host_node_parameters* p) {
  return add(made, g, after, count, making(p));
}
CUDA_API error cudaGraphAddChildGraphNode(node** made, graph* g, node* const* after, std::size_t count, graph* child) {
  return add(made, g, after, count, making(child));
}
CUDA_API error cudaGraphAddEmptyNode(node** made, graph* g, node* const* after, std::size_t count) {
  return add(made, g, after, count, [](state&, operation&) { return cudaSuccess; });
}
CUDA_API error cudaGraphAddEventRecordNode(node** made, graph* g, node* const* after, std::size_t count, event* e) {
  return add(made, g, after, count, [e](state&, operation& o) {
    o = recording{e};
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphAddEventWaitNode(node** made, graph* g, node* const* after, std::size_t count, event* e) {
  return add(made, g, after, count, [e](state&, operation& o) {
    o = waiting{e};
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphAddMemAllocNode(node** made, graph* g, node* const* after, std::size_t count,
                                        allocation_node_parameters* p) {
  return add(made, g, after, count, [p](state& s, operation& o) {
    if (p == nullptr || p->bytes == 0) return cudaErrorInvalidValue;
    // The address is fixed here; the memory comes when the graph runs.
    make_memory memory{0, p->bytes};
    if (const error e = next_address(s, p->bytes, memory.address); e != cudaSuccess) return e;
    p->pointer = pointer_to(memory.address);
    o = memory;
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphAddMemFreeNode(node** made, graph* g, node* const* after, std::size_t count, void* pointer) {
  return add(made, g, after, count, [pointer](state&, operation& o) {
    o = release_memory{reinterpret_cast<std::uint64_t>(pointer)};
    return cudaSuccess;
  });
}

CUDA_API error cudaGraphKernelNodeSetParams(node* n, const kernel_node_parameters* p) { return change(n, making(p)); }
CUDA_API error cudaGraphMemcpyNodeSetParams(node* n, const copy_3d_parameters* p) { return change(n, making(p)); }
CUDA_API error cudaGraphMemcpyNodeSetParams1D(node* n, void* to, const void* from, std::size_t bytes, copy_kind kind) {
  return change(n, making(to, from, bytes, kind));
}
CUDA_API error cudaGraphMemsetNodeSetParams(node* n, const fill_node_parameters* p) { return change(n, making(p)); }
CUDA_API error cudaGraphHostNodeSetParams(node* n, const host_node_parameters* p) { return change(n, making(p)); }

CUDA_API error cudaGraphExecKernelNodeSetParams(graph_exec* exec, node* n, const kernel_node_parameters* p) {
  return change(exec, n, making(p));
}
CUDA_API error cudaGraphExecMemcpyNodeSetParams(graph_exec* exec, node* n, const copy_3d_parameters* p) {
  return change(exec, n, making(p));
}
CUDA_API error cudaGraphExecMemcpyNodeSetParams1D(graph_exec* exec, node* n, void* to, const void* from,
                                                  std::size_t bytes, copy_kind kind) {
  return change(exec, n, making(to, from, bytes, kind));
}
CUDA_API error cudaGraphExecMemcpyNodeSetParamsToSymbol(graph_exec* exec, node* n, const void* symbol, const void* from,
                                                        std::size_t bytes, std::size_t offset, copy_kind kind) {
  return change(exec, n, making_symbol(symbol, const_cast<void*>(from), bytes, offset, kind, true));
}
CUDA_API error cudaGraphExecMemcpyNodeSetParamsFromSymbol(graph_exec* exec, node* n, void* to, const void* symbol,
                                                          std::size_t bytes, std::size_t offset, copy_kind kind) {
  return change(exec, n, making_symbol(symbol, to, bytes, offset, kind, false));
}
CUDA_API error cudaGraphExecMemsetNodeSetParams(graph_exec* exec, node* n, const fill_node_parameters* p) {
  return change(exec, n, making(p));
}
CUDA_API error cudaGraphExecHostNodeSetParams(graph_exec* exec, node* n, const host_node_parameters* p) {
  return change(exec, n, making(p));
}
CUDA_API error cudaGraphExecChildGraphNodeSetParams(graph_exec* exec, node* n, graph* child) {
  return change(exec, n, making(child));
}
#if BANKWISE_CUDART == 12
CUDA_API error cudaGraphAddNode(node** made, graph* g, node* const* after, std::size_t count, node_parameters* p) {
  return p == nullptr ? last_error = cudaErrorInvalidValue : add(made, g, after, count, making(p));
}
CUDA_API error cudaGraphAddNode_v2(node** made, graph* g, node* const* after, const void*, std::size_t count,
                                   node_parameters* p) {
  return cudaGraphAddNode(made, g, after, count, p);
}
#else
CUDA_API error cudaGraphAddNode(node** made, graph* g, node* const* after, const void*, std::size_t count,
                                node_parameters* p) {
  return p == nullptr ? last_error = cudaErrorInvalidValue : add(made, g, after, count, making(p));
}
#endif
CUDA_API error cudaGraphNodeSetParams(node* n, node_parameters* p) {
  return p == nullptr ? last_error = cudaErrorInvalidValue : change(n, making(p));
}
CUDA_API error cudaGraphExecNodeSetParams(graph_exec* exec, node* n, node_parameters* p) {
  return p == nullptr ? last_error = cudaErrorInvalidValue : change(exec, n, making(p));
}

CUDA_API error cudaGraphNodeGetType(node* n, node_type* type) {
  return guarded([&](state& s) {
    if (find(s, n) == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = type_of(n->what);
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphNodeSetEnabled(graph_exec* exec, node* n, unsigned enabled) {
  return guarded([&](state& s) {
    node* copied = s.execs.contains(exec) && find(s, n) != nullptr ? find_node(*exec->copy, n->id) : nullptr;
    if (copied == nullptr) return cudaErrorInvalidValue;
    copied->enabled = enabled != 0;
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphNodeGetEnabled(graph_exec* exec, node* n, unsigned* enabled) {
  return guarded([&](state& s) {
    node* copied = s.execs.contains(exec) && find(s, n) != nullptr ? find_node(*exec->copy, n->id) : nullptr;
    if (copied == nullptr || enabled == nullptr) return cudaErrorInvalidValue;
    *enabled = copied->enabled ? 1 : 0;
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphDestroyNode(node* n) {
  return guarded([&](state& s) {
    if (find(s, n) == nullptr) return cudaErrorInvalidValue;
    for (const auto& other : n->owner->nodes) std::erase(other->after, n);
    std::erase_if(n->owner->nodes, [&](const auto& owned) { return owned.get() == n; });
    return cudaSuccess;
  });
}

CUDA_API error cudaGraphGetNodes(graph* handle, node** nodes, std::size_t* count) {
  return with_graph(handle, [&](state&, graph& g) { return list_nodes(g, false, nodes, count); });
}
CUDA_API error cudaGraphGetRootNodes(graph* handle, node** nodes, std::size_t* count) {
  return with_graph(handle, [&](state&, graph& g) { return list_nodes(g, true, nodes, count); });
}
#if BANKWISE_CUDART == 12
CUDA_API error cudaGraphGetEdges(graph* g, node** from, node** to, std::size_t* count) {
  return edges(g, from, to, count);
}
CUDA_API error cudaGraphAddDependencies(graph* g, node* const* from, node* const* to, std::size_t count) {
  return change_edges(g, from, to, count, true);
}
CUDA_API error cudaGraphRemoveDependencies(graph* g, node* const* from, node* const* to, std::size_t count) {
  return change_edges(g, from, to, count, false);
}
CUDA_API error cudaGraphNodeGetDependencies(node* n, node** some, std::size_t* count) {
  return guarded([&](state& s) { return find(s, n) == nullptr ? cudaErrorInvalidValue : list(n->after, some, count); });
}
CUDA_API error cudaGraphNodeGetDependentNodes(node* n, node** some, std::size_t* count) {
  return guarded(
      [&](state& s) { return find(s, n) == nullptr ? cudaErrorInvalidValue : list(dependents(*n), some, count); });
}
#define WITH_EDGE_DATA(name) name##_v2
#else
#define WITH_EDGE_DATA(name) name
#endif
CUDA_API error WITH_EDGE_DATA(cudaGraphGetEdges)(graph* g, node** from, node** to, void*, std::size_t* count) {
  return edges(g, from, to, count);
}
CUDA_API error WITH_EDGE_DATA(cudaGraphAddDependencies)(graph* g, node* const* from, node* const* to, const void*,
                                                        std::size_t count) {
  return change_edges(g, from, to, count, true);
}
CUDA_API error WITH_EDGE_DATA(cudaGraphRemoveDependencies)(graph* g, node* const* from, node* const* to, const void*,
                                                           std::size_t count) {
  return change_edges(g, from, to, count, false);
}
CUDA_API error WITH_EDGE_DATA(cudaGraphNodeGetDependencies)(node* n, node** some, void*, std::size_t* count) {
  return guarded([&](state& s) { return find(s, n) == nullptr ? cudaErrorInvalidValue : list(n->after, some, count); });
}
CUDA_API error WITH_EDGE_DATA(cudaGraphNodeGetDependentNodes)(node* n, node** some, void*, std::size_t* count) {
  return guarded(
      [&](state& s) { return find(s, n) == nullptr ? cudaErrorInvalidValue : list(dependents(*n), some, count); });
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
// The same nodes with other parameters.
CUDA_API error cudaGraphExecUpdate(graph_exec* exec, graph* handle, update_result* result) {
  return guarded([&](state& s) {
    graph* g = find(s, handle);
    if (!s.execs.contains(exec) || g == nullptr) return cudaErrorInvalidValue;
    if (result != nullptr) *result = {};
    const std::vector<const node*> now = in_order(*exec->copy), then = in_order(*g);
    const auto same_kind = [](const node* a, const node* b) {
      return a->what.index() == b->what.index() && a->after.size() == b->after.size();
    };
    if (now.size() != then.size() || !std::equal(now.begin(), now.end(), then.begin(), same_kind)) {
      if (result != nullptr) result->result = 2;  // cudaGraphExecUpdateErrorTopologyChanged
      return cudaErrorGraphExecUpdateFailure;
    }
    for (std::size_t i = 0; i < now.size(); ++i) find_node(*exec->copy, now[i]->id)->what = then[i]->what;
    return cudaSuccess;
  });
}
CUDA_API error cudaGraphUpload(graph_exec*, stream*) { return cudaSuccess; }
CUDA_API error cudaGraphLaunch(graph_exec* exec, stream* on) {
  const error known = guarded([&](state& s) { return s.execs.contains(exec) ? cudaSuccess : cudaErrorInvalidValue; });
  return known == cudaSuccess ? enqueue(on, child_graph{exec->copy}) : known;
}
CUDA_API error cudaGraphExecDestroy(graph_exec* exec) {
  return guarded([&](state& s) { return s.execs.erase(exec) != 0 ? cudaSuccess : cudaErrorInvalidValue; });
}
CUDA_API error cudaDeviceGraphMemTrim(int) { return cudaSuccess; }
// Used now, used at most, and as much reserved: none is kept for later.
CUDA_API error cudaDeviceGetGraphMemAttribute(int device, int which, void* value) {
  return guarded([&](state& s) {
    if (device != 0) return cudaErrorInvalidDevice;
    if (which < 0 || which > 3 || value == nullptr) return cudaErrorInvalidValue;
    const std::uint64_t bytes = which % 2 == 0 ? graph_bytes(s) : s.most_graph_bytes;
    std::memcpy(value, &bytes, sizeof bytes);
    return cudaSuccess;
  });
}
// Begins the count of what is used at most again.
CUDA_API error cudaDeviceSetGraphMemAttribute(int device, int which, void* value) {
  return guarded([&](state& s) {
    std::uint64_t to = 0;
    if (device != 0) return cudaErrorInvalidDevice;
    if (value != nullptr) std::memcpy(&to, value, sizeof to);
    if (which < 0 || which > 3 || which % 2 == 0 || value == nullptr || to != 0) return cudaErrorInvalidValue;
    s.most_graph_bytes = graph_bytes(s);
    return cudaSuccess;
  });
}

// --- objects that graphs keep alive: they live until the end

CUDA_API error cudaUserObjectCreate(void** made, void* pointer, host_function, unsigned, unsigned) {
  if (made == nullptr) return last_error = cudaErrorInvalidValue;
  *made = pointer;
  return cudaSuccess;
}
CUDA_API error cudaUserObjectRetain(void*, unsigned) { return cudaSuccess; }
CUDA_API error cudaUserObjectRelease(void*, unsigned) { return cudaSuccess; }
CUDA_API error cudaGraphRetainUserObject(graph*, void*, unsigned, unsigned) { return cudaSuccess; }
CUDA_API error cudaGraphReleaseUserObject(graph*, void*, unsigned) { return cudaSuccess; }
