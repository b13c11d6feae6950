// Helpers of the tests of cuDNN's graphs: operations with their tensors, plans, and runs.
#pragma once

#include "math/dnn/cudnn_support.hpp"

namespace bankwise::test {
extern "C" {
int cudnnBackendPopulateCudaGraph();
}
namespace {

// A descriptor of the graph API whose attributes are being set.
class node {
 public:
  explicit node(int type) { EXPECT_EQ(cudnnBackendCreateDescriptor(type, &is_), success); }
  ~node() { cudnnBackendDestroyDescriptor(is_); }
  node(const node&) = delete;
  node(node&& from) noexcept : is_(std::exchange(from.is_, nullptr)) {}
  operator graph_descriptor*() const { return is_; }

  node& set(int name, const node& child) {
    graph_descriptor* const one = child;
    return raw(name, descriptor_type, 1, &one);
  }
  node& integers(int name, const std::vector<std::int64_t>& values) {
    return raw(name, int64_type, static_cast<std::int64_t>(values.size()), values.data());
  }
  node& number(int name, double value) { return raw(name, double_type, 1, &value); }
  node& value(int name, int type, int value) { return raw(name, type, 1, &value); }
  node& raw(int name, int type, std::int64_t count, const void* values) {
    EXPECT_EQ(cudnnBackendSetAttribute(is_, name, type, count, values), success) << name;
    return *this;
  }
  node& finish() {
    EXPECT_EQ(cudnnBackendFinalize(is_), success);
    return *this;
  }

 private:
  graph_descriptor* is_ = nullptr;
};

constexpr int data_type_type = 1, boolean_type = 2, conv_mode_type = 7, heuristic_type = 8, pointwise_type = 14,
              reduction_type = 18, resample_type = 21, norm_type = 27, phase_type = 28;

// Builds a graph from numbered tensors and a sequence of operations.
class graph_maker {
 public:
  struct handle_of {
    std::int64_t number;
    tensor shape;
  };
  handle_of tensor_of(const tensor& t, bool is_virtual = false, bool is_value = false) {
    const std::int64_t number = static_cast<std::int64_t>(tensors_.size()) + 100;
    node made(tensor_descriptor);
    const char virtual_flag = is_virtual, value_flag = is_value;
    made.value(at_tensor_data_type, data_type_type, t.type)
        .integers(at_tensor_dimensions, std::vector<std::int64_t>(t.dims, t.dims + t.rank))
        .integers(at_tensor_strides, std::vector<std::int64_t>(t.strides, t.strides + t.rank))
        .integers(at_tensor_unique_id, {number})
        .integers(at_tensor_byte_alignment, {16})
        .raw(at_tensor_is_virtual, boolean_type, 1, &virtual_flag)
        .raw(at_tensor_is_by_value, boolean_type, 1, &value_flag)
        .finish();
    tensors_.push_back(std::move(made));
    return {number, t};
  }
  handle_of given(const tensor& t, const std::vector<double>& values) {
    const handle_of h = tensor_of(t);
    const auto made = memory_.emplace(h.number, std::make_unique<device_tensor>(t, values));
    pointers_.emplace_back(h.number, made.first->second->at());
    return h;
  }
  handle_of result(const tensor& t) {
    return given(t, std::vector<double>(static_cast<std::size_t>(count_of(t)), -77));
  }
  handle_of between(const tensor& t) { return tensor_of(t, true); }
  handle_of constant(double value) {
    const handle_of h = tensor_of(packed(f64, {1, 1, 1, 1}), false, true);
    constants_.push_back(std::make_unique<double>(value));
    pointers_.emplace_back(h.number, constants_.back().get());
    return h;
  }
  const node& of(const handle_of& h) const { return tensors_[static_cast<std::size_t>(h.number - 100)]; }
  std::vector<double> read(const handle_of& h) const { return memory_.at(h.number)->read(); }
  void* place(const handle_of& h) const { return memory_.at(h.number)->at(); }
  void add(node operation) { operations_.push_back(std::move(operation)); }
  void pointwise_of(int mode, const handle_of& x, const handle_of* b, const handle_of& y, const handle_of* t = nullptr,
                    const std::function<void(node&)>& more = {}) {
    node what(pointwise_descriptor);
    what.value(at_pointwise_mode, pointwise_type, mode).value(at_pointwise_math_prec, data_type_type, f64);
    if (more) more(what);
    what.finish();
    const bool back = mode >= pw_relu_bwd && mode <= pw_gelu_approx_tanh_bwd;
    node o(pointwise);
    o.set(at_pointwise_pw_descriptor, what)
        .set(at_pointwise_xdesc, of(x))
        .set(back ? at_pointwise_dxdesc : at_pointwise_ydesc, of(y));
    if (b != nullptr) o.set(back ? at_pointwise_dydesc : at_pointwise_bdesc, of(*b));
    if (t != nullptr) o.set(at_pointwise_tdesc, of(*t));
    add(std::move(o.finish()));
  }
  void matmul_of(const handle_of& a, const handle_of& b, const handle_of& c) {
    node what(matmul_descriptor);
    what.value(at_matmul_comp_type, data_type_type, f64).finish();
    node o(matmul);
    o.set(at_matmul_desc, what).set(at_matmul_adesc, of(a)).set(at_matmul_bdesc, of(b)).set(at_matmul_cdesc, of(c));
    add(std::move(o.finish()));
  }
  void reduce(int op, const handle_of& x, const handle_of& y) {
    node what(reduction_descriptor);
    what.value(at_reduction_operator, reduction_type, op).value(at_reduction_comp_type, data_type_type, f64).finish();
    node o(reduction_of);
    o.set(at_reduction_desc, what).set(at_reduction_xdesc, of(x)).set(at_reduction_ydesc, of(y));
    add(std::move(o.finish()));
  }

