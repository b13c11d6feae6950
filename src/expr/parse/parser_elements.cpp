// Elements of arrays, members of structs, components of vectors, and pointers to them.
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/parser.hpp"

namespace bankwise::expr {

namespace {

std::uint64_t bytes_left(const element_type& type, const std::vector<std::uint64_t>& extents) {
  std::uint64_t bytes = type.bytes;
  for (const std::uint64_t n : extents) bytes *= n;
  return bytes;
}

}  // namespace

parser::operand parser::array_element(const array_decl& array, std::size_t at) {
  if (!array.modes.empty()) {
    skip_blanks();
    if (peek() == '(' || peek() == '[' || !in_line_) return laid_out(array, at, array.name);
  }
  operand o{.is = form::element,
            .node = constant(static_cast<std::int64_t>(array.offset), at),
            .type = type_of(array),
            .extents = array.extents,
            .at = at,
            .end = at_,
            .of = array.name,
            .dimensions = array.extents.size()};
  // tile(row, column), as tensors are indexed.
  skip_blanks();
  if (peek() != '(') return o;
  ++at_;
  do {
    skip_blanks();
    const std::size_t index_at = at_;
    o = index(o, ternary(), index_at);
  } while (!error_ && eat(','));
  expect(')', "after the index");
  o.end = at_;
  return o;
}

parser::operand parser::index(operand o, const operand& i, std::size_t index_at) {
  if (error_) return {};
  if (o.is == form::unknown) {
    number_only(i);
    return o;
  }
  if (o.is == form::pointer) {
    const operand n = number_only(i);
    if (n.is == form::unknown && !error_) error_ = unknowns_[n.node];
    if (error_) return {};
    operand e = add_to_pointer(o, n, false, index_at);
    e.is = form::element;
    e.at = o.at;
    return e;
  }
  if (o.is == form::number)
    return fail(o.at, 1, "a number has no elements", "declare the array: " + worded(setting::array, "float s[32][32]"));
  const std::uint32_t number = index_of(i);
  if (error_) return {};
  if (o.extents.empty())
    return fail(index_at, 1,
                o.of + " has only " + std::to_string(o.dimensions) + " dimension" + (o.dimensions == 1 ? "" : "s"));
  const std::uint64_t extent = o.extents.front();
  o.extents.erase(o.extents.begin());
  o.node = push({.code = op::element,
                 .column = column(index_at),
                 .number = static_cast<std::int64_t>(bytes_left(o.type, o.extents)),
                 .a = o.node,
                 .b = number,
                 .extent = extent});
  return o;
}

parser::operand parser::postfix(operand o) {
  const deeper level(*this);
  while (!error_) {
    skip_blanks();
    const std::size_t at = at_;
    if (peek() == '[') {
      ++at_;
      do {
        if (o.is == form::element && o.extents.empty())
          return fail(
              at, 1,
              o.of + " has only " + std::to_string(o.dimensions) + " dimension" + (o.dimensions == 1 ? "" : "s"));
        skip_blanks();
        const std::size_t index_at = at_;
        o = index(o, ternary(), index_at);
      } while (!error_ && eat(','));
      expect(']', "after the index");
      o.end = at_;
      continue;
    }
    const bool arrow = peek() == '-' && peek(1) == '>', dot = peek() == '.';
    if (arrow || dot) {
      at_ += arrow ? 2 : 1;
      if (arrow && o.is == form::pointer) o = dereferenced(o, at);
      o = member(o, at);
      o.end = at_;
      continue;
    }
    if (peek() == '(' && o.is == form::unknown) {
      ++at_;
      if (!eat(')')) arguments();
      o.end = at_;
      continue;
    }
    return o;
  }
  return {};
}

parser::operand parser::member(operand o, std::size_t at) {
  if (error_) return {};
  skip_blanks();
  const std::size_t name_at = at_;
  const std::string word(name());
  if (word.empty()) return fail(at_, 1, "expected the name of a member after '.'");
  if (o.is == form::unknown) return o;
  if (o.is != form::element || !o.extents.empty())
    return fail(at, 1,
                o.is == form::element ? "." + word + " needs an element: " + o.of + " takes more indices"
                                      : "." + word + " needs an element of a declared array");
  if (o.type.of != nullptr) {
    std::string known;
    for (const structure_member& m : o.type.of->members) {
      known += (known.empty() ? "" : ", ") + m.name;
      if (m.name != word) continue;
      o.node = push({.code = op::add,
                     .column = column(name_at),
                     .a = o.node,
                     .b = constant(static_cast<std::int64_t>(m.offset), name_at)});
      o.type = m.type;
      o.extents = m.extents;
      o.of = m.name;
      o.dimensions = m.extents.size();
      return o;
    }
    return fail(name_at, word.size(), o.type.of->name + " has no member " + word, "its members: " + known);
  }
  const std::size_t component = word == "x"   ? 0
                                : word == "y" ? 1
                                : word == "z" ? 2
                                : word == "w" ? 3
                                              : std::string::npos;
  if (o.type.component == 0 || component >= o.type.bytes / o.type.component)
    return fail(name_at, word.size(),
                o.type.component == 0
                    ? o.of + " has elements that are numbers, without a ." + word
                    : "a vector of " + std::to_string(o.type.bytes / o.type.component) + " has no ." + word,
                o.type.component == 0
                    ? "declare the struct: " + worded(setting::array, "struct P { float x, y; } " + o.of + "[256]")
                    : "");
  o.node = push({.code = op::add,
                 .column = column(name_at),
                 .a = o.node,
                 .b = constant(static_cast<std::int64_t>(component * o.type.component), name_at)});
  o.type = {o.type.component, o.type.component, 0, {}};
  return o;
}

parser::operand parser::as_pointer(operand o) {
  o.is = form::pointer;
  if (!o.extents.empty()) o.extents.erase(o.extents.begin());
  o.stride = bytes_left(o.type, o.extents);
  o.in_bytes = o.node;
  return o;
}

parser::operand parser::address_of(operand o, std::size_t at) {
  if (error_ || o.is == form::unknown) return o;
  if (o.is != form::element) return fail(at, 1, "& needs an array element, such as &tile[t][0]");
  o.is = form::pointer;
  o.stride = bytes_left(o.type, o.extents);
  // As a number, an address: of no element from here on.
  o.in_bytes = push({.code = op::add, .column = column(at), .a = o.node, .b = constant(0, at)});
  o.at = at;
  return o;
}

parser::operand parser::dereferenced(operand o, std::size_t at) {
  if (error_ || o.is == form::unknown) return o;
  if (o.is == form::element && !o.extents.empty()) o = as_pointer(o);
  if (o.is != form::pointer)
    return fail(
        at, 1, "* needs a pointer, such as *(float4*)&tile[t][0]",
        "a number gets its type by a cast: *(float*)(t * 4); or by " + worded(setting::type) + ", without the *");
  o.is = form::element;
  o.at = at, o.end = at_;
  return o;
}

std::uint32_t parser::access_node(const operand& o) {
  if (error_) return 0;
  if (o.type.of != nullptr) {
    const std::string first = o.type.of->members.empty() ? "x" : o.type.of->members.front().name;
    fail(o.at, o.end - o.at, "an element of " + o.of + " is a struct, which compilers move member by member",
         "name the member: " + text_.substr(o.at, o.end - o.at) + "." + first);
    return 0;
  }
  const std::uint32_t width = piece_bytes(o.type);
  nodes_[o.node].element_bytes = width;
  nodes_[o.node].pieces = o.type.bytes / width;
  return o.node;
}

// An element of an array with a CuTe layout: tile[row][column] or tile(row, column).
parser::operand parser::laid_out(const array_decl& array, std::size_t at, std::string_view word) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> indices;  // with their columns
  skip_blanks();
  const bool called = eat('(');
  while (!error_ && (called || eat('['))) {
    do {
      skip_blanks();
      const std::size_t index_at = at_;
      indices.emplace_back(index_of(ternary()), column(index_at));
    } while (!error_ && eat(','));
    expect(called ? ')' : ']', "after the index");
    if (called) break;
    skip_blanks();
  }
  if (error_) return {};
  if (indices.size() != array.modes.size())
    return fail(at, word.size(),
                std::string(word) + " takes " + std::to_string(array.modes.size()) +
                    (array.modes.size() == 1 ? " index" : " indices"));
  const std::uint32_t where = column(at);
  const auto number = [&](std::uint64_t n, std::uint32_t in) {
    return push({.code = op::number, .column = in, .number = static_cast<std::int64_t>(n)});
  };
  std::uint32_t offset = number(0, where);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto [index, index_column] = indices[i];
    std::uint64_t before = 1;
    for (std::size_t p = 0; p < array.modes[i].size(); ++p) {
      const index_part& part = array.modes[i][p];
      std::uint32_t own = index;
      if (before != 1)
        own = push({.code = op::divide, .column = index_column, .a = own, .b = number(before, index_column)});
      // The last may be out of bounds, and is then said to be.
      if (p + 1 != array.modes[i].size())
        own = push({.code = op::remainder, .column = index_column, .a = own, .b = number(part.size, index_column)});
      offset = push({.code = op::element,
                     .column = index_column,
                     .number = static_cast<std::int64_t>(part.stride),
                     .a = offset,
                     .b = own,
                     .extent = part.size});
      before *= part.size;
    }
  }
  if (const auto& s = array.permute) {
    const std::uint32_t high =
        push({.code = op::shift_right, .column = where, .a = offset, .b = number(s->shift, where)});
    const std::uint32_t changing = push({.code = op::bit_and,
                                         .column = where,
                                         .a = high,
                                         .b = number(((std::uint64_t{1} << s->bits) - 1) << s->base, where)});
    offset = push({.code = op::bit_xor, .column = where, .a = offset, .b = changing});
  }
  const std::uint32_t bytes =
      push({.code = op::multiply, .column = where, .a = offset, .b = number(array.element_bytes, where)});
  const std::uint32_t address = push({.code = op::add, .column = where, .a = bytes, .b = number(array.offset, where)});
  return {.is = form::element,
          .node = address,
          .type = type_of(array),
          .at = at,
          .end = at_,
          .of = array.name,
          .dimensions = array.modes.size()};
}

}  // namespace bankwise::expr
