#include "runtime/stream/node_parameters.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/launch/limits.hpp"
#include "runtime/memory/allocation.hpp"

namespace bankwise::cuda {

namespace {

// Returns the node's operation if the operation has type T, otherwise null.
template <class T>
T* of_kind(node* handle) {
  return find_node(handle) != nullptr ? std::get_if<T>(&handle->what) : nullptr;
}
// Returns the node's operation if the operation has type T and `into` is not null. Otherwise, returns null. `into` is
// the caller's pointer for the result.
template <class T>
T* of_kind(node* handle, const void* into) {
  return into != nullptr ? of_kind<T>(handle) : nullptr;
}

}  // namespace

make_operation making(const kernel_node_parameters* p) {
  return [p](state& s, operation& o) {
    if (p == nullptr || p->extra != nullptr) return cudaErrorInvalidValue;
    function* f = nullptr;
    if (const error e = find_kernel(s, p->function, f); e != cudaSuccess) return e;
    call c;
    const error e = make_call(*f, {p->grid, p->block, p->dynamic_shared_bytes, false}, p->arguments, c);
    c.handle = p->function;
    o = std::move(c);
    return e;
  };
}

make_operation making(const driver_kernel_parameters* p, bool is_first_form) {
  return [p, is_first_form](state& s, operation& o) {
    if (p == nullptr || (p->arguments != nullptr && p->extra != nullptr)) return cudaErrorInvalidValue;
    const function* handle = p->what != nullptr || is_first_form ? p->what : p->kernel;
    function* f = nullptr;
    if (const error e = find_kernel(s, handle, f); e != cudaSuccess) return e;
    call c;
    const launch_shape shape{p->grid, p->block, p->dynamic_shared_bytes, false};
    error e = cudaSuccess;
    if (p->extra != nullptr) {
      byte_span parameters;
      e = read_extra(p->extra, parameters);
      if (e == cudaSuccess) e = make_call(*f, shape, parameters, c);
    } else {
      e = make_call(*f, shape, p->arguments, c);
    }
    c.handle = handle;
    o = std::move(c);
    return e;
  };
}

namespace {

template <class Parameters>
make_operation making_copy(const Parameters* p) {
  return [p](state& s, operation& o) {
    copy c;
    const error e = p != nullptr ? make_copy(s, *p, c) : cudaErrorInvalidValue;
    o = c;
    return e;
  };
}

}  // namespace

make_operation making(const copy_3d_parameters* p) { return making_copy(p); }
make_operation making(const driver_copy_3d* p) { return making_copy(p); }
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
    f.to = address_of(p->to);
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
  return [child](state&, operation& o) {
    const graph* g = find_graph(child);
    if (g == nullptr) return cudaErrorInvalidValue;
    if (!can_be_copied(*g)) return cudaErrorNotSupported;
    o = child_graph{copy_of(*g)};
    return cudaSuccess;
  };
}

make_operation making(allocation_node_parameters* p) {
  return [p](state& s, operation& o) {
    if (p == nullptr || p->bytes == 0) return cudaErrorInvalidValue;
    if (p->pool.handle_types != 0) return cudaErrorNotSupported;
    // The address is chosen now, and the memory is allocated when the graph runs.
    make_memory memory{0, p->bytes};
    if (const error e = next_address(s, p->bytes, memory.address); e != cudaSuccess) return e;
    p->pointer = pointer_to(memory.address);
    o = memory;
    return cudaSuccess;
  };
}

make_operation making(const memory_operation_parameters* p) {
  return [p](state& s, operation& o) {
    word_operations made;
    const error e = p != nullptr ? make_words(s, p->operations, p->count, made) : cudaErrorInvalidValue;
    o = std::move(made);
    return e;
  };
}

