#include "runtime/stream/graph.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "runtime/memory/allocation.hpp"
#include "runtime/stream/stream.hpp"

namespace bankwise::cuda {

namespace {

// This set is never destroyed, because it must outlive all other objects.
std::set<const graph*>& live_graphs() {
  static auto* const all = new std::set<const graph*>;
  return *all;
}
std::set<const node*>& live_nodes() {
  static auto* const all = new std::set<const node*>;
  return *all;
}

bool is_sound(const graph& g) {
  if (!g.nodes.empty() && in_order(g).empty()) return false;
  return std::all_of(g.nodes.begin(), g.nodes.end(), [](const auto& n) {
    const auto parts = parts_of(*n);
    return std::all_of(parts.begin(), parts.end(), [](const graph* part) { return is_sound(*part); });
  });
}

bool uses_all_conditions(const state& s, const graph& g) {
  return std::all_of(s.conditions.begin(), s.conditions.end(),
                     [&](const auto& c) { return c.second.of_graph != g.id || c.second.decides; });
}

// The reasons why an update of an instantiated graph fails.
enum update_problem : int { no_problem, other_problem, topology_changed, type_changed };

bool can_be_off(const operation& o) {
  return std::holds_alternative<call>(o) || std::holds_alternative<copy>(o) || std::holds_alternative<fill>(o);
}

node* in_exec(state& s, graph_exec* exec, node* handle) {
  return s.execs.contains(exec) && find_node(handle) != nullptr ? find_node(*exec->copy, handle->id) : nullptr;
}

}  // namespace

std::vector<graph*> parts_of(const node& n) {
  std::vector<graph*> parts;
  if (const auto* child = std::get_if<child_graph>(&n.what)) parts.push_back(child->what.get());
  if (const auto* c = std::get_if<conditional>(&n.what))
    for (const auto& body : c->bodies) parts.push_back(body.get());
  return parts;
}

node::node() { live_nodes().insert(this); }
node::node(const node& other)
    : owner(other.owner),
      id(other.id),
      what(other.what),
      after(other.after),
      enabled(other.enabled),
      attributes(other.attributes) {
  live_nodes().insert(this);
}
node::~node() { live_nodes().erase(this); }

graph::graph() { live_graphs().insert(this); }
graph::~graph() {
  live_graphs().erase(this);
  for (const auto& [object, count] : objects) let_go(object, count);
}

graph* find_graph(graph* handle) { return live_graphs().contains(handle) ? handle : nullptr; }
node* find_node(node* handle) { return live_nodes().contains(handle) ? handle : nullptr; }

node* add_node(state& s, graph& g, operation what, const std::vector<node*>& after) {
  auto n = std::make_unique<node>();
  n->owner = &g;
  n->id = s.next_id++;
  n->what = std::move(what);
  for (node* before : after) n->after.push_back({before, {}});
  g.nodes.push_back(std::move(n));
  return g.nodes.back().get();
}

std::unique_ptr<graph> copy_of(const graph& g) {
  auto made = std::make_unique<graph>();
  made->id = g.id;
  made->objects = g.objects;
  for (const auto& [object, count] : made->objects) object->held += count;
  std::map<const node*, node*> copies;
  for (const auto& n : g.nodes) {
    auto copied = std::make_unique<node>(*n);
    copied->owner = made.get();
    if (auto* child = std::get_if<child_graph>(&copied->what)) child->what = copy_of(*child->what);
    if (auto* c = std::get_if<conditional>(&copied->what))
      for (std::size_t i = 0; i < c->bodies.size(); ++i) {
        c->bodies[i] = copy_of(*c->bodies[i]);
        c->handles[i] = c->bodies[i].get();
      }
    copies[n.get()] = copied.get();
    made->nodes.push_back(std::move(copied));
  }
  for (const auto& n : made->nodes)
    for (dependency& d : n->after) d.on = copies.at(d.on);
  return made;
}

std::vector<const node*> in_order(const graph& g) {
  std::vector<const node*> order;
  std::map<const node*, bool> placed;
  bool any = true;
  while (any && order.size() < g.nodes.size()) {
    any = false;
    for (const auto& n : g.nodes) {
      if (placed[n.get()] ||
          !std::all_of(n->after.begin(), n->after.end(), [&](const dependency& d) { return placed[d.on]; }))
        continue;
      placed[n.get()] = true;
      order.push_back(n.get());
      any = true;
    }
  }
  if (order.size() < g.nodes.size()) order.clear();
  return order;
}

bool can_be_copied(const graph& g) {
  return std::all_of(g.nodes.begin(), g.nodes.end(), [](const auto& n) {
    const auto* child = std::get_if<child_graph>(&n->what);
    return !std::holds_alternative<make_memory>(n->what) && !std::holds_alternative<release_memory>(n->what) &&
           !std::holds_alternative<conditional>(n->what) && (child == nullptr || can_be_copied(*child->what));
  });
}

void begin_conditions(state& s, const graph& g) {
  for (auto& [handle, c] : s.conditions)
    if (c.of_graph == g.id && c.begins_anew) c.value = c.initial;
  for (const auto& n : g.nodes)
    for (const graph* part : parts_of(*n)) begin_conditions(s, *part);
}

error perform_all(state& s, const graph& g) {
  const program_clock::place at = s.clock.here();
  const bool is_inside = s.clock.is_in_graph();
  const moment begin = is_inside ? s.clock.end_of_node() : s.clock.begin_graph();
  std::map<const node*, moment> ends;
  moment last = begin;
  for (const node* n : in_order(g)) {
    moment& end = ends[n];
    end = begin;
    for (const dependency& d : n->after) end = later(end, ends[d.on]);
    if (!n->enabled || s.sticky != cudaSuccess) continue;
    s.clock.resume(at);
    s.clock.begin_node(end);
    for (const dependency& d : n->after) s.clock.wait(ends[d.on]);
    if (const error e = perform(s, n->what); e != cudaSuccess) return e;
    end = s.clock.end_of_node();
    last = later(last, end);
  }
  s.clock.resume(at);
  if (is_inside)
    s.clock.begin_node(last);
  else
    s.clock.end_graph(last);
  return cudaSuccess;
}

node* find_node(const graph& g, unsigned long long id) {
  for (const auto& n : g.nodes) {
    if (n->id == id) return n.get();
    for (const graph* part : parts_of(*n))
      if (node* found = find_node(*part, id)) return found;
  }
  return nullptr;
}

error create_graph(state& s, graph** made) {
  if (made == nullptr) return cudaErrorInvalidValue;
  auto g = std::make_unique<graph>();
  g->id = s.next_id++;
  *made = g.get();
  s.graphs[*made] = std::move(g);
  return cudaSuccess;
}

error destroy_graph(state& s, graph* handle) {
  return s.graphs.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidValue;
}

error clone(state& s, graph** made, graph* handle) {
  const graph* g = find_graph(handle);
  if (g == nullptr || made == nullptr) return cudaErrorInvalidValue;
  if (!can_be_copied(*g)) return cudaErrorNotSupported;
  auto copied = copy_of(*g);
  *made = copied.get();
  s.graphs[*made] = std::move(copied);
  return cudaSuccess;
}

error instantiate(state& s, graph_exec** made, const graph& g, unsigned long long flags) {
  if (made == nullptr || !is_sound(g) || !uses_all_conditions(s, g)) return cudaErrorInvalidValue;
  auto exec = std::make_unique<graph_exec>();
  exec->copy = copy_of(g);
  exec->flags = flags;
  for (const auto& n : exec->copy->nodes)
    if (const auto* const c = std::get_if<call>(&n->what)) note_first_use(s, *c->what);
  *made = exec.get();
  s.execs[*made] = std::move(exec);
  return cudaSuccess;
}

error instantiate(state& s, graph_exec** made, const graph& g, instantiate_parameters* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  const error e = instantiate(s, made, g, p->flags);
  p->error_node = nullptr;
  p->result = e == cudaSuccess ? 0 : 1;
  return e;
}

namespace {

// Copies the parameters of another graph's nodes to the nodes of a graph, and does the same for child graphs.
int update(graph& to, const graph& from, node** where) {
  const std::vector<const node*> now = in_order(to), then = in_order(from);
  if (now.size() != then.size()) return topology_changed;
  std::map<const node*, std::size_t> places;
  for (std::size_t i = 0; i < then.size(); ++i) {
    places[now[i]] = places[then[i]] = i;
    *where = const_cast<node*>(then[i]);
    if (now[i]->what.index() != then[i]->what.index()) return type_changed;
    const auto &a = now[i]->after, &b = then[i]->after;
    if (a.size() != b.size()) return topology_changed;
    for (const dependency& d : a)
      if (std::none_of(b.begin(), b.end(), [&](const dependency& e) { return places[e.on] == places[d.on]; }))
        return topology_changed;
    if (parts_of(*now[i]).size() != parts_of(*then[i]).size()) return topology_changed;
  }
  for (std::size_t i = 0; i < then.size(); ++i) {
    auto* n = const_cast<node*>(now[i]);
    const auto mine = parts_of(*n), others = parts_of(*then[i]);
    for (std::size_t p = 0; p < mine.size(); ++p)
      if (const int problem = update(*mine[p], *others[p], where); problem != no_problem) return problem;
    if (mine.empty()) n->what = then[i]->what;
  }
  *where = nullptr;
  return no_problem;
}

}  // namespace

error update(state& s, graph_exec* exec, graph* handle, update_result* result) {
  graph* g = find_graph(handle);
  if (!s.execs.contains(exec) || g == nullptr) return cudaErrorInvalidValue;
  node* where = nullptr;
  // Updates a copy, so that a failed update has no effect.
  const std::unique_ptr<graph> next = copy_of(*exec->copy);
  const int problem = update(*next, *g, &where);
  if (result != nullptr) *result = {problem, where, nullptr};
  if (problem != no_problem) return cudaErrorGraphExecUpdateFailure;
  update(*exec->copy, *g, &where);
  return cudaSuccess;
}

error launch_graph(state& s, graph_exec* exec, stream* on) {
  return s.execs.contains(exec) ? enqueue(s, on, child_graph{exec->copy}) : cudaErrorInvalidValue;
}

error enable(state& s, graph_exec* exec, node* handle, bool enabled) {
  node* n = in_exec(s, exec, handle);
  if (n == nullptr || !can_be_off(n->what)) return cudaErrorInvalidValue;
  n->enabled = enabled;
  return cudaSuccess;
}

error is_enabled(state& s, graph_exec* exec, node* handle, unsigned* enabled) {
  const node* n = in_exec(s, exec, handle);
  if (n == nullptr || enabled == nullptr || !can_be_off(n->what)) return cudaErrorInvalidValue;
  *enabled = n->enabled ? 1 : 0;
  return cudaSuccess;
}

error list(const std::vector<node*>& from, node** to, std::size_t* count) {
  std::vector<dependency> all;
  for (node* n : from) all.push_back({n, {}});
  return list(all, to, nullptr, count);
}

namespace {

// Whether the dependency has no edge data. A query that returns no edge data fails if a dependency has edge data.
bool is_plain(const dependency& d) { return d.how.from_port == 0 && d.how.to_port == 0 && d.how.type == 0; }

}  // namespace

error list(const std::vector<dependency>& from, node** to, edge_data* edges, std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to != nullptr && edges == nullptr && !std::all_of(from.begin(), from.end(), is_plain)) return cudaErrorLossyQuery;
  for (std::size_t i = 0; to != nullptr && i < *count; ++i) {
    to[i] = i < from.size() ? from[i].on : nullptr;
    if (edges != nullptr) edges[i] = i < from.size() ? from[i].how : edge_data{};
  }
  *count = to != nullptr ? std::min(*count, from.size()) : from.size();
  return cudaSuccess;
}

