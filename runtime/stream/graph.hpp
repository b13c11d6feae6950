// Graphs: operations and their dependencies. An instantiated graph is a separate copy of its graph.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/stream/operation.hpp"

namespace bankwise::cuda {

struct dependency {
  node* on = nullptr;
  edge_data how{};
};

// A node of a graph. A handle that a program passes is valid if it is the address of an existing node.
struct node {
  graph* owner = nullptr;
  unsigned long long id = 0;  // id of the node; corresponding nodes in copies of the graph have the same id
  operation what;
  std::vector<dependency> after;  // nodes of the same graph on which this node depends
  bool enabled = true;
  std::map<int, attribute_value> attributes;  // attributes that the program set, for a kernel node
  std::vector<void*> arguments;               // arguments of a kernel node, as pointers for the program

  node();
  node(const node& other);
  node& operator=(const node&) = delete;
  ~node();
};

// A pointer of the program with a reference count. Graphs and the program own references. When the last reference is
// removed, the program's destructor function is called.
struct user_object {
  void* pointer = nullptr;
  host_function destroy = nullptr;
  unsigned long held = 0;
};
struct graph {
  unsigned long long id = 0;
  std::vector<std::unique_ptr<node>> nodes;
  std::map<user_object*, unsigned> objects;  // key: object; value: number of references by this graph
  bool invalid = false;                      // whether the program made a forbidden call during the capture

  graph();
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  ~graph();
};

struct graph_exec {
  std::shared_ptr<graph> copy;
  unsigned long long flags = 0;
};

// Returns the graph of the handle, or null if the handle is not valid.
graph* find_graph(graph* handle);
node* find_node(node* handle);

node* add_node(state& s, graph& g, operation what, const std::vector<node*>& after);
// Copies the nodes, their dependencies and all child graphs.
std::unique_ptr<graph> copy_of(const graph& g);
// Returns the nodes in an order that respects the dependencies. If several orders are possible, earlier added nodes
// come first. Returns an empty list if there is a cycle.
std::vector<const node*> in_order(const graph& g);
// Whether the driver can copy the graph. The driver cannot copy graphs with allocations or conditions.
bool can_be_copied(const graph& g);
// Sets the conditions of a graph and of all graphs in it to their initial values. Call this once for each launch, not
// for each iteration of a body.
void begin_conditions(state& s, const graph& g);
error perform_all(state& s, const graph& g);
// Finds the node with this id in a graph or in one of its child graphs. Returns null if there is no such node.
node* find_node(const graph& g, unsigned long long id);

error create_graph(state& s, graph** made);
error destroy_graph(state& s, graph* handle);
error clone(state& s, graph** made, graph* handle);
error instantiate(state& s, graph_exec** made, const graph& g, unsigned long long flags);
error instantiate(state& s, graph_exec** made, const graph& g, instantiate_parameters* p);
// Copies the parameters of a graph's nodes to the nodes of an instantiated graph. Both graphs must have the same nodes.
error update(state& s, graph_exec* exec, graph* handle, update_result* result);
error launch_graph(state& s, graph_exec* exec, stream* on);
error enable(state& s, graph_exec* exec, node* handle, bool enabled);
error is_enabled(state& s, graph_exec* exec, node* handle, unsigned* enabled);

// Copies at most `count` nodes into the array, and sets `count`. If the array is null, only sets `count` to the number
// of nodes.
error list(const std::vector<node*>& from, node** to, std::size_t* count);
error list(const std::vector<dependency>& from, node** to, edge_data* edges, std::size_t* count);
error list_nodes(const graph& g, bool roots_only, node** to, std::size_t* count);
error list_edges(graph* handle, node** from, node** to, edge_data* edges, std::size_t* count);
std::vector<dependency> dependents(const node& n);
error change_edges(graph* handle, node* const* from, node* const* to, const edge_data* edges, std::size_t count,
                   bool add_them);
error destroy_node(node* handle);

// Makes a condition that belongs to a graph. Sets `handle`.
error make_condition(state& s, unsigned long long* handle, graph* g, unsigned initial, unsigned flags);
// Removes `count` references to the object. Calls its destructor function after the last reference is removed.
void let_go(user_object* object, unsigned count);
error make_user_object(user_object** made, void* pointer, host_function destroy, unsigned count, unsigned flags);
error retain(user_object* object, unsigned count);
error release(user_object* object, unsigned count);
error retain_in(graph* handle, user_object* object, unsigned count, unsigned flags);
error release_in(graph* handle, user_object* object, unsigned count);

// Returns the graphs that a node contains: a child graph, or the bodies of a condition.
std::vector<graph*> parts_of(const node& n);
node_type type_of(const operation& o);
// Writes the graph to a file in the DOT language of Graphviz.
error print_graph(graph* handle, const char* path, unsigned flags);

// Whether a node of any graph made the allocation at this address.
bool is_of_any_graph(const state& s, std::uint64_t address);
error tell_graph_memory(state& s, int device, int which, void* value);
error reset_graph_memory(state& s, int device, int which, const void* value);

}  // namespace bankwise::cuda