  // Finalizes the graph and returns the status.
  int finalize(math::handle* h) {
    graph_ = std::make_unique<node>(operation_graph);
    std::vector<graph_descriptor*> all;
    for (const node& o : operations_) all.push_back(o);
    graph_->raw(at_graph_handle, handle_type, 1, &h)
        .raw(at_graph_ops, descriptor_type, static_cast<std::int64_t>(all.size()), all.data());
    return cudnnBackendFinalize(*graph_);
  }
  int execute(math::handle* h) {
    EXPECT_EQ(finalize(h), success);
    node heuristic(engine_heuristic), configuration(engine_config);
    heuristic.set(at_engineheur_graph, *graph_).value(at_engineheur_mode, heuristic_type, 0).finish();
    std::int64_t count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(heuristic, at_engineheur_results, descriptor_type, 0, &count, nullptr), success);
    EXPECT_EQ(count, 1);
    graph_descriptor* found = configuration;
    EXPECT_EQ(cudnnBackendGetAttribute(heuristic, at_engineheur_results, descriptor_type, 1, &count, &found), success);
    node plan(execution_plan), pack(variant_pack);
    plan.raw(at_execution_plan_handle, handle_type, 1, &h).set(at_execution_plan_engine_config, configuration).finish();
    std::int64_t bytes = 1;
    EXPECT_EQ(cudnnBackendGetAttribute(plan, at_execution_plan_workspace_size, int64_type, 1, nullptr, &bytes),
              success);
    EXPECT_EQ(bytes, 0);
    std::vector<std::int64_t> numbers;
    std::vector<void*> addresses;
    for (const auto& [number, at] : pointers_) {
      numbers.push_back(number);
      addresses.push_back(at);
    }
    pack.integers(at_variant_pack_unique_ids, numbers)
        .raw(at_variant_pack_data_pointers, pointer_type, static_cast<std::int64_t>(addresses.size()), addresses.data())
        .finish();
    return cudnnBackendExecute(h, plan, pack);
  }
  const node& graph() const { return *graph_; }

 private:
  std::vector<node> tensors_, operations_;
  std::map<std::int64_t, std::unique_ptr<device_tensor>> memory_;
  std::vector<std::unique_ptr<double>> constants_;
  std::vector<std::pair<std::int64_t, void*>> pointers_;
  std::unique_ptr<node> graph_;
};

}  // namespace
}  // namespace bankwise::test