make_operation making_record(event* what) {
  return [what](state& s, operation& o) {
    if (!s.events.contains(what)) return cudaErrorInvalidValue;
    o = recording{what};
    return cudaSuccess;
  };
}
make_operation making_wait(event* what) {
  return [what](state& s, operation& o) {
    if (!s.events.contains(what)) return cudaErrorInvalidValue;
    o = waiting{what};
    return cudaSuccess;
  };
}
make_operation making_release(std::uint64_t address) {
  return [address](state&, operation& o) {
    o = release_memory{address};
    return cudaSuccess;
  };
}
make_operation making_release(const void* pointer) { return making_release(address_of(pointer)); }
make_operation making_nothing() {
  return [](state&, operation&) { return cudaSuccess; };
}

namespace {

make_operation refusing(node_type type) {
  return [type](state&, operation&) {
    const bool is_semaphore = type == external_signal_node || type == external_wait_node;
    if (is_semaphore) say("a graph node for an external semaphore was refused, because external semaphores need a GPU");
    return is_semaphore ? cudaErrorNotSupported : cudaErrorInvalidValue;
  };
}

make_operation making_kernel(const kernel_node_parameters* p) { return making(p); }
make_operation making_kernel(const driver_kernel_parameters* p) { return making(p, false); }

template <class Parameters>
make_operation making_any(Parameters* p) {
  if (p == nullptr) return refusing(conditional_node);
  switch (p->type) {
    case kernel_node: return making_kernel(&p->kernel);
    case copy_node: return making(&p->copy.parameters);
    case fill_node: return making(&p->fill);
    case host_node: return making(&p->host);
    case graph_node_type: return making(p->child);
    case empty_node: return making_nothing();
    case record_node: return making_record(p->event);
    case wait_node: return making_wait(p->event);
    case allocation_node: return making(&p->allocation);
    case release_node: return making_release(p->release);
    case memory_operation_node:
      if constexpr (requires { p->memory_operations; }) return making(&p->memory_operations);
      [[fallthrough]];
    default: return refusing(p->type);
  }
}

}  // namespace

make_operation making(node_parameters* p) { return making_any(p); }
make_operation making(driver_node_parameters* p) { return making_any(p); }

namespace {

// Whether the condition belongs to this graph, or to a graph that contains this graph.
bool is_within(const state& s, const graph* g, unsigned long long id) {
  if (g->id == id) return true;
  for (const auto& [handle, owned] : s.graphs) {
    const auto has = [&](const auto& self, const graph& in) -> bool {
      for (const auto& n : in.nodes)
        if (const auto* c = std::get_if<conditional>(&n->what))
          for (const auto& body : c->bodies)
            if (body.get() == g || self(self, *body)) return true;
      return false;
    };
    if (owned->id == id && has(has, *owned)) return true;
  }
  return false;
}

make_operation making(conditional_parameters* p, const graph* in) {
  return [p, in](state& s, operation& o) {
    const auto decides = s.conditions.find(p->handle);
    if (decides == s.conditions.end() || decides->second.decides || in == nullptr ||
        !is_within(s, in, decides->second.of_graph))
      return cudaErrorInvalidValue;
    const unsigned most = p->type == condition_if ? 2 : p->type == condition_while ? 1 : ~0u;
    if (p->type < condition_if || p->type > condition_switch || p->size == 0 || p->size > std::min(most, 1u << 20))
      return cudaErrorInvalidValue;
    conditional made{p->handle, p->type, {}, {}};
    for (unsigned i = 0; i < p->size; ++i) {
      made.bodies.push_back(std::make_shared<graph>());
      made.bodies.back()->id = s.next_id++;
      made.handles.push_back(made.bodies.back().get());
    }
    decides->second.decides = true;
    o = std::move(made);
    return cudaSuccess;
  };
}

template <class Parameters>
error add_any(state& s, node** made, graph* handle, node* const* after, const edge_data* edges, std::size_t count,
              Parameters* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  if (p->type != conditional_node) return add_graph_node(s, made, handle, after, edges, count, making(p));
  const error e = add_graph_node(s, made, handle, after, edges, count, making(&p->conditional, find_graph(handle)));
  if (e == cudaSuccess) p->conditional.bodies = std::get<conditional>((*made)->what).handles.data();
  return e;
}

}  // namespace

