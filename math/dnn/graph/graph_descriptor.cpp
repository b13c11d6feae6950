// cuDNN's graph API. A program creates, fills, finalizes and executes descriptors. There is one engine, without knobs
// and without a workspace. Finalizing an unsupported graph fails with a message.
#include "math/dnn/graph/graph_descriptor.hpp"

#include <algorithm>
#include <mutex>

#include "base/format.hpp"
#include "math/dnn/dnn_call.hpp"

using namespace bankwise::dnn;

namespace bankwise::dnn {

std::vector<std::int64_t> graph_descriptor_content::integers(int name) const {
  std::vector<std::int64_t> values;
  const graph_attribute* const a = find(name);
  if (a == nullptr) return values;
  const std::size_t size = bytes_of_attribute(a->type);
  for (std::size_t i = 0; (i + 1) * size <= a->bytes.size(); ++i) {
    std::int64_t value = 0;
    std::memcpy(&value, a->bytes.data() + i * size, std::min(size, sizeof value));
    if (size == 4) value = static_cast<std::int32_t>(value);
    values.push_back(value);
  }
  return values;
}

double graph_descriptor_content::number(int name, double otherwise) const {
  const graph_attribute* const a = find(name);
  if (a == nullptr || a->bytes.size() < bytes_of_attribute(a->type)) return otherwise;
  if (a->type == double_type) return math::load<double>(a->bytes.data());
  if (a->type == float_type) return static_cast<double>(math::load<float>(a->bytes.data()));
  return static_cast<double>(integers(name)[0]);
}

}  // namespace bankwise::dnn

