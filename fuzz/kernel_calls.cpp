// Executes a small kernel that calls its own functions and lambdas, and CUDA functions that kernels use.
#include <cstring>

#include "kernel_values.hpp"

namespace bankwise::fuzz {

namespace {

value run_body(kernel_machine& m, thread& t, const node& body, u64 stack,
               std::vector<std::map<std::string, variable>>* outside) {
  t.given = m.zero();
  const auto flow = t.flow;
  t.flow = thread::goes_on;
  execute(m, t, body);
  t.flow = flow;
  if (outside != nullptr) std::swap(*outside, t.scopes);
  t.scopes.pop_back();
  t.stack = stack;
  return t.given;
}

}  // namespace

value call_function(kernel_machine& m, thread& t, const node& n) {
  const std::string& name = n.kids[0]->text;
  std::vector<value> given;
  const auto argument = [&](std::size_t i) { return m.load(t, given.at(i)); };
  for (std::size_t i = 1; i < n.kids.size(); ++i) given.push_back(evaluate(m, t, *n.kids[i]));
  if (!m.made.wrong.empty()) return m.zero();
  if (const variable* v = find_variable(t, name); v != nullptr && v->lambda != nullptr) {
    const node& l = *v->lambda;
    t.scopes.emplace_back();
    const u64 stack = t.stack;
    for (std::size_t i = 0; i < l.names.size() && i < given.size(); ++i) {
      if (l.references[i] && given[i].is_place) {
        t.scopes.back()[l.names[i]] = {given[i].address, l.types[i], nullptr};
        continue;
      }
      const value x = argument(i);
      m.declare(t, l.names[i], l.types[i], &x);
    }
    return run_body(m, t, *l.kids[0], stack, nullptr);
  }
  if (const auto f = m.source.functions.find(name); f != m.source.functions.end()) {
    if (given.size() != f->second.parameters.size() || ++m.calls > 30) {
      m.unknown("a call of " + name);
      return m.zero();
    }
    const u64 stack = t.stack;
    std::map<std::string, variable> own;
    std::swap(own, t.scopes.emplace_back());
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto& p = f->second.parameters[i];
      if (p.is_reference && given[i].is_place) {
        t.scopes.back()[p.name] = {given[i].address, p.type, nullptr};
        continue;
      }
      const value x = argument(i);
      m.declare(t, p.name, p.type, &x);
    }
    // The called function does not see the local names of its caller.
    std::vector<std::map<std::string, variable>> outside;
    outside.assign(t.scopes.begin(), t.scopes.begin() + 1);
    outside.push_back(t.scopes.back());
    std::swap(outside, t.scopes);
    value v = run_body(m, t, *f->second.body, stack, &outside);
    --m.calls;
    return v;
  }
  if (name == "__syncwarp" || name == "__syncthreads" || name == "__pipeline_commit" || name == "__pipeline_wait_prior")
    return m.zero();
  if ((name == "min" || name == "max") && given.size() == 2) {
    const value a = argument(0), b = argument(1);
    return truth(arithmetic(m, "<", a, b)) == (name == "min") ? a : b;
  }
  if (name == "__cvta_generic_to_shared" && given.size() == 1)
    return m.number(static_cast<i64>(argument(0).address), m.size_type);
  if (name == "atomicAdd" && given.size() == 2) {
    const value p = argument(0);
    value place = place_of(m, p.address, p.type);
    const value old = m.load(t, place);
    m.store(t, place.address, place.type, arithmetic(m, "+", old, argument(1)));
    return old;
  }
  if ((name == "memcpy" || name == "__pipeline_memcpy_async") && given.size() == 3) {
    const u64 to = argument(0).address, from = argument(1).address;
    const i64 bytes = argument(2).integer;
    for (i64 i = 0; i < bytes && m.made.wrong.empty(); i += 4) {
      value v;
      v.is_place = true;
      v.type = m.unsigned_type;
      v.address = from + static_cast<u64>(i);
      m.store(t, to + static_cast<u64>(i), m.unsigned_type, v);
    }
    return m.zero();
  }
  if (name == "make_float4" && given.size() == 4) {
    for (const kernel_type& type : m.source.types) {
      if (type.is != kernel_type::record || type.fields.size() != 4 || type.fields[0].type != m.float_type) continue;
      value v;
      v.type = &type;
      v.bytes.resize(16);
      for (std::size_t i = 0; i < 4; ++i) {
        const float f = static_cast<float>(m.converted(argument(i), m.float_type).real);
        std::memcpy(&v.bytes[4 * i], &f, 4);
      }
      return v;
    }
  }
  m.unknown("a function, " + name);
  return m.zero();
}

}  // namespace bankwise::fuzz
