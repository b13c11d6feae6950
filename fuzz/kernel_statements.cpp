// Reads functions, declarations and statements of a small kernel.
#include "kernel_expressions.hpp"
#include "kernel_reader.hpp"
#include "kernel_types.hpp"

namespace bankwise::fuzz {

namespace {

node_pointer read_statement(kernel_reader& r);

void read_type_alias(kernel_reader& r) {
  if (r.is("static_assert")) {
    while (!r.take(";") && r.wrong.empty()) ++r.here;
  } else if (r.take("using")) {
    const std::string n = r.name();
    r.want("=");
    const specifiers s = read_specifiers(r);
    r.types[n] = read_declarator(r, s.type).type;
    r.want(";");
  } else {
    r.want("typedef");
    const specifiers s = read_specifiers(r);
    const declarator d = read_declarator(r, s.type);
    r.types[d.name] = d.type;
    r.want(";");
  }
}

node_pointer read_braces(kernel_reader& r) {
  r.want("{");
  auto n = r.make_node(node::block);
  n->is_list = true;
  while (!r.take("}") && r.wrong.empty()) {
    n->kids.push_back(read_assignment(r));
    r.take(",");
  }
  return n->kids.size() == 1 ? std::move(n->kids[0]) : std::move(n);
}

node_pointer read_declarations(kernel_reader& r, const specifiers& s) {
  auto all = r.make_node(node::declare);
  do {
    auto n = r.make_node(node::declare);
    const declarator d = read_declarator(r, s.type);
    n->text = d.name;
    n->type = d.type;
    n->is_reference = d.is_reference;
    n->is_shared = s.is_shared;
    n->is_auto = s.is_auto;
    r.constants.erase(d.name);
    if (r.take("=")) {
      n->kids.push_back(r.is("{") ? read_braces(r) : read_assignment(r));
    } else if (r.is("{")) {
      n->kids.push_back(read_braces(r));
    } else if (r.take("(")) {
      n->kids.push_back(read_expression(r));
      r.want(")");
    }
    if (s.is_const && n->kids.size() == 1 && d.type->is == kernel_type::integer)
      if (const auto v = constant_value(r, *n->kids[0])) r.constants[d.name] = *v;
    all->kids.push_back(std::move(n));
  } while (r.take(","));
  r.want(";");
  return all;
}

// Reads a declaration or an expression, with its semicolon.
node_pointer read_simple(kernel_reader& r) {
  if (begins_type(r, r.here)) {
    const specifiers s = read_specifiers(r);
    if (r.take(";")) return r.make_node(node::nothing);
    return read_declarations(r, s);
  }
  auto n = r.make_node(node::expression);
  n->kids.push_back(read_expression(r));
  const kernel_node& e = *n->kids[0];
  n->has_barrier = e.is == node::call && e.kids[0]->text == "__syncthreads";
  r.want(";");
  return n;
}

// Reads a statement such as asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(a));
node_pointer read_assembly(kernel_reader& r) {
  r.take("volatile");
  r.want("(");
  auto n = r.make_node(node::assembly, r.words[r.here++].text);
  while (!r.take(")") && r.wrong.empty()) {
    if (r.take(":") || r.take(",") || r.take("::")) continue;
    if (r.words[r.here].is != source::token::kind::text) {
      r.stop("asm is not understood");
      break;
    }
    if (r.words[r.here].text == "\"memory\"") {
      ++r.here;
      continue;
    }
    ++r.here;
    r.want("(");
    n->kids.push_back(read_expression(r));
    r.want(")");
  }
  r.want(";");
  return n;
}

node_pointer read_statement(kernel_reader& r) {
  if (r.is("{")) return read_block(r);
  if (r.take(";")) return r.make_node(node::nothing);
  if (r.is("typedef") || r.is("using") || r.is("static_assert")) {
    read_type_alias(r);
    return r.make_node(node::nothing);
  }
  if (r.take("if")) {
    auto n = r.make_node(node::branch);
    r.want("(");
    n->kids.push_back(read_expression(r));
    r.want(")");
    n->kids.push_back(read_statement(r));
    if (r.take("else")) n->kids.push_back(read_statement(r));
    for (const auto& k : n->kids) n->has_barrier |= k->has_barrier;
    return n;
  }
  if (r.is("#")) ++r.here;
  if (r.take("for")) {
    auto n = r.make_node(node::loop);
    const auto outer = r.constants;
    r.want("(");
    n->kids.push_back(r.is(";") ? (++r.here, r.make_node(node::nothing)) : read_simple(r));
    n->kids.push_back(r.is(";") ? nullptr : read_expression(r));
    r.want(";");
    n->kids.push_back(r.is(")") ? nullptr : read_expression(r));
    r.want(")");
    n->kids.push_back(read_statement(r));
    n->has_barrier = n->kids[3]->has_barrier;
    r.constants = outer;
    return n;
  }
  if (r.take("while")) {
    auto n = r.make_node(node::repeat);
    r.want("(");
    n->kids.push_back(read_expression(r));
    r.want(")");
    n->kids.push_back(read_statement(r));
    n->has_barrier = n->kids[1]->has_barrier;
    return n;
  }
  if (r.is("return") || r.is("break") || r.is("continue")) {
    const std::string w = r.name();
    auto n = r.make_node(w == "return" ? node::give : w == "break" ? node::leave : node::next);
    if (w == "return" && !r.is(";")) n->kids.push_back(read_expression(r));
    r.want(";");
    return n;
  }
  if (r.take("asm")) return read_assembly(r);
  return read_simple(r);
}

void read_function(kernel_reader& r, const specifiers& s, const declarator& d) {
  kernel_function f;
  f.name = d.name;
  f.is_kernel = s.is_kernel;
  r.want("(");
  while (!r.take(")") && r.wrong.empty()) {
    const specifiers one = read_specifiers(r);
    declarator p = read_declarator(r, one.type);
    // A parameter that is declared as an array is a pointer.
    if (p.type->is == kernel_type::array && !p.is_reference) p.type = r.pointer_to(p.type->of);
    f.parameters.push_back({p.name, p.type, p.is_reference});
    r.take(",");
  }
  const auto outer = r.constants;
  for (const auto& p : f.parameters) r.constants.erase(p.name);
  f.body = read_block(r);
  r.constants = outer;
  const std::string n = f.name;
  r.made.functions[n] = std::move(f);
}

void read_top(kernel_reader& r) {
  if (r.take(";")) return;
  if (r.is("template")) {
    ++r.here;
    r.want("<");
    while (!r.take(">") && r.wrong.empty()) {
      ++r.here;  // its type
      r.name();  // a template parameter without a value is only an error if it is used
      r.take(",");
    }
  }
  if (r.is("typedef") || r.is("using") || r.is("static_assert")) {
    read_type_alias(r);
    return;
  }
  const specifiers s = read_specifiers(r);
  if (r.take(";")) return;
  std::size_t before = r.here;
  declarator d = read_declarator(r, s.type);
  if (r.is("(")) {
    read_function(r, s, d);
    return;
  }
  r.here = before;
  r.made.constants.push_back(read_declarations(r, s));
}

}  // namespace

node_pointer read_block(kernel_reader& r) {
  auto b = r.make_node(node::block);
  const auto outer = r.constants;
  r.want("{");
  while (!r.take("}") && r.wrong.empty()) {
    if (r.words[r.here].text.empty()) r.stop("a block does not end");
    b->kids.push_back(read_statement(r));
    if (b->kids.back()->has_barrier) b->has_barrier = true;
  }
  r.constants = outer;
  return b;
}

kernel_source read_kernel(std::string_view text, const std::map<std::string, std::int64_t>& numbers) {
  kernel_reader r(text, numbers);
  while (r.wrong.empty() && !r.words[r.here].text.empty()) read_top(r);
  r.made.wrong = r.wrong;
  r.made.numbers = numbers;
  return std::move(r.made);
}

}  // namespace bankwise::fuzz
