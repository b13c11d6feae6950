// Converts a graph of cuDNN's operations from descriptors to steps, and executes the steps in a stream.
#include <algorithm>
#include <memory>

#include "base/format.hpp"
#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/graph/graph_steps.hpp"

namespace bankwise::dnn {

namespace {

struct operation_words {
  int type;
  const char* name;
  bool (*add)(graph_builder&, const graph_descriptor_content&);
};
constexpr operation_words all_operations[] = {
    {convolution_forward, "convolution", add_convolution_forward},
    {convolution_back_data, "convolution's data gradient", add_convolution_back_data},
    {convolution_back_filter, "convolution's filter gradient", add_convolution_back_filter},
    {pointwise, "pointwise", add_pointwise},
    {matmul, "matmul", add_matmul},
    {reduction_of, "reduction", add_reduction},
    {reshape, "reshape", add_reshape},
    {concatenation, "concatenation", add_concatenation},
    {statistics, "statistics", add_statistics},
    {resample_forward, "resampling", add_resample_forward},
    {norm_forward, "normalisation", add_norm_forward},
    {norm_back, "normalisation's gradient", add_norm_back},
    {attention_forward, "attention", add_attention_forward},
    {attention_back, "attention's gradient", add_attention_back},
};

}  // namespace

namespace {

bool is_narrow(const graph_tensor& t) { return t.is_virtual && t.shape.type != f32 && t.shape.type != f64; }

}  // namespace

// --- reading descriptors

bool graph_builder::refuse(const std::string& what) {
  if (why.empty()) why = what;
  return false;
}
bool graph_builder::reject(const std::string& what) {
  if (why.empty()) is_invalid = true;
  return refuse(what);
}

std::int64_t graph_builder::tensor_of(const graph_descriptor_content& operation, int name) {
  const graph_descriptor_content* const c = operation.child(name);
  if (c == nullptr || c->type != tensor_descriptor) {
    refuse(bankwise::formatted("an operation of type {} without its attribute {}", operation.type, name));
    return 0;
  }
  return add_tensor(*c);
}

std::int64_t graph_builder::add_tensor(const graph_descriptor_content& c) {
  for (const auto& [name, a] : c.attributes) switch (name) {
      case at_tensor_byte_alignment:
      case at_tensor_data_type:
      case at_tensor_dimensions:
      case at_tensor_strides:
      case at_tensor_unique_id:
      case at_tensor_is_virtual:
      case at_tensor_is_by_value: break;
      case at_tensor_vector_count:
      case at_tensor_vectorized_dimension:
        if (name == at_tensor_vector_count && c.number(name, 1) != 1) refuse("a vectorized tensor");
        break;
      case at_tensor_reordering_mode:
        if (c.number(name, 0) != 0) refuse("a reordered tensor");
        break;
      default: refuse(bankwise::formatted("attribute {} of a tensor", name)); break;
    }
  graph_tensor t;
  const auto numbers = c.integers(at_tensor_unique_id), dims = c.integers(at_tensor_dimensions),
             strides = c.integers(at_tensor_strides), type = c.integers(at_tensor_data_type);
  if (numbers.size() != 1 || type.size() != 1 || dims.size() != strides.size() || dims.empty() ||
      dims.size() > most_dimensions) {
    refuse("a tensor that has too many dimensions, or that lacks dimensions, strides, a type or a unique ID");
    return 0;
  }
  t.number = numbers[0];
  t.is_virtual = c.number(at_tensor_is_virtual, 0) != 0;
  t.is_value = c.number(at_tensor_is_by_value, 0) != 0;
  t.shape.type = static_cast<int>(type[0]);
  t.shape.rank = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), t.shape.dims);
  std::copy(strides.begin(), strides.end(), t.shape.strides);
  if (bytes_of(t.shape.type) == 0) refuse(bankwise::formatted("a tensor of cudnnDataType_t {}", t.shape.type));
  if (!is_sound(t.shape)) refuse("a tensor that is empty, too large or has negative strides");
  if (t.is_value && count_of(t.shape) != 1) refuse("a tensor that is passed by value but has more than one element");
  if (t.shape.type == f64) program->in_doubles = true;
  program->tensors.emplace(t.number, t);
  return t.number;
}

std::int64_t graph_builder::reads(const graph_descriptor_content& operation, int name) {
  const std::int64_t number = tensor_of(operation, name);
  if (why.empty()) read(number);
  return number;
}
void graph_builder::read(std::int64_t number) {
  graph_tensor& t = program->tensors.at(number);
  if (made.count(number) != 0) return;
  if (t.is_virtual)
    refuse("a virtual tensor that is read before it is computed");
  else
    t.is_read = true;
}
std::int64_t graph_builder::writes(const graph_descriptor_content& operation, int name) {
  const std::int64_t number = tensor_of(operation, name);
  if (why.empty()) {
    graph_tensor& t = program->tensors.at(number);
    made.insert(number);
    if (!t.is_virtual) t.is_written = true;
  }
  return number;
}
const tensor& graph_builder::shape(std::int64_t number) const {
  static const tensor none;
  const auto t = program->tensors.find(number);
  return t == program->tensors.end() ? none : t->second.shape;
}
bool graph_builder::knows(const graph_descriptor_content& c, std::initializer_list<int> names) {
  for (const auto& [name, a] : c.attributes)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return refuse(bankwise::formatted("attribute {} of an operation of type {}", name, c.type));
  return true;
}