error add_graph_node(state& s, node** made, graph* handle, node* const* after, const edge_data* edges,
                     std::size_t count, const make_operation& make) {
  graph* g = find_graph(handle);
  if (g == nullptr || made == nullptr || (count != 0 && after == nullptr)) return cudaErrorInvalidValue;
  std::vector<dependency> all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto same = [&](const dependency& d) { return d.on == after[i]; };
    if (find_node(after[i]) == nullptr || after[i]->owner != g || std::any_of(all.begin(), all.end(), same))
      return cudaErrorInvalidValue;
    all.push_back({after[i], edges != nullptr ? edges[i] : edge_data{}});
  }
  operation o;
  if (const error e = make(s, o); e != cudaSuccess) return e;
  if (const auto* r = std::get_if<release_memory>(&o)) {
    const auto is = [&](const auto& n, bool release) {
      const auto* given = std::get_if<make_memory>(&n->what);
      const auto* freed = std::get_if<release_memory>(&n->what);
      return release ? freed != nullptr && freed->address == r->address
                     : given != nullptr && given->address == r->address;
    };
    const auto any = [&](bool release) {
      return std::any_of(g->nodes.begin(), g->nodes.end(), [&](const auto& n) { return is(n, release); });
    };
    const auto it = s.allocations.find(r->address);
    const bool given_before = it != s.allocations.end() && it->second.of_graph;
    if (any(true) || (!any(false) && !given_before && !is_of_any_graph(s, r->address))) return cudaErrorInvalidValue;
  }
  *made = add_node(s, *g, std::move(o), {});
  (*made)->after = std::move(all);
  return cudaSuccess;
}
error add_graph_node(state& s, node** made, graph* handle, node* const* after, const edge_data* edges,
                     std::size_t count, node_parameters* p) {
  return add_any(s, made, handle, after, edges, count, p);
}
error add_graph_node(state& s, node** made, graph* handle, node* const* after, const edge_data* edges,
                     std::size_t count, driver_node_parameters* p) {
  return add_any(s, made, handle, after, edges, count, p);
}

error change(state& s, node* handle, const make_operation& make) {
  operation o;
  if (find_node(handle) == nullptr) return cudaErrorInvalidValue;
  if (const error e = make(s, o); e != cudaSuccess) return e;
  if (o.index() != handle->what.index()) return cudaErrorInvalidValue;
  if (auto* now = std::get_if<call>(&o)) {  // a kernel node keeps its attributes
    const call& before = std::get<call>(handle->what);
    now->how.cooperative = before.how.cooperative;
    if (handle->attributes.contains(launch_cluster)) now->how.cluster = before.how.cluster;
  }
  handle->what = std::move(o);
  return cudaSuccess;
}
error change(state& s, graph_exec* exec, node* handle, const make_operation& make) {
  if (!s.execs.contains(exec) || find_node(handle) == nullptr) return cudaErrorInvalidValue;
  return change(s, find_node(*exec->copy, handle->id), make);
}

namespace {

// Returns one pointer for each argument of a kernel node. The bytes of the arguments are in the node.
void** arguments_of(node& n) {
  auto& c = std::get<call>(n.what);
  n.arguments.clear();
  for (const cubin::parameter& p : c.what->kernel->params) n.arguments.push_back(c.how.parameters.data() + p.offset);
  return n.arguments.empty() ? nullptr : n.arguments.data();
}
dim3 as_dim3(const std::array<std::uint32_t, 3>& a) { return {a[0], a[1], a[2]}; }
const void* handle_of(const call& c) { return c.handle != nullptr ? c.handle : c.what; }

}  // namespace

