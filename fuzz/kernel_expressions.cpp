#include "kernel_expressions.hpp"

#include <cstdlib>
#include <set>

#include "kernel_types.hpp"

namespace bankwise::fuzz {

namespace {

node_pointer read_unary(kernel_reader& r);

int precedence(const std::string& s) {
  static const std::map<std::string, int> all = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                                                 {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                                 {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
  const auto at = all.find(s);
  return at == all.end() ? 0 : at->second;
}

node_pointer read_binary(kernel_reader& r, int least) {
  auto a = read_unary(r);
  while (const int p = precedence(r.words[r.here].text)) {
    if (p < least) break;
    auto n = r.make_node(node::binary, r.words[r.here++].text);
    n->kids.push_back(std::move(a));
    n->kids.push_back(read_binary(r, p + 1));
    a = std::move(n);
  }
  return a;
}

node_pointer read_conditional(kernel_reader& r) {
  auto a = read_binary(r, 1);
  if (!r.is("?")) return a;
  auto n = r.make_node(node::conditional);
  ++r.here;
  n->kids.push_back(std::move(a));
  n->kids.push_back(read_expression(r));
  r.want(":");
  n->kids.push_back(read_assignment(r));
  return n;
}

node_pointer read_lambda(kernel_reader& r) {
  auto n = r.make_node(node::lambda);
  while (!r.take("]") && r.wrong.empty()) ++r.here;
  if (r.take("("))
    while (!r.take(")") && r.wrong.empty()) {
      const specifiers s = read_specifiers(r);
      const declarator d = read_declarator(r, s.type);
      n->names.push_back(d.name);
      n->types.push_back(d.type);
      n->references.push_back(d.is_reference);
      r.take(",");
    }
  const auto outer = r.constants;
  for (const std::string& p : n->names) r.constants.erase(p);
  n->kids.push_back(read_block(r));
  r.constants = outer;
  return n;
}

node_pointer read_primary(kernel_reader& r) {
  if (r.is("reinterpret_cast") || r.is("static_cast") || r.is("const_cast")) {
    auto n = r.make_node(node::cast);
    ++r.here;
    r.want("<");
    n->type = read_type_name(r);
    n->is_reference = r.words[r.here - 1].text == "&";
    r.want(">");
    r.want("(");
    n->kids.push_back(read_expression(r));
    r.want(")");
    return n;
  }
  if (r.is("[")) return read_lambda(r);
  if (r.take("(")) {
    auto n = read_expression(r);
    r.want(")");
    return n;
  }
  if (r.words[r.here].is == source::token::kind::number) {
    auto n = r.make_node(node::number, r.words[r.here].text);
    const std::string& s = r.words[r.here].text;
    const bool is_real = s.find('.') != std::string::npos || (s.back() == 'f' && s.rfind("0x", 0) != 0);
    n->type = is_real ? r.types[s.back() == 'f' ? "float" : "double"]
                      : r.types[s.find_first_of("uU") != std::string::npos ? "unsigned" : "int"];
    n->value = is_real ? std::strtod(s.c_str(), nullptr) : static_cast<double>(std::strtoll(s.c_str(), nullptr, 0));
    ++r.here;
    return n;
  }
  if (r.types.count(r.words[r.here].text) != 0 &&
      (r.words[r.here + 1].text == "(" || r.words[r.here + 1].text == "{")) {
    auto n = r.make_node(node::cast);
    n->type = r.types[r.words[r.here].text];
    ++r.here;
    const std::string close = r.take("(") ? ")" : (r.want("{"), "}");
    n->kids.push_back(read_expression(r));
    r.want(close);
    return n;
  }
  auto n = r.make_node(node::name);
  n->text = r.name();
  return n;
}

node_pointer read_postfix(kernel_reader& r, node_pointer a) {
  while (r.wrong.empty()) {
    node_pointer n;
    if (r.is("[")) {
      n = r.make_node(node::index);
      ++r.here;
      n->kids.push_back(std::move(a));
      n->kids.push_back(read_expression(r));
      r.want("]");
    } else if (r.is("<") && a->is == node::name && r.made.functions.count(a->text) != 0) {
      while (!r.take(">") && r.wrong.empty()) ++r.here;
      continue;
    } else if (r.is("(")) {
      n = r.make_node(node::call);
      ++r.here;
      n->kids.push_back(std::move(a));
      while (!r.take(")") && r.wrong.empty()) {
        n->kids.push_back(read_assignment(r));
        r.take(",");
      }
    } else if (r.is(".") || r.is("->")) {
      n = r.make_node(r.is(".") ? node::member : node::arrow);
      ++r.here;
      n->text = r.name();
      n->kids.push_back(std::move(a));
    } else if (r.is("++") || r.is("--")) {
      n = r.make_node(node::postfix, r.words[r.here++].text);
      n->kids.push_back(std::move(a));
    } else {
      break;
    }
    a = std::move(n);
  }
  return a;
}

node_pointer read_unary(kernel_reader& r) {
  if (++r.depth > 200) r.stop("too deep");
  const auto up = [&](node_pointer n) {
    --r.depth;
    return n;
  };
  for (const char* sign : {"-", "+", "!", "~", "*", "&", "++", "--"})
    if (r.is(sign)) {
      auto n = r.make_node(node::prefix, sign);
      ++r.here;
      n->kids.push_back(read_unary(r));
      return up(std::move(n));
    }
  if (r.is("sizeof")) {
    auto n = r.make_node(node::size_of);
    ++r.here;
    if (r.is("(") && begins_type(r, r.here + 1)) {
      ++r.here;
      n->type = read_type_name(r);
      r.want(")");
    } else {
      n->kids.push_back(read_unary(r));
    }
    return up(std::move(n));
  }
  if (r.is("(") && begins_type(r, r.here + 1)) {
    auto n = r.make_node(node::cast);
    ++r.here;
    n->type = read_type_name(r);
    r.want(")");
    n->kids.push_back(read_unary(r));
    return up(std::move(n));
  }
  return up(read_postfix(r, read_primary(r)));
}

}  // namespace

node_pointer read_expression(kernel_reader& r) {
  auto a = read_assignment(r);
  while (r.is(",") && r.wrong.empty()) {
    auto n = r.make_node(node::binary, ",");
    ++r.here;
    n->kids.push_back(std::move(a));
    n->kids.push_back(read_assignment(r));
    a = std::move(n);
  }
  return a;
}

node_pointer read_assignment(kernel_reader& r) {
  if (++r.depth > 200) r.stop("too deep");
  auto a = read_conditional(r);
  static const std::set<std::string> signs = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  if (signs.count(r.words[r.here].text) != 0) {
    auto n = r.make_node(node::assign, r.words[r.here++].text);
    n->kids.push_back(std::move(a));
    n->kids.push_back(read_assignment(r));
    a = std::move(n);
  }
  --r.depth;
  return a;
}

}  // namespace bankwise::fuzz
