// Descriptors of cuDNN's graph API: the attributes that the program has set, by number. An attribute that is a
// descriptor is copied, so later changes of the original have no effect.
//
//     tensor 17:      902 dimensions {2, 3, 20, 20}, 903 strides, 901 data type 0, 906 unique id 'x'
//     operation 10:   704 x, 703 w, 705 y (descriptors), 702 convolution, 700 alpha, 701 beta
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "math/dnn/graph/graph_program.hpp"

namespace bankwise::dnn {

// Types of descriptors, names of attributes, and some values of attributes.
enum graph_number : int {
#define NUMBER(name, number) name = number,
#include "math/dnn/graph/graph_numbers.def"
#undef NUMBER
};

inline constexpr int handle_type = 0, int64_type = 3, float_type = 4, double_type = 5, pointer_type = 6,
                     descriptor_type = 15, character_type = 24;
// Returns the size of an element of type cudnnBackendAttributeType_t, or 0 if the type is unknown.
inline std::size_t bytes_of_attribute(int type) {
  switch (type) {
    case 2:             // boolean
    case 24: return 1;  // character
    case int64_type:
    case double_type:
    case handle_type:
    case pointer_type:
    case descriptor_type: return 8;
    case 26: return 16;  // fraction
    default: return type > 0 && type <= 30 ? 4 : 0;
  }
}

struct graph_attribute {
  int type = 0;
  std::int64_t count = 0;
  std::vector<std::byte> bytes;
  std::vector<std::shared_ptr<const graph_descriptor_content>> children;
};

struct graph_descriptor_content {
  int type = 0;
  bool is_final = false;
  std::map<int, graph_attribute> attributes;
  std::shared_ptr<const graph_program> program;  // the program of a finalized graph

  const graph_attribute* find(int name) const {
    const auto a = attributes.find(name);
    return a == attributes.end() ? nullptr : &a->second;
  }
  const graph_descriptor_content* child(int name, std::size_t i = 0) const {
    const graph_attribute* const a = find(name);
    return a != nullptr && i < a->children.size() ? a->children[i].get() : nullptr;
  }
  std::vector<std::int64_t> integers(int name) const;
  double number(int name, double otherwise) const;
};

// The object to which the program's handle, a cudnnBackendDescriptor_t, points.
struct graph_descriptor {
  std::shared_ptr<graph_descriptor_content> is = std::make_shared<graph_descriptor_content>();
};

}  // namespace bankwise::dnn