namespace {

constexpr std::int64_t most_elements = 1 << 16;
constexpr int first_type = 0, last_type = 43;

using content = graph_descriptor_content;

std::string described(const content& c, int name) {
  return bankwise::formatted("attribute {} of a graph descriptor of type {}", name, c.type);
}

// Returns the graph that belongs to an engine, to its configuration, to a heuristic or to a plan.
const content* graph_of(const content* c) {
  for (int steps = 0; c != nullptr && steps < 4; ++steps) {
    switch (c->type) {
      case operation_graph: return c;
      case engine: c = c->child(at_engine_graph); break;
      case engine_config: c = c->child(at_enginecfg_engine); break;
      case engine_heuristic: c = c->child(at_engineheur_graph); break;
      case execution_plan: c = c->child(at_execution_plan_engine_config); break;
      default: return nullptr;
    }
  }
  return nullptr;
}
std::shared_ptr<const content> shared_child(const content& c, int name) {
  const graph_attribute* const a = c.find(name);
  return a == nullptr || a->children.empty() ? nullptr : a->children[0];
}

void set_child(content& c, int name, std::shared_ptr<const content> child) {
  graph_attribute a;
  a.type = descriptor_type;
  a.count = 1;
  a.children.push_back(std::move(child));
  c.attributes[name] = std::move(a);
}
// Returns the engine for a graph. make_configuration() returns a configuration with this engine.
std::shared_ptr<const content> make_engine(std::shared_ptr<const content> graph) {
  auto made = std::make_shared<content>();
  made->type = engine;
  made->is_final = true;
  set_child(*made, at_engine_graph, std::move(graph));
  return made;
}
std::shared_ptr<const content> make_configuration(std::shared_ptr<const content> graph) {
  auto made = std::make_shared<content>();
  made->type = engine_config;
  made->is_final = true;
  set_child(*made, at_enginecfg_engine, make_engine(std::move(graph)));
  return made;
}

// Plans as texts, such as {"bankwise_plan":3}. XLA writes each plan as a text, and reads the text before it executes
// the plan. A text is valid only in this process.
struct written_plans {
  std::mutex mutex;
  std::vector<std::shared_ptr<const content>> configurations;
};
written_plans& all_written_plans() {
  static written_plans& all = *new written_plans;
  return all;
}
std::string name_of_plan(std::size_t number) { return bankwise::formatted("{{\"bankwise_plan\":{}}}", number); }
std::string write_plan(const content& plan) {
  written_plans& all = all_written_plans();
  const std::lock_guard lock(all.mutex);
  const auto configuration = shared_child(plan, at_execution_plan_engine_config);
  const auto same = [&](const std::shared_ptr<const content>& one) {
    return graph_of(one.get())->program == graph_of(configuration.get())->program;
  };
  const auto known = std::find_if(all.configurations.begin(), all.configurations.end(), same);
  const auto number = static_cast<std::size_t>(known - all.configurations.begin());
  if (known == all.configurations.end()) all.configurations.push_back(configuration);
  return name_of_plan(number);
}
bool read_plan(content& plan) {
  const graph_attribute& text = plan.attributes.at(at_execution_plan_json_representation);
  std::string name(reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size());
  name.resize(std::strlen(name.c_str()));
  written_plans& all = all_written_plans();
  const std::lock_guard lock(all.mutex);
  for (std::size_t i = 0; i < all.configurations.size(); ++i)
    if (name_of_plan(i) == name) {
      set_child(plan, at_execution_plan_engine_config, all.configurations[i]);
      return true;
    }
  return false;
}

// An attribute that programs only read: a count, a size or a list.
struct answer {
  bool is_known = false;
  std::vector<std::int64_t> integers;
  std::vector<std::shared_ptr<const content>> children;
};
answer ask(const content& c, int name) {
  switch (name) {
    case at_engineheur_results: {
      const auto graph = shared_child(c, at_engineheur_graph);
      return {true, {}, {make_configuration(graph)}};
    }
    case at_graph_engine_global_count: return {true, {1}, {}};
    case at_execution_plan_workspace_size:
    case at_enginecfg_workspace_size:
    case at_enginecfg_shared_memory_used:
    case at_engine_global_index: return {true, {0}, {}};
    case at_engine_numerical_note:
    case at_engine_behavior_note:
    case at_engine_layout_info:
    case at_engine_knob_info:
    case at_enginecfg_knob_choices:
    case at_enginecfg_intermediate_info: return {true, {}, {}};
    default: return {};
  }
}

status give_children(const std::vector<std::shared_ptr<const content>>& children, std::int64_t requested,
                     std::int64_t* count, void* to) {
  give(count, static_cast<std::int64_t>(children.size()));
  if (to == nullptr || requested <= 0) return success;
  auto** const places = static_cast<graph_descriptor**>(to);
  for (std::size_t i = 0; i < children.size() && i < static_cast<std::size_t>(requested); ++i) {
    if (places[i] == nullptr) return bad_param_null;
    *places[i]->is = *children[i];
  }
  return success;
}

status finish(content& c) {
  switch (c.type) {
    case operation_graph: {
      std::string why;
      bool is_invalid = false;
      c.program = make_program(c, why, is_invalid);
      if (c.program == nullptr && is_invalid) return reject(why, not_supported_pattern);
      if (c.program == nullptr)
        return refuse(bankwise::formatted("a graph of operations with {}", why), not_supported_pattern);
      break;
    }
    case engine:
      if (const auto index = c.integers(at_engine_global_index); !index.empty() && index[0] != 0)
        return refuse(bankwise::formatted("engine {}", index[0]));
      [[fallthrough]];
    case engine_config:
    case engine_heuristic:
    case execution_plan: {
      if (c.type == execution_plan && c.find(at_execution_plan_json_representation) != nullptr && !read_plan(c))
        return refuse("a plan that another process wrote");
      const content* const graph = graph_of(&c);
      if (graph == nullptr || graph->program == nullptr) return bad_param_not_finalized;
      break;
    }
    case knob_info:
    case signal_operation: return refuse(bankwise::formatted("a graph descriptor of type {}", c.type));
    default: break;
  }
  c.is_final = true;
  return success;
}

template <class Body>
status guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return alloc_failed;
  } catch (const std::exception&) {
    return execution_failed;
  }
}

}  // namespace

CUDA_API int cudnnBackendCreateDescriptor(int type, graph_descriptor** made) {
  if (made == nullptr) return bad_param_null;
  if (type < first_type || type > last_type) return refuse(bankwise::formatted("a graph descriptor of type {}", type));
  return guarded([&] {
    *made = new graph_descriptor;
    (*made)->is->type = type;
    return success;
  });
}
CUDA_API int cudnnBackendDestroyDescriptor(graph_descriptor* d) { return destroy(d); }
CUDA_API int cudnnBackendInitialize(graph_descriptor* d) { return d == nullptr ? bad_param_null : success; }

