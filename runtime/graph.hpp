// Graphs: operations with what each waits for. An instantiated graph is a copy of its own.
#pragma once

#include <memory>
#include <vector>

#include "operation.hpp"

namespace bankwise::cuda {

struct node {
  graph* owner = nullptr;
  unsigned long long id = 0;  // a copy keeps it
  operation what;
  std::vector<node*> after;  // in the same graph
  bool enabled = true;
};

struct graph {
  unsigned long long id = 0;
  std::vector<std::unique_ptr<node>> nodes;
  std::vector<std::vector<std::byte>> argument_bytes;  // what cudaGraphKernelNodeGetParams points into
};

struct graph_exec {
  std::shared_ptr<graph> copy;
  unsigned long long flags = 0;
};

node* add_node(state& s, graph& g, operation what, std::vector<node*> after);
// Nodes and what they wait for; children are copied too.
std::unique_ptr<graph> copy_of(const graph& g);
// Each after all that it waits for, of equals the first that was added first; empty: they wait in a circle.
std::vector<const node*> in_order(const graph& g);
error perform_all(state& s, const graph& g);
// The node of a graph or of a copy of it; null: none.
node* find_node(const graph& g, unsigned long long id);

error create_graph(state& s, graph** made);
error instantiate(state& s, graph_exec** made, const graph& g, unsigned long long flags);
error instantiate(state& s, graph_exec** made, const graph& g, instantiate_parameters* p);
// Fills `to` with as many as it has room for; null: tells how many there are.
error list(const std::vector<node*>& from, node** to, std::size_t* count);
error list_nodes(const graph& g, bool roots_only, node** to, std::size_t* count);

node_type type_of(const operation& o);

}  // namespace bankwise::cuda