error list_nodes(const graph& g, bool roots_only, node** to, std::size_t* count) {
  std::vector<node*> some;
  for (const auto& n : g.nodes)
    if (!roots_only || n->after.empty()) some.push_back(n.get());
  return list(some, to, count);
}

error list_edges(graph* handle, node** from, node** to, edge_data* edges, std::size_t* count) {
  const graph* g = find_graph(handle);
  if (g == nullptr || count == nullptr) return cudaErrorInvalidValue;
  const bool fills = from != nullptr && to != nullptr;
  std::size_t n = 0;
  for (const auto& late : g->nodes)
    for (const dependency& d : late->after) {
      if (fills && edges == nullptr && !is_plain(d)) return cudaErrorLossyQuery;
      if (fills && n < *count) {
        from[n] = d.on, to[n] = late.get();
        if (edges != nullptr) edges[n] = d.how;
      }
      ++n;
    }
  *count = fills ? std::min(*count, n) : n;
  return cudaSuccess;
}

std::vector<dependency> dependents(const node& n) {
  std::vector<dependency> some;
  for (const auto& other : n.owner->nodes)
    for (const dependency& d : other->after)
      if (d.on == &n) some.push_back({other.get(), d.how});
  return some;
}

error change_edges(graph* handle, node* const* from, node* const* to, const edge_data* edges, std::size_t count,
                   bool add_them) {
  const graph* g = find_graph(handle);
  if (g == nullptr || (count != 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
  const auto edge = [&](std::size_t i) {
    return std::find_if(to[i]->after.begin(), to[i]->after.end(), [&](const dependency& d) { return d.on == from[i]; });
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (find_node(from[i]) == nullptr || find_node(to[i]) == nullptr || from[i]->owner != g || to[i]->owner != g)
      return cudaErrorInvalidValue;
    if (from[i] == to[i] || (edge(i) != to[i]->after.end()) == add_them) return cudaErrorInvalidValue;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (add_them)
      to[i]->after.push_back({from[i], edges != nullptr ? edges[i] : edge_data{}});
    else if (const auto at = edge(i); at != to[i]->after.end())
      to[i]->after.erase(at);
  }
  return cudaSuccess;
}

error destroy_node(node* handle) {
  if (find_node(handle) == nullptr) return cudaErrorInvalidValue;
  const operation& o = handle->what;
  if (std::holds_alternative<make_memory>(o) || std::holds_alternative<release_memory>(o)) return cudaErrorNotSupported;
  graph& g = *handle->owner;
  for (const auto& other : g.nodes) std::erase_if(other->after, [&](const dependency& d) { return d.on == handle; });
  std::erase_if(g.nodes, [&](const auto& owned) { return owned.get() == handle; });
  return cudaSuccess;
}

error make_condition(state& s, unsigned long long* handle, graph* g, unsigned initial, unsigned flags) {
  if (handle == nullptr || find_graph(g) == nullptr || flags > 1) return cudaErrorInvalidValue;
  *handle = s.next_id++;
  s.conditions[*handle] = {g->id, initial, 0, flags == 1, false};
  return cudaSuccess;
}

node_type type_of(const operation& o) {
  static constexpr node_type types[] = {empty_node,
                                        kernel_node,
                                        copy_node,
                                        fill_node,
                                        host_node,
                                        record_node,
                                        wait_node,
                                        graph_node_type,
                                        allocation_node,
                                        release_node,
                                        memory_operation_node,
                                        conditional_node,
                                        host_node};
  static_assert(std::size(types) == std::variant_size_v<operation>);
  return types[o.index()];
}

bool is_of_any_graph(const state&, std::uint64_t address) {
  return std::any_of(live_nodes().begin(), live_nodes().end(), [&](const node* n) {
    const auto* m = std::get_if<make_memory>(&n->what);
    return m != nullptr && m->address == address;
  });
}

error tell_graph_memory(state& s, int device, int which, void* value) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (which < 0 || which > 3 || value == nullptr) return cudaErrorInvalidValue;
  // An attribute with an even number contains the bytes in use. An attribute with an odd number contains their peak.
  // Reserved bytes equal used bytes, because freed memory is not kept.
  const std::uint64_t bytes = which % 2 == 0 ? graph_bytes(s) : s.most_graph_bytes;
  std::memcpy(value, &bytes, sizeof bytes);
  return cudaSuccess;
}

error reset_graph_memory(state& s, int device, int which, const void* value) {
  std::uint64_t to = 0;
  if (device != 0) return cudaErrorInvalidDevice;
  if (value != nullptr) std::memcpy(&to, value, sizeof to);
  if (which < 0 || which > 3 || which % 2 == 0 || value == nullptr || to != 0) return cudaErrorInvalidValue;
  s.most_graph_bytes = graph_bytes(s);
  return cudaSuccess;
}

}  // namespace bankwise::cuda