std::shared_ptr<const graph_program> make_program(const graph_descriptor_content& graph, std::string& why,
                                                  bool& is_invalid) {
  graph_builder b;
  const graph_attribute* const operations = graph.find(at_graph_ops);
  if (operations == nullptr || operations->children.empty()) {
    why = "a graph without operations";
    return nullptr;
  }
  // An operation is added when all its inputs exist, so the order in the program's list does not matter.
  std::vector<const graph_descriptor_content*> left;
  for (const auto& o : operations->children) left.push_back(o.get());
  while (!left.empty()) {
    std::string first_why;
    bool first_invalid = false;
    const auto next = std::find_if(left.begin(), left.end(), [&](const graph_descriptor_content* o) {
      const auto known = std::find_if(std::begin(all_operations), std::end(all_operations),
                                      [&](const operation_words& w) { return w.type == o->type; });
      graph_builder tried = b;
      tried.program = std::make_shared<graph_program>(*b.program);
      if (known == std::end(all_operations))
        tried.refuse(bankwise::formatted("an operation of type {}", o->type));
      else if (known->add(tried, *o) && tried.why.empty()) {
        for (const std::int64_t number : tried.made)
          if (b.made.count(number) == 0 && is_narrow(tried.program->tensors.at(number)))
            tried.program->steps.back().narrow.push_back(number);
        b = tried;
        b.program->name += (b.program->name.empty() ? "" : ", ") + std::string(known->name);
        return true;
      }
      if (first_why.empty()) {
        first_why = tried.why;
        first_invalid = tried.is_invalid;
      }
      return false;
    });
    if (next == left.end()) {
      why = first_why;
      is_invalid = first_invalid;
      return nullptr;
    }
    left.erase(next);
  }
  return b.program;
}

// --- execution in a stream

namespace {

struct bound_tensor {
  const graph_tensor* is = nullptr;
  place<const std::byte> from;
  place<std::byte> to;
  double value = 0;  // the value of an element in host memory
};

template <class T>
void compute(const graph_program& p, const std::vector<bound_tensor>& bound, const view& v) {
  graph_values<T> values{p.tensors, {}};
  for (const bound_tensor& b : bound) {
    if (!b.is->is_read) continue;
    if (b.is->is_value)
      values.known[b.is->number] = {static_cast<T>(b.value)};
    else
      values.known[b.is->number] = numbers<T>(b.is->shape, b.from.at(v));
  }
  for (const graph_step& step : p.steps) {
    if constexpr (std::is_same_v<T, double>)
      step.in_doubles(values);
    else
      step.in_floats(values);
    for (const std::int64_t number : step.narrow) round_to(p.tensors.at(number).shape.type, values.known.at(number));
  }
  for (const bound_tensor& b : bound)
    if (b.is->is_written) blend(b.is->shape, b.to.at(v), values.in(b.is->number).data());
}

}  // namespace

status run_program(const math::handle* h, std::shared_ptr<const graph_program> p,
                   const std::vector<graph_argument>& arguments) {
  return perform(h, "cudnnBackendExecute", [&](routine& r) {
    if (p->by_blas) r.by_blas();
    r.work(p->work);
    std::vector<bound_tensor> bound;
    for (const auto& [number, t] : p->tensors) {
      if (!t.is_read && !t.is_written) continue;
      const auto a = std::find_if(arguments.begin(), arguments.end(),
                                  [n = number](const graph_argument& one) { return one.number == n; });
      if (a == arguments.end() || a->at == nullptr) {
        refuse(bankwise::formatted("a graph that is executed without a pointer for tensor {}", number), bad_param);
        return math::invalid_value;
      }
      bound_tensor b;
      b.is = &t;
      if (t.is_value)
        b.value = number_at(t.shape.type, static_cast<const std::byte*>(a->at));
      else {
        if (t.is_read || reach_of(t.shape) != count_of(t.shape)) b.from = r.reads_bytes(a->at, bytes_of(t.shape));
        if (t.is_written) b.to = r.writes_bytes(a->at, bytes_of(t.shape));
      }
      bound.push_back(b);
    }
    return r.perform([p, bound](const view& v) {
      if (p->in_doubles)
        compute<double>(*p, bound, v);
      else
        compute<float>(*p, bound, v);
    });
  });
}

}  // namespace bankwise::dnn
