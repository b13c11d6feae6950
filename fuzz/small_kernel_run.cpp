// Executes the kernels of small_kernel.hpp, statement by statement and thread by thread. Undefined behaviour ends the
// run.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "kernel_values.hpp"

namespace bankwise::fuzz {

namespace {

bool points_to_real(const kernel_type* t) {
  return t->of != nullptr &&
         (t->of->is == kernel_type::real || (t->of->is == kernel_type::record && !t->of->fields.empty() &&
                                             t->of->fields[0].type->is == kernel_type::real));
}

void run_assembly(kernel_machine& m, thread& t, const node& n) {
  const bool loads = n.text.find("ld.shared") != std::string::npos;
  if ((!loads && n.text.find("st.shared") == std::string::npos) || n.kids.size() != 2) return m.unknown("asm");
  value first = evaluate(m, t, *n.kids[0]), second = evaluate(m, t, *n.kids[1]);
  value place;
  place.is_place = true;
  place.type = loads ? first.type : m.load(t, second).type;
  place.address = static_cast<u64>(m.load(t, loads ? second : first).integer);
  // ld.shared.f32 %0, [%1 + 64];
  if (const auto plus = n.text.find("+ "); plus != std::string::npos)
    place.address += static_cast<u64>(std::atoi(n.text.c_str() + plus + 2));
  if (loads)
    m.store(t, first.address, first.type, place);
  else
    m.store(t, place.address, place.type, second);
}

void run_declaration(kernel_machine& m, thread& t, const node& n) {
  if (n.is_shared) {
    const kernel_type* type = n.type;
    const u64 bytes = type->is == kernel_type::array && type->count == 0 ? m.launch.dynamic_bytes : type->bytes;
    auto at = m.shared.find(&n);
    if (at == m.shared.end()) {
      at = m.shared.emplace(&n, shared_base + shared_step * m.shared.size()).first;
      m.add_region(at->second, bytes, n.text, true);
    }
    t.scopes.back()[n.text] = {at->second, type, nullptr};
    return;
  }
  if (n.kids.size() == 1 && n.kids[0]->is == node::lambda) {
    t.scopes.back()[n.text] = {0, m.int_type, n.kids[0].get()};
    return;
  }
  if (n.kids.empty()) {
    m.declare(t, n.text, n.type, nullptr);
    return;
  }
  value v = n.kids[0]->is == node::block ? value() : evaluate(m, t, *n.kids[0]);
  if (!m.made.wrong.empty()) return;
  if (n.is_reference) {
    if (!v.is_place) {  // const int& x = 3
      m.declare(t, n.text, v.type, &v);
      return;
    }
    t.scopes.back()[n.text] = {v.address, n.is_auto ? v.type : n.type, nullptr};
    return;
  }
  if (n.kids[0]->is == node::block) {
    m.declare(t, n.text, n.type, nullptr);
    const variable* where = find_variable(t, n.text);
    const u64 address = where->address;
    for (std::size_t i = 0; i < n.kids[0]->kids.size(); ++i) {
      const bool is_array = n.type->is == kernel_type::array;
      if (!is_array && i >= n.type->fields.size()) return m.unknown("too many initialisers");
      const kernel_type* part = is_array ? n.type->of : n.type->fields[i].type;
      m.store(t, address + (is_array ? i * part->bytes : n.type->fields[i].at), part,
              evaluate(m, t, *n.kids[0]->kids[i]));
    }
    return;
  }
  v = m.load(t, v);
  // In "auto* p", the type of p is the type of the value.
  m.declare(t, n.text, n.is_auto ? v.type : n.type, &v);
}

// If a statement contains a barrier, runs it for all threads together, statement by statement.
void run_together(kernel_machine& m, std::vector<thread>& all, const node& n) {
  if (m.is_over()) return;
  if (n.is == node::block && (n.has_barrier || all[0].scopes.size() == 1)) {
    for (thread& t : all) t.scopes.emplace_back();
    for (const auto& k : n.kids) run_together(m, all, *k);
    for (thread& t : all) t.scopes.pop_back();
    return;
  }
  if (!n.has_barrier) {
    for (thread& t : all)
      if (t.flow == thread::goes_on) execute(m, t, n);
    return;
  }
  const auto all_say = [&](const node& condition) {
    std::optional<bool> says;
    for (thread& t : all) {
      const bool one = truth(m.load(t, evaluate(m, t, condition)));
      if (says && *says != one) m.undefined("a barrier that some threads do not reach");
      says = one;
    }
    return says.value_or(false);
  };
  if (n.is == node::loop) {
    for (thread& t : all) {
      t.scopes.emplace_back();
      execute(m, t, *n.kids[0]);
    }
    while (m.made.wrong.empty() && (n.kids[1] == nullptr || all_say(*n.kids[1]))) {
      run_together(m, all, *n.kids[3]);
      if (n.kids[2] != nullptr)
        for (thread& t : all) evaluate(m, t, *n.kids[2]);
      if (m.is_over()) return;
    }
    for (thread& t : all) t.scopes.pop_back();
  } else if (n.is == node::branch) {
    if (all_say(*n.kids[0]))
      run_together(m, all, *n.kids[1]);
    else if (n.kids.size() > 2)
      run_together(m, all, *n.kids[2]);
  } else if (n.is != node::expression) {
    m.unknown("a barrier in a loop of another kind");
  }
}

}  // namespace

void execute(kernel_machine& m, thread& t, const node& n) {
  if (m.is_over()) return;
  m.line = n.line;
  switch (n.is) {
    case node::block: {
      t.scopes.emplace_back();
      const u64 stack = t.stack;
      for (const auto& k : n.kids) {
        execute(m, t, *k);
        if (t.flow != thread::goes_on) break;
      }
      t.stack = stack;
      t.scopes.pop_back();
      break;
    }
    case node::expression: evaluate(m, t, *n.kids[0]); break;
    case node::declare:
      if (n.type == nullptr)
        for (const auto& k : n.kids) execute(m, t, *k);
      else
        run_declaration(m, t, n);
      break;
    case node::branch:
      if (truth(m.load(t, evaluate(m, t, *n.kids[0]))))
        execute(m, t, *n.kids[1]);
      else if (n.kids.size() > 2)
        execute(m, t, *n.kids[2]);
      break;
    case node::loop: {
      t.scopes.emplace_back();
      const u64 stack = t.stack;
      execute(m, t, *n.kids[0]);
      while (m.made.wrong.empty() && (n.kids[1] == nullptr || truth(m.load(t, evaluate(m, t, *n.kids[1]))))) {
        execute(m, t, *n.kids[3]);
        if (t.flow == thread::leaves || t.flow == thread::has_returned) break;
        t.flow = thread::goes_on;
        if (n.kids[2] != nullptr) evaluate(m, t, *n.kids[2]);
      }
      if (t.flow == thread::leaves) t.flow = thread::goes_on;
      t.stack = stack;
      t.scopes.pop_back();
      break;
    }
    case node::repeat:
      while (m.made.wrong.empty() && truth(m.load(t, evaluate(m, t, *n.kids[0])))) {
        execute(m, t, *n.kids[1]);
        if (t.flow == thread::leaves || t.flow == thread::has_returned) break;
        t.flow = thread::goes_on;
      }
      if (t.flow == thread::leaves) t.flow = thread::goes_on;
      break;
    case node::give:
      t.given = n.kids.empty() ? m.zero() : m.load(t, evaluate(m, t, *n.kids[0]));
      t.flow = thread::has_returned;
      break;
    case node::leave: t.flow = thread::leaves; break;
    case node::next: t.flow = thread::goes_next; break;
    case node::assembly: run_assembly(m, t, n); break;
    default: break;
  }
}

kernel_run run_kernel(const kernel_source& source, const kernel_launch& launch) {
  kernel_machine m(source, launch);
  const kernel_function* kernel = nullptr;
  for (const auto& [name, f] : m.source.functions)
    if (f.is_kernel) kernel = &f;
  if (kernel == nullptr || kernel->parameters.size() < 2) {
    m.unknown("there is no kernel");
    return std::move(m.made);
  }
  const u64 threads = u64{m.launch.block[0]} * m.launch.block[1] * m.launch.block[2];
  m.add_region(out_base, 1 << 16, "out", false);
  std::fill(m.regions.back().written.begin(), m.regions.back().written.end(), true);
  m.add_region(in_base, 1 << 16, "in", false);
  kernel_region& in = m.regions.back();
  for (u64 i = 0; i < in.bytes.size(); i += 4) {
    const float f = static_cast<float>(i / 4 % 8191);
    const std::uint32_t n = static_cast<std::uint32_t>(i / 4 % 8191);
    if (points_to_real(kernel->parameters[1].type))
      std::memcpy(&in.bytes[i], &f, 4);
    else
      std::memcpy(&in.bytes[i], &n, 4);
  }
  std::fill(in.written.begin(), in.written.end(), true);
  for (u64 t = 0; t < threads; ++t) m.add_region(local_base + t * local_step, local_step, "local", false);
  std::vector<thread> all(threads);
  for (u64 t = 0; t < threads; ++t) {
    all[t].index = t;
    all[t].x = t % m.launch.block[0];
    all[t].y = t / m.launch.block[0] % m.launch.block[1];
    all[t].z = t / m.launch.block[0] / m.launch.block[1];
    all[t].stack = local_base + t * local_step;
    all[t].scopes.resize(1);
  }
  for (thread& t : all) {
    for (const auto& c : m.source.constants) execute(m, t, *c);
    for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
      const auto& p = kernel->parameters[i];
      value v;
      v.type = p.type;
      v.address = i == 0 ? out_base : i == 1 ? in_base : 0;
      if (i >= 2) v.integer = i - 2 < m.launch.words.size() ? m.launch.words[i - 2] : 0;
      m.declare(t, p.name, p.type, &v);
    }
  }
  run_together(m, all, *kernel->body);
  if (m.made.wrong.empty()) m.made.out = m.regions[0].bytes;
  return std::move(m.made);
}

}  // namespace bankwise::fuzz
