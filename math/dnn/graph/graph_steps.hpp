// Converts the operations of a graph to steps. The functions add_...(builder, operation) return false if a part of the
// operation is not supported, and store the reason in the builder.
#pragma once

#include <initializer_list>
#include <memory>
#include <set>
#include <string>

#include "math/dnn/graph/graph_descriptor.hpp"

namespace bankwise::dnn {

struct graph_builder {
  std::shared_ptr<graph_program> program = std::make_shared<graph_program>();
  std::set<std::int64_t> made;  // tensors that earlier steps compute
  std::string why;
  bool is_invalid = false;  // whether `why` is a complete sentence, about an error of the program

  bool refuse(const std::string& what);  // stores the unsupported part, and returns false
  bool reject(const std::string& what);  // stores an error of the program, and returns false
  // Returns the number of the tensor in an attribute. If there is no such attribute, stores an error and returns 0.
  std::int64_t reads(const graph_descriptor_content& operation, int name);
  std::int64_t writes(const graph_descriptor_content& operation, int name);
  // Records that the operation also reads this tensor, for example an output whose old value is blended in.
  void read(std::int64_t number);
  std::int64_t tensor_of(const graph_descriptor_content& operation, int name);
  std::int64_t add_tensor(const graph_descriptor_content& c);
  const tensor& shape(std::int64_t number) const;
  // Whether this list contains all attributes that the program has set.
  bool knows(const graph_descriptor_content& c, std::initializer_list<int> names);
};

bool add_convolution_forward(graph_builder& b, const graph_descriptor_content& operation);
bool add_convolution_back_data(graph_builder& b, const graph_descriptor_content& operation);
bool add_convolution_back_filter(graph_builder& b, const graph_descriptor_content& operation);
bool add_pointwise(graph_builder& b, const graph_descriptor_content& operation);
bool add_matmul(graph_builder& b, const graph_descriptor_content& operation);
bool add_reduction(graph_builder& b, const graph_descriptor_content& operation);
bool add_reshape(graph_builder& b, const graph_descriptor_content& operation);
bool add_concatenation(graph_builder& b, const graph_descriptor_content& operation);
bool add_statistics(graph_builder& b, const graph_descriptor_content& operation);
bool add_resample_forward(graph_builder& b, const graph_descriptor_content& operation);
bool add_norm_forward(graph_builder& b, const graph_descriptor_content& operation);
bool add_norm_back(graph_builder& b, const graph_descriptor_content& operation);
bool add_attention_forward(graph_builder& b, const graph_descriptor_content& operation);
bool add_attention_back(graph_builder& b, const graph_descriptor_content& operation);

}  // namespace bankwise::dnn
