// The program that executes a graph of cuDNN operations. Its steps compute on arrays without gaps. Tensors are
// identified by numbers. A virtual tensor has no memory in the user's program.
//
//     x, w -> convolution -> v (virtual);  v, b -> add -> u (virtual);  u -> relu -> y
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "math/dnn/dnn_tensor.hpp"

namespace bankwise::dnn {

struct graph_tensor {
  std::int64_t number = 0;
  tensor shape;
  // is_value: the user's program passes the value of an element in host memory instead of a device address
  bool is_virtual = false, is_value = false;
  // Whether the graph reads or writes memory of the user's program for this tensor.
  bool is_read = false, is_written = false;
};

// The elements of all tensors while a graph runs.
template <class T>
struct graph_values {
  const std::map<std::int64_t, graph_tensor>& tensors;
  std::map<std::int64_t, std::vector<T>> known;

  const tensor& shape(std::int64_t number) const { return tensors.at(number).shape; }
  const std::vector<T>& in(std::int64_t number) const { return known.at(number); }
  std::vector<T>& out(std::int64_t number) {
    std::vector<T>& values = known[number];
    values.assign(static_cast<std::size_t>(count_of(shape(number))), T(0));
    return values;
  }
};

struct graph_step {
  std::function<void(graph_values<float>&)> in_floats;
  std::function<void(graph_values<double>&)> in_doubles;
  std::vector<std::int64_t> narrow = {};  // virtual results whose type has fewer digits than a float
};

struct graph_program {
  std::map<std::int64_t, graph_tensor> tensors;
  std::vector<graph_step> steps;
  std::string name;  // names of the operations, such as "convolution forward, pointwise"
  bool in_doubles = false;
  bool by_blas = false;
  cuda::library_work work;  // of all steps, with the shape of the largest product

  void add_work(cuda::library_work w) {
    const bool is_largest = w.operations > work.operations;
    const double all = w.operations + work.operations;
    if (is_largest) work = w;
    work.operations = all;
  }
  template <class F>
  void add(F step) {
    steps.push_back({step, step});
  }
};

struct graph_descriptor_content;
// Returns null if a part of the graph is not supported. `why` receives the reason.
std::shared_ptr<const graph_program> make_program(const graph_descriptor_content& graph, std::string& why,
                                                  bool& is_invalid);

// The data of a tensor: the value of an element in host memory, or a device address.
struct graph_argument {
  std::int64_t number = 0;
  void* at = nullptr;
};
status run_program(const math::handle* h, std::shared_ptr<const graph_program> p,
                   const std::vector<graph_argument>& arguments);

}  // namespace bankwise::dnn
