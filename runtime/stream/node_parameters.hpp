// Converts the parameters of graph nodes between structures of the program and operations, for the runtime and the
// driver.
#pragma once

#include <functional>

#include "runtime/stream/graph.hpp"

namespace bankwise::cuda {

// Makes the operation of a node. Returns an error if the parameters are not valid.
using make_operation = std::function<error(state&, operation&)>;

make_operation making(const kernel_node_parameters* p);
make_operation making(const driver_kernel_parameters* p, bool is_first_form);
make_operation making(const copy_3d_parameters* p);
make_operation making(const driver_copy_3d* p);
make_operation making(void* to, const void* from, std::size_t bytes, copy_kind kind);
make_operation making(const fill_node_parameters* p);
make_operation making(const host_node_parameters* p);
make_operation making(graph* child);
make_operation making(allocation_node_parameters* p);
make_operation making(const memory_operation_parameters* p);
make_operation making_record(event* what);
make_operation making_wait(event* what);
make_operation making_release(std::uint64_t address);
make_operation making_release(const void* pointer);
make_operation making_nothing();

error add_graph_node(state& s, node** made, graph* handle, node* const* after, const edge_data* edges,
                     std::size_t count, const make_operation& make);
// Adds a node of any kind.
error add_graph_node(state& s, node** made, graph* handle, node* const* after, const edge_data* edges,
                     std::size_t count, node_parameters* p);
error add_graph_node(state& s, node** made, graph* handle, node* const* after, const edge_data* edges,
                     std::size_t count, driver_node_parameters* p);
// Replaces the operation of a node by an operation of the same type. With `exec`, changes the corresponding node of
// this instantiated graph instead.
error change(state& s, node* handle, const make_operation& make);
error change(state& s, graph_exec* exec, node* handle, const make_operation& make);
make_operation making(node_parameters* p);
make_operation making(driver_node_parameters* p);

error tell(node* handle, kernel_node_parameters* p);
error tell(node* handle, driver_kernel_parameters* p, bool is_first_form);
error tell(node* handle, copy_3d_parameters* p);
error tell(node* handle, driver_copy_3d* p);
error tell(node* handle, fill_node_parameters* p);
error tell(node* handle, host_node_parameters* p);
error tell(node* handle, graph** child);
error tell(node* handle, allocation_node_parameters* p);
error tell(node* handle, memory_operation_parameters* p);
error tell_recorded(node* handle, event** e);
error tell_awaited(node* handle, event** e);
error tell_released(node* handle, void* p);

// Reads the attribute with the number `which` of a kernel node.
error tell_attribute(node* handle, int which, attribute_value* value);
error set_attribute(node* handle, int which, const attribute_value* value);
error copy_attributes(node* to, node* from);

}  // namespace bankwise::cuda
