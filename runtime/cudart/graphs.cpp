// The runtime's functions for graphs. These functions copy variables or check parameters. Functions that only call the
// driver are not in this file.
#include "runtime/cudart/define_entries.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/node_parameters.hpp"

using namespace bankwise::cuda;

namespace {

// Returns a function that makes the operation of a graph node. This operation copies from or to a variable.
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

error tell_type(node* n, node_type* type) {
  return find_node(n) == nullptr ? cudaErrorInvalidValue : put(type, type_of(n->what));
}

error find_in_clone(node** found, node* original, graph* copy) {
  if (find_graph(copy) == nullptr || found == nullptr || find_node(original) == nullptr) return cudaErrorInvalidValue;
  *found = find_node(*copy, original->id);
  return *found != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

// Evaluates `status` if the graph `g` or the node `n` is valid. Otherwise, returns an error.
#define OF_GRAPH(status) (find_graph(g) != nullptr ? (status) : cudaErrorInvalidValue)
#define OF_NODE(status) (find_node(n) != nullptr ? (status) : cudaErrorInvalidValue)

#include "runtime/cudart/entries/graph_nodes.def"
#include "runtime/cudart/entries/graphs.def"