error tell(node* handle, kernel_node_parameters* p) {
  const auto* c = of_kind<call>(handle, p);
  if (c == nullptr) return cudaErrorInvalidValue;
  *p = {const_cast<void*>(handle_of(*c)), as_dim3(c->how.grid),  as_dim3(c->how.block),
        c->how.dynamic_shared_bytes,      arguments_of(*handle), nullptr};
  return cudaSuccess;
}
error tell(node* handle, driver_kernel_parameters* p, bool is_first_form) {
  const auto* c = of_kind<call>(handle, p);
  if (c == nullptr) return cudaErrorInvalidValue;
  const driver_kernel_parameters all{
      c->what, as_dim3(c->how.grid), as_dim3(c->how.block), c->how.dynamic_shared_bytes, arguments_of(*handle), nullptr,
      nullptr, current_context()};
  std::memcpy(p, &all, is_first_form ? sizeof(first_kernel_parameters) : sizeof all);
  return cudaSuccess;
}
error tell(node* handle, copy_3d_parameters* p) {
  const auto* c = of_kind<copy>(handle, p);
  if (c == nullptr) return cudaErrorInvalidValue;
  const auto side = [&](std::uint64_t at, std::size_t pitch, std::size_t slice) {
    return pitched_pointer{pointer_to(at), pitch != 0 ? pitch : c->width, c->width,
                           pitch != 0 && slice != 0 ? slice / pitch : c->height};
  };
  *p = {};
  p->from = side(c->from, c->from_pitch, c->from_slice);
  p->to = side(c->to, c->to_pitch, c->to_slice);
  p->size = {c->width, c->height, c->depth};
  p->kind = c->kind;
  return cudaSuccess;
}
error tell(node* handle, driver_copy_3d* p) {
  copy_3d_parameters q;
  const error e = p != nullptr ? tell(handle, &q) : cudaErrorInvalidValue;
  if (e != cudaSuccess) return e;
  *p = {};
  const bool from_host = q.kind == host_to_device || q.kind == host_to_host,
             to_host = q.kind == device_to_host || q.kind == host_to_host;
  p->from_type = q.kind == by_address ? unified : from_host ? on_host : on_device;
  p->to_type = q.kind == by_address ? unified : to_host ? on_host : on_device;
  if (p->from_type == on_host)
    p->from_host = q.from.pointer;
  else
    p->from_device = address_of(q.from.pointer);
  if (p->to_type == on_host)
    p->to_host = q.to.pointer;
  else
    p->to_device = address_of(q.to.pointer);
  p->from_pitch = q.from.pitch;
  p->from_height = q.from.height;
  p->to_pitch = q.to.pitch;
  p->to_height = q.to.height;
  p->width = q.size.width;
  p->height = q.size.height;
  p->depth = q.size.depth;
  return cudaSuccess;
}
error tell(node* handle, fill_node_parameters* p) {
  const auto* f = of_kind<fill>(handle, p);
  if (f == nullptr) return cudaErrorInvalidValue;
  *p = {pointer_to(f->to), f->pitch, f->value, f->element_bytes, f->width, f->height};
  return cudaSuccess;
}
error tell(node* handle, host_node_parameters* p) {
  const auto* h = of_kind<host_call>(handle, p);
  if (h == nullptr) return cudaErrorInvalidValue;
  *p = {h->plain, h->data};
  return cudaSuccess;
}
error tell(node* handle, graph** child) {
  const auto* c = of_kind<child_graph>(handle, child);
  if (c == nullptr) return cudaErrorInvalidValue;
  *child = c->what.get();
  return cudaSuccess;
}
error tell(node* handle, allocation_node_parameters* p) {
  const auto* m = of_kind<make_memory>(handle, p);
  if (m == nullptr) return cudaErrorInvalidValue;
  *p = {};
  p->pool.allocation_type = 1;  // 1 means pinned device memory
  p->pool.location = {1, 0};
  p->bytes = m->bytes;
  p->pointer = pointer_to(m->address);
  return cudaSuccess;
}
error tell(node* handle, memory_operation_parameters* p) {
  auto* w = of_kind<word_operations>(handle, p);
  if (w == nullptr) return cudaErrorInvalidValue;
  *p = {current_context(), static_cast<unsigned>(w->what.size()), w->what.data(), 0};
  return cudaSuccess;
}
error tell_recorded(node* handle, event** e) {
  const auto* r = of_kind<recording>(handle, e);
  if (r == nullptr) return cudaErrorInvalidValue;
  *e = r->what;
  return cudaSuccess;
}
error tell_awaited(node* handle, event** e) {
  const auto* w = of_kind<waiting>(handle, e);
  if (w == nullptr) return cudaErrorInvalidValue;
  *e = w->what;
  return cudaSuccess;
}
error tell_released(node* handle, void* p) {
  const auto* r = of_kind<release_memory>(handle, p);
  if (r == nullptr) return cudaErrorInvalidValue;
  std::memcpy(p, &r->address, sizeof r->address);
  return cudaSuccess;
}

