// Graphs: operations with their dependencies. An instantiated graph is a separate copy.
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

// A node of a graph. A handle from a program is valid if it is the address of an existing node.
struct node {
  graph* owner = nullptr;
  unsigned long long id = 0;  // copies of the graph have nodes with equal ids
  operation what;
  std::vector<dependency> after;  // earlier nodes in the same graph
  bool enabled = true;
  std::map<int, attribute_value> attributes;  // attributes of a kernel node that the program set
  std::vector<void*> arguments;               // arguments of a kernel node, as returned to the program

  node();
  node(const node& other);
  node& operator=(const node&) = delete;
  ~node();
};

// A pointer of the program that graphs keep alive. When the last reference is removed, the destructor function is
// called.
struct user_object {
  void* pointer = nullptr;
  host_function destroy = nullptr;
  unsigned long held = 0;
};
struct graph {
  unsigned long long id = 0;
  std::vector<std::unique_ptr<node>> nodes;
  std::map<user_object*, unsigned> objects;  // by object: number of references that the graph holds
  bool invalid = false;                      // in a capture: whether the program made a forbidden call

  graph();
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  ~graph();
};

struct graph_exec {
  std::shared_ptr<graph> copy;
  unsigned long long flags = 0;
};

// Returns the graph if the handle is valid, or null.
graph* find_graph(graph* handle);
node* find_node(node* handle);

node* add_node(state& s, graph& g, operation what, const std::vector<node*>& after);
// Copies the nodes and their dependencies, and also child graphs.
std::unique_ptr<graph> copy_of(const graph& g);
// The nodes in an order that respects the dependencies, otherwise in the order of addition. Empty if there is a cycle.
std::vector<const node*> in_order(const graph& g);
// Whether the driver would copy the graph: it does not copy graphs with allocations or conditions.
bool can_be_copied(const graph& g);
// Resets the conditions of a graph and of all graphs in it. Call this once for each launch, not for each iteration of a
// body.
void begin_conditions(state& s, const graph& g);
error perform_all(state& s, const graph& g);
// Finds a node by its id in a graph, in a copy of the graph, or in a child graph. Null if there is none.
node* find_node(const graph& g, unsigned long long id);

error create_graph(state& s, graph** made);
error destroy_graph(state& s, graph* handle);
error clone(state& s, graph** made, graph* handle);
error instantiate(state& s, graph_exec** made, const graph& g, unsigned long long flags);
error instantiate(state& s, graph_exec** made, const graph& g, instantiate_parameters* p);
// Gives the nodes of an instantiated graph other parameters. The other graph must have the same nodes.
error update(state& s, graph_exec* exec, graph* handle, update_result* result);
error launch_graph(state& s, graph_exec* exec, stream* on);
error enable(state& s, graph_exec* exec, node* handle, bool enabled);
error is_enabled(state& s, graph_exec* exec, node* handle, unsigned* enabled);

// Fills the array with at most `count` nodes. If the pointer is null, sets `count` to the number of nodes.
error list(const std::vector<node*>& from, node** to, std::size_t* count);
error list(const std::vector<dependency>& from, node** to, edge_data* edges, std::size_t* count);
error list_nodes(const graph& g, bool roots_only, node** to, std::size_t* count);
error list_edges(graph* handle, node** from, node** to, edge_data* edges, std::size_t* count);
std::vector<dependency> dependents(const node& n);
error change_edges(graph* handle, node* const* from, node* const* to, const edge_data* edges, std::size_t count,
                   bool add_them);
error destroy_node(node* handle);

// Makes a condition for a graph, and its handle.
error make_condition(state& s, unsigned long long* handle, graph* g, unsigned initial, unsigned flags);
// Called when a kernel sets a condition. Returns false if the condition does not exist.
bool set_condition(state& s, unsigned long long handle, unsigned value);

// Removes `count` references. Calls the destructor function after the last one.
void let_go(user_object* object, unsigned count);
error make_user_object(user_object** made, void* pointer, host_function destroy, unsigned count, unsigned flags);
error retain(user_object* object, unsigned count);
error release(user_object* object, unsigned count);
error retain_in(graph* handle, user_object* object, unsigned count, unsigned flags);
error release_in(graph* handle, user_object* object, unsigned count);

// The graphs that a node contains: a child graph, or the bodies of a condition.
std::vector<graph*> parts_of(const node& n);
node_type type_of(const operation& o);
// Writes the graph to a file in the DOT language of Graphviz.
error print_graph(graph* handle, const char* path, unsigned flags);

// Whether a node of some graph makes this allocation.
bool is_of_any_graph(const state& s, std::uint64_t address);
error tell_graph_memory(state& s, int device, int which, void* value);
error reset_graph_memory(state& s, int device, int which, const void* value);

}  // namespace bankwise::cuda
