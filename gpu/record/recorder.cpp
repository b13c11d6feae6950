#include "recorder.hpp"
#include "base/format.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cubin/elf_image.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/load_cubin.hpp"
#include "sass/fields/shared_operation.hpp"

namespace bankwise::record {

namespace {

struct patched_instruction {
  instrumented what;
  const char* patch;  // name of the function in patch.cu
};
constexpr patched_instruction patched_instructions[] = {
    {instrumented::shared_access, "bankwise_access"},
    {instrumented::matrix_access, "bankwise_matrix"},
    {instrumented::copy_async, "bankwise_copy"},
};

// Set while we call the API, because some functions of the API call this recorder again.
constinit thread_local bool busy = false;
struct busy_mark {
  busy_mark() { busy = true; }
  ~busy_mark() { busy = false; }
};

// Whether an instruction in this section can access shared memory.
bool can_access(const cubin::code_section& s, std::uint32_t sm) {
  for (std::size_t at = 0; at + cubin::instruction_bytes <= s.bytes.size(); at += cubin::instruction_bytes)
    if (sass::may_access_by_lanes(sass::load_instruction(s.bytes.data() + at, sass::isa_of(sm)))) return true;
  return false;
}

}  // namespace

recorder::recorder(const sanitizer_api& api, spool_writer& out, const schedule_options& options, kernel_filter filter,
                   std::string_view patch, std::function<bool()> in_range,
                   std::function<bool(handle stream)> is_capturing)
    : api_(api),
      out_(out),
      options_(options),
      schedule_(options),
      filter_(std::move(filter)),
      patch_(patch),
      in_range_(std::move(in_range)),
      is_capturing_(std::move(is_capturing)) {}

bool recorder::worked(std::uint32_t result, const char* what) {
  if (result == 0) return true;
  const char* text = nullptr;
  if (api_.GetResultString(result, &text) != 0 || text == nullptr) text = "unknown error";
  const std::string message = formatted("{}: {}", what, text);
  if (told_.insert(message).second) out_.failure(message);
  return false;
}

void recorder::on_event(domain in, std::uint32_t event, const void* data) {
  if (busy || data == nullptr) return;
  const busy_mark mark;
  {
    const std::lock_guard lock(mutex_);
    switch (in) {
      case domain::driver: before_call(static_cast<driver_call>(event), *static_cast<const call_data*>(data)); break;
      case domain::resource:
        switch (static_cast<resource_event>(event)) {
          case resource_event::module_loaded: load_module(*static_cast<const module_data*>(data)); break;
          case resource_event::module_unload_starting:
            unload_module(static_cast<const module_data*>(data)->module);
            break;
          case resource_event::context_destroy_starting:
            free_context(static_cast<const context_data*>(data)->context);
            break;
        }
        break;
      case domain::launch: {
        const auto& l = *static_cast<const launch_data*>(data);
        if (static_cast<launch_event>(event) == launch_event::begin) {
          begin_launch(l, nullptr);
        } else if (static_cast<launch_event>(event) == launch_event::end) {
          if (const auto it = in_flight_.find(l.launch); it != in_flight_.end()) {
            end_launch(it->second);
            in_flight_.erase(it);
          }
        }
        break;
      }
      case domain::graphs:
        if (static_cast<graph_event>(event) == graph_event::node_launch_begin) {
          const auto& n = *static_cast<const graph_node_data*>(data);
          if (n.node_type == 0) begin_launch(n.launch, n.graph);
        } else if (static_cast<graph_event>(event) == graph_event::launch_end) {
          const auto& g = *static_cast<const graph_data*>(data);
          const auto it = in_graph_.find(g.graph);
          if (it == in_graph_.end()) break;
          for (const pending_launch& p : it->second) end_launch(p);
          in_graph_.erase(it);
        }
        break;
    }
  }
}

bool recorder::is_wanted(const std::string& kernel) const {
  return filter_.matches(kernel) && !waits_for_others(cubin::bare_name(cubin::demangle(kernel)));
}

void recorder::load_module(const module_data& m) {
  module_state& state = modules_[m.module];
  state = {};
  state.context = m.context;
  state.cubin.assign(m.cubin, m.cubin_bytes);
  const std::size_t hash = std::hash<std::string>()(state.cubin);
  const auto [it, is_new] = module_ids_.try_emplace(hash, static_cast<std::uint32_t>(module_ids_.size()));
  state.id = it->second;
  if (is_new) out_.module(state.id, state.cubin.data(), state.cubin.size());

  bool matches = false;
  if (const auto elf = cubin::read_elf(bytes_of(state.cubin), "a loaded module"))
    for (const cubin::elf_section& section : elf->sections) {
      if (!section.name.starts_with(".nv.constant0.")) continue;  // only kernels have parameters
      const std::string name = section.name.substr(sizeof(".nv.constant0.") - 1);
      state.kernels.insert(name);
      const auto [kernel, first_time] = kernels_.try_emplace(name);
      if (first_time) kernel->second.matches = is_wanted(name);
      matches = matches || kernel->second.matches;
    }
  if (matches) patch(state, m.module, true);
}

const cubin::program* recorder::program_of(module_state& m) {
  if (!m.is_ready) {
    m.is_ready = true;
    // If the cubin cannot be read, the report shows the error.
    if (auto p = cubin::load_cubin(bytes_of(m.cubin), "a loaded module")) {
      m.program = std::move(*p);
      m.may_access = false;
      for (const cubin::code_section& section : m.program->sections) {
        if (!can_access(section, m.program->sm)) continue;
        m.may_access = true;
        m.calls = m.calls || !section.name.starts_with(".text.") || !m.kernels.contains(section.name.substr(6));
      }
    }
    m.cubin.clear();
    m.cubin.shrink_to_fit();
  }
  return m.program ? &*m.program : nullptr;
}

void recorder::free(handle context, void* pointer) {
  if (!ends_.load(std::memory_order_relaxed)) api_.Free(context, pointer);
}

void recorder::unload_module(handle module) {
  const auto it = modules_.find(module);
  if (it == modules_.end()) return;
  // If the program did not wait for a graph, the graph may still execute the module's code.
  const bool runs = std::any_of(in_graph_.begin(), in_graph_.end(), [&](const auto& g) {
    return std::any_of(g.second.begin(), g.second.end(), [&](const pending_launch& p) { return p.module == module; });
  });
  for (const auto& [name, code] : it->second.code)
    if (code.operations != nullptr && !runs) free(it->second.context, code.operations);
  forget_functions(module);
  modules_.erase(it);
}

// Removes the functions of a module, because a later module may get the same handle.
void recorder::forget_functions(handle module) {
  std::erase_if(described_, [&](const auto& d) { return d.first == module; });
}

void recorder::free_context(handle context) {
  // The tables of launches in this context are no longer read, because a later context may get the same handle.
  std::erase_if(in_flight_, [&](const auto& l) { return l.second.context == context; });
  for (auto& [graph, launches] : in_graph_)
    std::erase_if(launches, [&](const pending_launch& p) { return p.context == context; });
  std::erase_if(in_graph_, [](const auto& g) { return g.second.empty(); });
  for (const auto& [module, m] : modules_)
    if (m.context == context) forget_functions(module);
  for (launch_table* t : tables_[context]) free(context, t);
  if (const auto it = read_.find(context); it != read_.end()) {
    if (!ends_) api_.FreeHost(context, it->second);
    read_.erase(it);
  }
  for (auto& [module, m] : modules_)
    if (m.context == context)
      for (const auto& [name, code] : m.code)
        if (code.operations != nullptr) free(context, code.operations);
  tables_.erase(context);
  with_patches_.erase(context);
  std::erase_if(modules_, [&](const auto& m) { return m.second.context == context; });
}

void recorder::patch(module_state& m, handle module, bool wanted) {
  m.is_wanted = wanted;
  if (m.is_patched == wanted) return;
  if (!wanted) {
    m.is_patched = !worked(api_.UnpatchModule(module), "removing patches");
    return;
  }
  if (!with_patches_.contains(m.context)) {
    if (!worked(api_.AddPatches(patch_.data(), m.context), "loading the patches")) return;
    with_patches_.insert(m.context);
  }
  for (const patched_instruction& p : patched_instructions)
    if (!worked(api_.PatchInstructions(static_cast<std::uint32_t>(p.what), module, p.patch), "choosing instructions"))
      return;
  m.is_patched = worked(api_.PatchModule(module), "patching a module");
}

void recorder::before_call(driver_call call, const call_data& c) {
  if (c.site != 0) return;
  config_key key;
  handle stream = nullptr;
  bool has_shape = false;
  const auto take_shape = [&](const auto& from) {
    std::copy(from.grid, from.grid + 3, key.second.begin());
    std::copy(from.block, from.block + 3, key.second.begin() + 3);
    stream = from.stream;
    has_shape = true;
  };
  if (c.arguments != nullptr) switch (call) {
      case driver_call::launch_kernel:
      case driver_call::launch_kernel_per_thread:
      case driver_call::launch_cooperative:
      case driver_call::launch_cooperative_per_thread:
        take_shape(*static_cast<const launch_arguments*>(c.arguments));
        break;
      case driver_call::launch_kernel_ex:
      case driver_call::launch_kernel_ex_per_thread:
        if (const launch_config* a = static_cast<const launch_ex_arguments*>(c.arguments)->config; a != nullptr)
          take_shape(*a);
        break;
      case driver_call::launch_graph:
      case driver_call::launch_graph_per_thread: break;
    }
  if (has_shape && is_capturing_(stream)) return;  // a captured launch does not run, and a patch would end its capture
  // The launch may have to be recorded although its module has no patches yet, so patches are added now.
  if (has_shape && c.kernel != nullptr) {
    key.first = c.kernel;
    if (const auto kernel = kernels_.find(key.first); kernel != kernels_.end()) {
      const auto known = configs_.find(key);
      const std::uint64_t chosen = known == configs_.end() ? 0 : known->second.chosen;
      const std::uint64_t shape = known == configs_.end() ? kernel->second.shapes : known->second.shape;
      if (schedule_.may_want(kernel->second.matches, chosen, shape))
        for (auto& [module, m] : modules_)
          if (m.context == c.context && m.may_access && m.kernels.contains(key.first)) m.is_wanted = true;
    }
  }
  for (auto& [module, m] : modules_)
    if (m.context == c.context && m.is_patched != m.is_wanted) patch(m, module, m.is_wanted);
}

recorder::config_state* recorder::find_config(const launch_data& l, const module_state& m) {
  config_key key{l.name, {}};
  std::copy(l.grid, l.grid + 3, key.second.begin());
  std::copy(l.block, l.block + 3, key.second.begin() + 3);
  const auto [it, is_new] = configs_.try_emplace(std::move(key));
  config_state& c = it->second;
  if (!is_new) return c.counts != nullptr ? &c : nullptr;
  const auto [kernel, first_time] = kernels_.try_emplace(l.name);
  if (first_time) kernel->second.matches = is_wanted(l.name);
  c.kernel = &kernel->second;
  c.shape = kernel->second.shapes++;
  c.id = static_cast<std::uint32_t>(configs_.size() - 1);
  c.counts = out_.counts(c.id);
  if (c.counts == nullptr) {
    if (told_.insert("configs").second)
      out_.failure("the recording is incomplete: it has room for only 65,536 combinations of kernel, grid and block");
    return nullptr;
  }
  config_record r;
  r.module = m.id;
  r.device = static_cast<std::uint32_t>(l.device);
  std::copy(l.grid, l.grid + 3, r.grid.begin());
  std::copy(l.block, l.block + 3, r.block.begin());
  std::copy(l.cluster, l.cluster + 3, r.cluster.begin());
  r.mangled = l.name;
  out_.config(c.id, r);
  return &c;
}

void recorder::describe_functions(const launch_data& l, module_state& m) {
  const auto describe = [&](const std::string& name, bool must) {
    if (!described_.insert({l.module, name}).second) return;
    function_record f{m.id, 0, 0, name};
    const std::uint32_t found = api_.GetFunctionPcAndSize(l.module, name.c_str(), &f.pc, &f.bytes);
    if (must ? worked(found, "finding a kernel's code") : found == 0) out_.function(f);
  };
  describe(l.name, true);
  // Functions that kernels call are in separate sections of the code.
  if (const cubin::program* p = program_of(m))
    for (const cubin::code_section& s : p->sections)
      if (s.name.starts_with(".text.") && !m.kernels.contains(s.name.substr(6))) describe(s.name.substr(6), false);
}

const recorder::kernel_code* recorder::code_of(const launch_data& l, module_state& m) {
  const auto [it, is_new] = m.code.try_emplace(l.name);
  kernel_code& code = it->second;
  if (!is_new) return &code;
  const cubin::program* const program = program_of(m);
  std::uint64_t bytes = 0;
  if (program == nullptr || api_.GetFunctionPcAndSize(l.module, l.name, &code.pc, &bytes) != 0) return &code;
  for (const cubin::kernel& k : program->kernels) {
    if (k.mangled != l.name) continue;
    const std::vector<operation> all =
        sass::shared_operations(program->sections[k.section].bytes, sass::isa_of(program->sm));
    const std::size_t first = k.offset / cubin::instruction_bytes, count = k.code_bytes / cubin::instruction_bytes;
    if (first + count > all.size()) break;
    for (std::size_t i = first; i < first + count; ++i) {
      code.accesses += valid(all[i]) ? 1 : 0;
      code.copies = code.copies || (valid(all[i]) && is_copy(all[i].kind));
    }
    void* at = nullptr;
    if (code.accesses == 0 || !worked(api_.Alloc(l.context, &at, count * sizeof(operation)), "memory for counters"))
      break;
    code.operations = static_cast<operation*>(at);
    // The copy is asynchronous, but the API has read our memory when the call returns.
    if (worked(api_.MemcpyHostToDeviceAsync(at, const_cast<operation*>(all.data() + first), count * sizeof(operation),
                                            l.stream_handle),
               "copying"))
      code.instructions = static_cast<u32>(count);
  }
  return &code;
}

std::optional<recorder::pending_launch> recorder::prepare_table(const launch_data& l, module_state& m) {
  const kernel_code& code = *code_of(l, m);
  pending_launch p;
  p.context = l.context;
  p.stream = l.stream_handle;
  p.module = l.module;
  p.copies = code.copies || m.calls || !m.program;
  std::vector<launch_table*>& free_ones = tables_[l.context];
  if (free_ones.empty()) {
    void* at = nullptr;
    if (!worked(api_.Alloc(l.context, &at, sizeof(launch_table)), "memory for counters")) return std::nullopt;
    p.table = static_cast<launch_table*>(at);
  } else {
    p.table = free_ones.back();
    free_ones.pop_back();
  }
  // The number of patterns to read after the launch. A small kernel needs few patterns. If the kernel calls functions,
  // the number is unknown, and all patterns are read.
  u32 room = m.calls || !m.program ? most_patterns : least_patterns;
  while (room < most_patterns && room < code.accesses * 8) room *= 2;
  p.head.skip_blocks = options_.skip_blocks;
  p.head.last_pattern = room - 1;
  p.head.code_begin = static_cast<u32>(code.pc);
  p.head.instructions = code.instructions;
  p.head.operations = code.operations;
  const bool ready =
      worked(api_.Memset(p.table->counts, 0, shards * room * sizeof(u64), p.stream), "clearing counters") &&
      worked(api_.Memset(p.table->others, 0, sizeof p.table->others, p.stream), "clearing counters") &&
      worked(api_.Memset(p.table->patterns, poison, room * sizeof(pattern), p.stream), "clearing counters") &&
      worked(api_.MemcpyHostToDeviceAsync(p.table, &p.head, sizeof p.head, p.stream), "copying");
  if (ready) return p;
  free_ones.push_back(p.table);
  return std::nullopt;
}

void recorder::begin_launch(const launch_data& l, handle graph) {
  const auto it = modules_.find(l.module);
  if (it == modules_.end() || l.name == nullptr) return;
  module_state& m = it->second;
  config_state* const c = find_config(l, m);
  if (c == nullptr) return;
  ++c->counts->seen;
  const choice chosen = schedule_.next(c->kernel->matches, in_range_(), c->chosen, c->shape);
  if (chosen == choice::seen_enough) m.is_wanted = false;
  if (chosen != choice::record) return;
  if (!m.is_patched) {
    program_of(m);
    if (!m.may_access) {  // the kernel's code has no instruction to record
      ++c->chosen;
      ++c->counts->recorded;
    }
    return;
  }
  ++c->chosen;
  program_of(m);
  if (m.program && !m.calls && code_of(l, m)->accesses == 0) {
    ++c->counts->recorded;
    return;
  }
  ++c->counts->failed;  // counted as failed for now; corrected when the launch has ended without an error
  describe_functions(l, m);
  auto p = prepare_table(l, m);
  if (!p) return;
  p->config = c;
  if (!worked(api_.SetLaunchCallbackData(l.launch, l.function, l.stream_handle, p->table), "setting the table")) {
    tables_[l.context].push_back(p->table);
    return;
  }
  if (graph != nullptr)
    in_graph_[graph].push_back(*p);
  else
    in_flight_[l.launch] = *p;
}

// Reads the table of a launch into pinned memory. A copy to pageable memory would be slower: it copies a few hundred
// kilobytes in the time in which a copy to pinned memory copies some megabytes.
bool recorder::read_table(const pending_launch& p, launch_table& to) {
  const auto read = [&](auto* here, const auto* there, std::size_t bytes) {
    return bytes == 0 ||
           worked(api_.MemcpyDeviceToHost(here, const_cast<void*>(static_cast<const void*>(there)), bytes, p.stream),
                  "reading counters");
  };
  const std::size_t room = std::size_t{p.head.last_pattern} + 1;
  const std::size_t counters = offsetof(launch_table, counts) + shards * room * sizeof(u64);
  if (!read(&to, p.table, counters) || !read(to.patterns, p.table->patterns, room * sizeof(pattern)) ||
      !read(to.sources, p.table->sources, p.copies ? room * sizeof to.sources[0] : 0) ||
      !read(to.others, p.table->others, to.head.others != 0 ? sizeof to.others : 0) ||
      !read(to.examples, p.table->examples, std::min(to.head.examples, most_examples) * sizeof(example)) ||
      !read(to.strays, p.table->strays, std::min(to.head.strays, most_strays) * sizeof(stray)))
    return false;
  to.head.last_pattern = p.head.last_pattern;
  return true;
}

void recorder::end_launch(const pending_launch& p) {
  launch_table*& to = read_[p.context];
  if (void* at = nullptr;
      to == nullptr && worked(api_.AllocHost(p.context, &at, sizeof(launch_table)), "memory for counters"))
    to = static_cast<launch_table*>(std::memset(at, 0, sizeof(launch_table)));
  if (to != nullptr && worked(api_.StreamSynchronize(p.stream), "waiting for a recorded launch") &&
      read_table(p, *to)) {
    if (out_.table(p.config->id, *to)) {
      --p.config->counts->failed;
      ++p.config->counts->recorded;
    }
  }
  if (const auto m = modules_.find(p.module);
      m != modules_.end() && !schedule_.may_want(true, p.config->chosen, p.config->shape))
    m->second.is_wanted = false;
  tables_[p.context].push_back(p.table);
}

}  // namespace bankwise::record