namespace {

// The attributes of a kernel node: number in cudaLaunchAttributeID, default value.
struct attribute_row {
  int which;
  unsigned char initial[2];
};
constexpr attribute_row node_attributes[] = {
    {1, {}},  // access policy window: accesses whose data stay in L2
    {launch_cooperative, {}},
    {launch_cluster, {}},
    {5, {}},      // cluster scheduling policy
    {8, {}},      // priority
    {9, {0, 1}},  // memory synchronization domains 0 and 1
    {10, {}},
    {13, {}},
    {14, {}},
};
const attribute_row* row_of(int which) {
  const auto* row = std::find_if(std::begin(node_attributes), std::end(node_attributes),
                                 [&](const attribute_row& r) { return r.which == which; });
  return row != std::end(node_attributes) ? row : nullptr;
}

}  // namespace

error tell_attribute(node* handle, int which, attribute_value* value) {
  const auto* c = of_kind<call>(handle);
  const attribute_row* row = row_of(which);
  if (c == nullptr || row == nullptr || value == nullptr) return cudaErrorInvalidValue;
  *value = {};
  std::memcpy(value->bytes, row->initial, sizeof row->initial);
  if (which == launch_cooperative) value->bytes[0] = c->how.cooperative ? 1 : 0;
  if (which == launch_cluster) std::memcpy(value->bytes, c->how.cluster.data(), sizeof c->how.cluster);
  if (const auto set = handle->attributes.find(which); set != handle->attributes.end()) *value = set->second;
  return cudaSuccess;
}

error set_attribute(node* handle, int which, const attribute_value* value) {
  auto* c = of_kind<call>(handle);
  if (c == nullptr || row_of(which) == nullptr || value == nullptr) return cudaErrorInvalidValue;
  call changed = *c;
  if (which == launch_cooperative || which == launch_cluster) {
    launch_attribute said{static_cast<launch_attribute_id>(which), {}, {}};
    std::memcpy(said.bytes, value->bytes, sizeof said.bytes);
    launch_shape shape{as_dim3(c->how.grid), as_dim3(c->how.block), c->how.dynamic_shared_bytes, c->how.cooperative,
                       as_dim3(c->how.cluster)};
    if (const error e = read_attributes(&said, 1, shape); e != cudaSuccess) return e;
    if (const error e = make_call(*c->what, shape, c->how.parameters, changed); e != cudaSuccess) return e;
  }
  *c = std::move(changed);
  handle->attributes[which] = *value;
  return cudaSuccess;
}

error copy_attributes(node* to, node* from) {
  if (of_kind<call>(to) == nullptr || of_kind<call>(from) == nullptr) return cudaErrorInvalidValue;
  for (const attribute_row& row : node_attributes) {
    attribute_value value;
    if (const error e = tell_attribute(from, row.which, &value); e != cudaSuccess) return e;
    if (const error e = set_attribute(to, row.which, &value); e != cudaSuccess) return e;
  }
  return cudaSuccess;
}

}  // namespace bankwise::cuda
