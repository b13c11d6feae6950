#include "graph.hpp"

#include <algorithm>
#include <map>

namespace bankwise::cuda {

node* add_node(state& s, graph& g, operation what, std::vector<node*> after) {
  auto n = std::make_unique<node>();
  n->owner = &g;
  n->id = s.next_id++;
  n->what = std::move(what);
  n->after = std::move(after);
  g.nodes.push_back(std::move(n));
  return g.nodes.back().get();
}

std::unique_ptr<graph> copy_of(const graph& g) {
  auto made = std::make_unique<graph>();
  made->id = g.id;
  std::map<const node*, node*> copies;
  for (const auto& n : g.nodes) {
    auto copied = std::make_unique<node>(*n);
    copied->owner = made.get();
    if (auto* child = std::get_if<child_graph>(&copied->what)) child->what = copy_of(*child->what);
    copies[n.get()] = copied.get();
    made->nodes.push_back(std::move(copied));
  }
  for (const auto& n : made->nodes)
    for (node*& before : n->after) before = copies.at(before);
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
          !std::all_of(n->after.begin(), n->after.end(), [&](const node* before) { return placed[before]; }))
        continue;
      placed[n.get()] = true;
      order.push_back(n.get());
      any = true;
    }
  }
  if (order.size() < g.nodes.size()) order.clear();
  return order;
}

error perform_all(state& s, const graph& g) {
  for (const node* n : in_order(g))
    if (n->enabled && s.sticky == cudaSuccess)
      if (const error e = perform(s, n->what); e != cudaSuccess) return e;
  return cudaSuccess;
}

node* find_node(const graph& g, unsigned long long id) {
  for (const auto& n : g.nodes)
    if (n->id == id) return n.get();
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

error instantiate(state& s, graph_exec** made, const graph& g, unsigned long long flags) {
  if (made == nullptr) return cudaErrorInvalidValue;
  if (!g.nodes.empty() && in_order(g).empty()) return cudaErrorInvalidValue;
  auto exec = std::make_unique<graph_exec>();
  exec->copy = copy_of(g);
  exec->flags = flags;
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

error list(const std::vector<node*>& from, node** to, std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to != nullptr)
    for (std::size_t i = 0; i < *count; ++i) to[i] = i < from.size() ? from[i] : nullptr;
  *count = to != nullptr ? std::min(*count, from.size()) : from.size();
  return cudaSuccess;
}

error list_nodes(const graph& g, bool roots_only, node** to, std::size_t* count) {
  std::vector<node*> some;
  for (const auto& n : g.nodes)
    if (!roots_only || n->after.empty()) some.push_back(n.get());
  return list(some, to, count);
}

node_type type_of(const operation& o) {
  static constexpr node_type types[] = {empty_node,  kernel_node, copy_node,       fill_node,       host_node,
                                        record_node, wait_node,   graph_node_type, allocation_node, release_node,
                                        host_node};
  static_assert(std::size(types) == std::variant_size_v<operation>);
  return types[o.index()];
}

}  // namespace bankwise::cuda
