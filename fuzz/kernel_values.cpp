#include "kernel_values.hpp"

#include <cstring>
#include <optional>

namespace bankwise::fuzz {

namespace {

value member_of(kernel_machine& m, const value& v, const std::string& name) {
  for (const auto& f : v.type->fields)
    if (f.name == name) {
      value x = v;
      x.type = f.type;
      x.address = v.address + f.at;
      if (v.is_place) return x;
      if (f.type->is == kernel_type::integer) x.integer = integer_at(&v.bytes[f.at], f.type);
      if (f.type->is == kernel_type::real && f.type->bytes == 4) {
        float one = 0;
        std::memcpy(&one, &v.bytes[f.at], 4);
        x.real = static_cast<double>(one);
      }
      return x;
    }
  m.unknown("a member " + name);
  return m.zero();
}

std::optional<i64> built_in(const kernel_machine& m, const thread& t, const std::string& name,
                            const std::string& side) {
  const std::size_t s = side == "x" ? 0 : side == "y" ? 1 : 2;
  if (name == "threadIdx") return static_cast<i64>(s == 0 ? t.x : s == 1 ? t.y : t.z);
  if (name == "blockDim") return m.launch.block[s];
  if (name == "blockIdx") return 0;
  if (name == "gridDim") return 1;
  return std::nullopt;
}

value named_value(kernel_machine& m, thread& t, const std::string& name) {
  const variable* v = find_variable(t, name);
  if (v == nullptr) {
    const auto at = m.source.numbers.find(name);
    if (at != m.source.numbers.end()) return m.number(at->second, m.int_type);
    if (name == "warpSize") return m.number(32, m.int_type);
    if (name == "true" || name == "false") return m.number(name == "true" ? 1 : 0, m.int_type);
    m.unknown("a name, " + name);
    return m.zero();
  }
  value x;
  x.is_place = true;
  x.address = v->address;
  x.type = v->type;
  return x;
}

value prefix_value(kernel_machine& m, thread& t, const node& n) {
  if (n.text == "&") {
    const value p = evaluate(m, t, *n.kids[0]);
    if (!p.is_place) m.unknown("the address of a value");
    m.pointers.push_back({kernel_type::pointer, 8, false, p.type, 0, {}, 8});
    value x;
    x.type = &m.pointers.back();
    x.address = p.address;
    return x;
  }
  if (n.text == "++" || n.text == "--") {
    const value p = evaluate(m, t, *n.kids[0]);
    m.store(t, p.address, p.type, arithmetic(m, n.text.substr(1), m.load(t, p), m.number(1, m.int_type)));
    return p;
  }
  value a = m.load(t, evaluate(m, t, *n.kids[0]));
  if (n.text == "*") return place_of(m, a.address, a.type);
  if (n.text == "!") return m.number(truth(a) ? 0 : 1, m.int_type);
  if (n.text == "+") return a;
  if (n.text == "-")
    return arithmetic(m, "-",
                      m.number(0, m.promoted(a.type)->is == kernel_type::integer ? m.promoted(a.type) : m.int_type), a);
  return m.number(~a.integer, m.promoted(a.type));
}

}  // namespace

value place_of(kernel_machine& m, u64 address, const kernel_type* pointer) {
  value v;
  if (pointer->is != kernel_type::pointer) {
    m.unknown("what is not a pointer is followed");
    return m.zero();
  }
  v.is_place = true;
  v.address = address;
  v.type = pointer->of;
  if (v.type->is == kernel_type::record && address % v.type->alignment != 0) m.undefined("an address is not aligned");
  return v;
}

value evaluate(kernel_machine& m, thread& t, const node& n) {
  if (m.is_over()) return m.zero();
  if (n.line != 0 && n.is != node::lambda) m.line = n.line;
  switch (n.is) {
    case node::number: {
      value v;
      v.type = n.type;
      v.real = n.value;
      v.integer = static_cast<i64>(n.value);
      return v;
    }
    case node::name: return named_value(m, t, n.text);
    case node::member:
      if (n.kids[0]->is == node::name)
        if (const auto side = built_in(m, t, n.kids[0]->text, n.text)) return m.number(*side, m.unsigned_type);
      return member_of(m, evaluate(m, t, *n.kids[0]), n.text);
    case node::arrow: {
      const value p = m.load(t, evaluate(m, t, *n.kids[0]));
      return member_of(m, place_of(m, p.address, p.type), n.text);
    }
    case node::index: {
      value a = m.load(t, evaluate(m, t, *n.kids[0])), i = m.load(t, evaluate(m, t, *n.kids[1]));
      if (i.type->is == kernel_type::pointer) std::swap(a, i);
      if (a.type->is != kernel_type::pointer) {
        m.unknown("an index of what is not a pointer");
        return m.zero();
      }
      return place_of(m, a.address + static_cast<u64>(i.integer) * a.type->of->bytes, a.type);
    }
    case node::size_of: {
      if (n.type != nullptr) return m.number(static_cast<i64>(n.type->bytes), m.size_type);
      return m.number(static_cast<i64>(evaluate(m, t, *n.kids[0]).type->bytes), m.size_type);
    }
    case node::cast: {
      const value v = evaluate(m, t, *n.kids[0]);
      if (n.is_reference && v.is_place) {
        value x = v;
        x.type = n.type;
        return x;
      }
      return m.converted(m.load(t, v), n.type);
    }
    case node::prefix: return prefix_value(m, t, n);
    case node::postfix: {
      const value p = evaluate(m, t, *n.kids[0]);
      const value old = m.load(t, p);
      m.store(t, p.address, p.type, arithmetic(m, n.text.substr(1), old, m.number(1, m.int_type)));
      return old;
    }
    case node::assign: {
      // An assignment evaluates its right operand first, as in C++17.
      value right = m.load(t, evaluate(m, t, *n.kids[1]));
      const value left = evaluate(m, t, *n.kids[0]);
      if (!left.is_place) m.unknown("what is not a place is assigned to");
      if (!m.made.wrong.empty()) return m.zero();
      if (n.text != "=") right = arithmetic(m, n.text.substr(0, n.text.size() - 1), m.load(t, left), right);
      m.store(t, left.address, left.type, right);
      return left;
    }
    case node::conditional:
      return truth(m.load(t, evaluate(m, t, *n.kids[0]))) ? evaluate(m, t, *n.kids[1]) : evaluate(m, t, *n.kids[2]);
    case node::binary: {
      const value a = m.load(t, evaluate(m, t, *n.kids[0]));
      if (n.text == ",") return evaluate(m, t, *n.kids[1]);
      if (n.text == "&&") return m.number(truth(a) && truth(m.load(t, evaluate(m, t, *n.kids[1]))) ? 1 : 0, m.int_type);
      if (n.text == "||") return m.number(truth(a) || truth(m.load(t, evaluate(m, t, *n.kids[1]))) ? 1 : 0, m.int_type);
      return arithmetic(m, n.text, a, m.load(t, evaluate(m, t, *n.kids[1])));
    }
    case node::call: return call_function(m, t, n);
    default: m.unknown("an expression"); return m.zero();
  }
}

}  // namespace bankwise::fuzz