CUDA_API int cudnnBackendSetAttribute(graph_descriptor* d, int name, int type, std::int64_t count, const void* from) {
  if (d == nullptr || (from == nullptr && count > 0)) return bad_param_null;
  if (d->is->is_final || count < 0 || count > most_elements) return bad_param;
  const std::size_t size = bytes_of_attribute(type);
  if (size == 0)
    return refuse(bankwise::formatted("{} as type {}", described(*d->is, name), type), bad_param_attribute_type);
  return guarded([&] {
    graph_attribute a;
    a.type = type;
    a.count = count;
    const auto* const bytes = static_cast<const std::byte*>(from);
    if (type == descriptor_type) {
      for (std::int64_t i = 0; i < count; ++i) {
        const graph_descriptor* const child = static_cast<graph_descriptor* const*>(from)[i];
        if (child == nullptr) return bad_param_null;
        if (!child->is->is_final) return bad_param_not_finalized;
        a.children.push_back(std::make_shared<content>(*child->is));
      }
    } else if (count > 0) {
      a.bytes.assign(bytes, bytes + static_cast<std::size_t>(count) * size);
    }
    d->is->attributes[name] = std::move(a);
    return success;
  });
}

CUDA_API int cudnnBackendGetAttribute(const graph_descriptor* d, int name, int type, std::int64_t requested,
                                      std::int64_t* count, void* to) {
  if (d == nullptr) return bad_param_null;
  return guarded([&] {
    const content& c = *d->is;
    if (const graph_attribute* const a = c.find(name); a != nullptr) {
      if (a->type != type) return bad_param_attribute_type;
      if (type == descriptor_type) return give_children(a->children, requested, count, to);
      give(count, a->count);
      if (to != nullptr && requested > 0 && !a->bytes.empty())
        std::memcpy(to, a->bytes.data(),
                    static_cast<std::size_t>(std::min(requested, a->count)) * bytes_of_attribute(type));
      return success;
    }
    if (name == at_execution_plan_json_representation && c.type == execution_plan && c.is_final &&
        type == character_type) {
      const std::string text = write_plan(c);
      give(count, static_cast<std::int64_t>(text.size()));
      if (to != nullptr && requested > 0)
        std::memcpy(to, text.data(), std::min(text.size(), static_cast<std::size_t>(requested)));
      return success;
    }
    const answer known = ask(c, name);
    if (!known.is_known) {
      give(count, 0);
      return refuse(bankwise::formatted("asking for {}", described(c, name)));
    }
    if (type == descriptor_type) return give_children(known.children, requested, count, to);
    give(count, static_cast<std::int64_t>(known.integers.size()));
    const std::size_t size = bytes_of_attribute(type);
    for (std::size_t i = 0; to != nullptr && i < known.integers.size() && i < static_cast<std::size_t>(requested); ++i)
      std::memcpy(static_cast<std::byte*>(to) + i * size, &known.integers[i], std::min(size, sizeof(std::int64_t)));
    return success;
  });
}

CUDA_API int cudnnBackendFinalize(graph_descriptor* d) {
  if (d == nullptr) return bad_param_null;
  return guarded([&] { return finish(*d->is); });
}

CUDA_API int cudnnBackendExecute(const handle* h, const graph_descriptor* plan, const graph_descriptor* pack) {
  if (h == nullptr || plan == nullptr || pack == nullptr) return bad_param_null;
  if (!plan->is->is_final) return bad_param_not_finalized;
  return guarded([&] {
    const content* const graph = graph_of(plan->is.get());
    if (plan->is->type != execution_plan || graph == nullptr || pack->is->type != variant_pack) return bad_param;
    if (pack->is->find(at_variant_pack_override_unique_ids) != nullptr)
      return refuse("a variant pack that overrides shapes");
    const std::vector<std::int64_t> numbers = pack->is->integers(at_variant_pack_unique_ids),
                                    addresses = pack->is->integers(at_variant_pack_data_pointers);
    if (numbers.size() != addresses.size()) return bad_param;
    std::vector<graph_argument> arguments;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      arguments.push_back({numbers[i], reinterpret_cast<void*>(addresses[i])});
    return run_program(h, graph->program, arguments);
  });
}
