#include "expr/parse/elements.hpp"

#include "base/format.hpp"
#include "base/setting.hpp"
#include "expr/parse/accesses.hpp"
#include "expr/parse/named_values.hpp"
#include "expr/parse/operators.hpp"
#include "expr/parse/type_names.hpp"

namespace bankwise::expr {

namespace {

std::uint64_t bytes_left(const element_type& type, const std::vector<std::uint64_t>& extents) {
  std::uint64_t bytes = type.bytes;
  for (const std::uint64_t n : extents) bytes *= n;
  return bytes;
}

operand index_operand(parser& p, operand o, const operand& i, std::size_t index_at) {
  if (p.error) return {};
  if (o.is == operand_form::unknown) {
    number_only(p, i);
    return o;
  }
  if (o.is == operand_form::pointer) {
    const operand n = number_only(p, i);
    if (n.is == operand_form::unknown && !p.error) p.error = p.unknowns[n.node];
    if (p.error) return {};
    operand e = add_to_pointer(p, o, n, false, index_at);
    e.is = operand_form::element;
    e.at = o.at;
    return e;
  }
  if (o.is == operand_form::number)
    return p.fail(o.at, 1, "a number has no elements, so it cannot have an index",
                  formatted("declare the array: {}", worded(setting::array, "float s[32][32]")));
  const std::uint32_t number = index_node(p, i);
  if (p.error) return {};
  if (o.extents.empty())
    return p.fail(index_at, 1,
                  formatted("{} has only {} dimension{}", o.of, o.dimensions, o.dimensions == 1 ? "" : "s"));
  const std::uint64_t extent = o.extents.front();
  o.extents.erase(o.extents.begin());
  o.node = p.push({.code = op::element,
                   .column = p.column(index_at),
                   .number = static_cast<std::int64_t>(bytes_left(o.type, o.extents)),
                   .a = o.node,
                   .b = number,
                   .extent = extent});
  return o;
}

operand member_of(parser& p, operand o, std::size_t at) {
  if (p.error) return {};
  p.skip_blanks();
  const std::size_t name_at = p.here;
  const std::string word(p.name());
  if (word.empty()) return p.fail(p.here, 1, "expected the name of a member after '.'");
  if (o.is == operand_form::unknown) return o;
  if (o.is != operand_form::element || !o.extents.empty())
    return p.fail(at, 1,
                  o.is == operand_form::element ? formatted(".{} needs an element, and an element of {} needs more "
                                                            "indices",
                                                            word, o.of)
                                                : formatted(".{} needs an element of a declared array", word));
  if (o.type.of != nullptr) {
    std::string known;
    for (const structure_member& m : o.type.of->members) {
      known += (known.empty() ? "" : ", ") + m.name;
      if (m.name != word) continue;
      o.node = p.push({.code = op::add,
                       .column = p.column(name_at),
                       .a = o.node,
                       .b = p.constant(static_cast<std::int64_t>(m.offset), name_at)});
      o.type = m.type;
      o.extents = m.extents;
      o.of = m.name;
      o.dimensions = m.extents.size();
      return o;
    }
    return p.fail(name_at, word.size(), formatted("{} has no member {}", o.type.of->name, word),
                  formatted("its members: {}", known));
  }
  const std::size_t component = word == "x"   ? 0
                                : word == "y" ? 1
                                : word == "z" ? 2
                                : word == "w" ? 3
                                              : std::string::npos;
  if (o.type.component == 0 || component >= o.type.bytes / o.type.component)
    return p.fail(
        name_at, word.size(),
        o.type.component == 0 ? formatted("the elements of {} are numbers, so they have no member {}", o.of, word)
                              : formatted("a vector of {} has no .{}", o.type.bytes / o.type.component, word),
        o.type.component == 0 ? formatted("declare the struct: {}",
                                          worded(setting::array, formatted("struct P {{ float x, y; }} {}[256]", o.of)))
                              : "");
  o.node = p.push({.code = op::add,
                   .column = p.column(name_at),
                   .a = o.node,
                   .b = p.constant(static_cast<std::int64_t>(component * o.type.component), name_at)});
  o.type = {o.type.component, o.type.component, 0, {}};
  return o;
}

// Reads an element of an array with a CuTe layout: tile[row][column] or tile(row, column).
operand laid_out_element(parser& p, const array_decl& array, std::size_t at, std::string_view word) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> indices;  // indices, each with its column in the text
  p.skip_blanks();
  const bool called = p.eat('(');
  while (!p.error && (called || p.eat('['))) {
    do {
      p.skip_blanks();
      const std::size_t index_at = p.here;
      indices.emplace_back(index_node(p, parse_ternary(p)), p.column(index_at));
    } while (!p.error && p.eat(','));
    p.expect(called ? ')' : ']', called ? "expected ')' after the index" : "expected ']' after the index");
    if (called) break;
    p.skip_blanks();
  }
  if (p.error) return {};
  if (indices.size() != array.modes.size())
    return p.fail(
        at, word.size(),
        formatted("{} takes {}{}", word, array.modes.size(), array.modes.size() == 1 ? " index" : " indices"));
  const std::uint32_t where = p.column(at);
  const auto number = [&](std::uint64_t n, std::uint32_t in) {
    return p.push({.code = op::number, .column = in, .number = static_cast<std::int64_t>(n)});
  };
  std::uint32_t offset = number(0, where);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto [index, index_column] = indices[i];
    std::uint64_t before = 1;
    for (std::size_t k = 0; k < array.modes[i].size(); ++k) {
      const index_part& part = array.modes[i][k];
      std::uint32_t own = index;
      if (before != 1)
        own = p.push({.code = op::divide, .column = index_column, .a = own, .b = number(before, index_column)});
      // Only the last part of an index can be out of bounds, because all other parts are remainders.
      if (k + 1 != array.modes[i].size())
        own = p.push({.code = op::remainder, .column = index_column, .a = own, .b = number(part.size, index_column)});
      offset = p.push({.code = op::element,
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
        p.push({.code = op::shift_right, .column = where, .a = offset, .b = number(s->shift, where)});
    const std::uint32_t changing = p.push({.code = op::bit_and,
                                           .column = where,
                                           .a = high,
                                           .b = number(((std::uint64_t{1} << s->bits) - 1) << s->base, where)});
    offset = p.push({.code = op::bit_xor, .column = where, .a = offset, .b = changing});
  }
  const std::uint32_t bytes =
      p.push({.code = op::multiply, .column = where, .a = offset, .b = number(array.element_bytes, where)});
  const std::uint32_t address =
      p.push({.code = op::add, .column = where, .a = bytes, .b = number(array.offset, where)});
  return {.is = operand_form::element,
          .node = address,
          .type = type_of(array),
          .at = at,
          .end = p.here,
          .of = array.name,
          .dimensions = array.modes.size()};
}

// Whether an operand is an element that shares its byte with other elements.
bool is_packed(const parser& p, const operand& o) {
  for (const array_decl& array : p.names.arrays)
    if (array.name == o.of) return packed_bits(array.type) != 0;
  return false;
}

}  // namespace

operand number_only(parser& p, operand o) {
  if (p.error || o.is == operand_form::number || o.is == operand_form::unknown) return o;
  if (o.is == operand_form::pointer) return p.number_of(o.in_bytes, o.at);
  if (!p.in_line)
    return p.fail(o.at, 1, "the value of an array element is its address, so the element cannot be used as a number",
                  "the whole expression must be one element, such as tile[t][0]. Move the arithmetic into the index, "
                  "or write & before the element");
  const std::string part = p.text.substr(o.at, o.end - o.at);
  record_access(p, o, "ld");
  if (part == o.of && is_machine_name(part))
    return p.unknown(o.at, o.end - o.at, formatted("{} is the name of an array in this expression, not the lane", part),
                     "give the array another name, or write threadIdx.x for the lane");
  return p.unknown(o.at, o.end - o.at,
                   formatted("{} is a value in {} memory, but an address in an expression cannot depend on data", part,
                             p.names.of_global ? "global" : "shared"),
                   formatted("set the value of the index with {}, or pass a list of addresses", worded(setting::let)));
}

std::uint32_t index_node(parser& p, const operand& given) {
  const operand o = number_only(p, given);
  if (!p.error && o.is == operand_form::unknown) p.error = p.unknowns[o.node];
  return p.error ? 0 : o.node;
}

operand array_element(parser& p, const array_decl& array, std::size_t at) {
  if (!array.modes.empty()) {
    p.skip_blanks();
    if (p.peek() == '(' || p.peek() == '[' || !p.in_line || packed_bits(array.type) != 0)
      return laid_out_element(p, array, at, array.name);
  }
  operand o{.is = operand_form::element,
            .node = p.constant(static_cast<std::int64_t>(array.offset), at),
            .type = type_of(array),
            .extents = array.extents,
            .at = at,
            .end = p.here,
            .of = array.name,
            .dimensions = array.extents.size()};
  // CuTe's tensors are indexed in round brackets: tile(row, column).
  p.skip_blanks();
  if (p.peek() != '(') return o;
  ++p.here;
  do {
    p.skip_blanks();
    const std::size_t index_at = p.here;
    o = index_operand(p, o, parse_ternary(p), index_at);
  } while (!p.error && p.eat(','));
  p.expect(')', "expected ')' after the index");
  o.end = p.here;
  return o;
}

operand parse_postfix(parser& p, operand o) {
  const parser::deeper level(p);
  while (!p.error) {
    p.skip_blanks();
    const std::size_t at = p.here;
    if (p.peek() == '[') {
      ++p.here;
      do {
        if (o.is == operand_form::element && o.extents.empty())
          return p.fail(at, 1,
                        formatted("{} has only {} dimension{}", o.of, o.dimensions, o.dimensions == 1 ? "" : "s"));
        p.skip_blanks();
        const std::size_t index_at = p.here;
        o = index_operand(p, o, parse_ternary(p), index_at);
      } while (!p.error && p.eat(','));
      p.expect(']', "expected ']' after the index");
      o.end = p.here;
      continue;
    }
    const bool arrow = p.peek() == '-' && p.peek(1) == '>', dot = p.peek() == '.';
    if (arrow || dot) {
      p.here += arrow ? 2 : 1;
      if (arrow && o.is == operand_form::pointer) o = dereferenced(p, o, at);
      o = member_of(p, o, at);
      o.end = p.here;
      continue;
    }
    if (p.peek() == '(' && o.is == operand_form::unknown) {
      ++p.here;
      if (!p.eat(')')) parse_arguments(p);
      o.end = p.here;
      continue;
    }
    return o;
  }
  return {};
}

operand as_pointer(operand o) {
  o.is = operand_form::pointer;
  if (!o.extents.empty()) o.extents.erase(o.extents.begin());
  o.stride = bytes_left(o.type, o.extents);
  o.in_bytes = o.node;
  return o;
}

operand address_of(parser& p, operand o, std::size_t at) {
  if (p.error || o.is == operand_form::unknown) return o;
  if (o.is != operand_form::element) return p.fail(at, 1, "& needs an array element, such as &tile[t][0]");
  o.is = operand_form::pointer;
  o.stride = is_packed(p, o) ? 0 : bytes_left(o.type, o.extents);
  // The address as a number gets its own node, because element_bytes of the element's node may be set.
  o.in_bytes = p.push({.code = op::add, .column = p.column(at), .a = o.node, .b = p.constant(0, at)});
  o.at = at;
  return o;
}

operand dereferenced(parser& p, operand o, std::size_t at) {
  if (p.error || o.is == operand_form::unknown) return o;
  if (o.is == operand_form::element && !o.extents.empty()) o = as_pointer(o);
  if (o.is != operand_form::pointer)
    return p.fail(at, 1, "* needs a pointer, such as *(float4*)&tile[t][0]",
                  formatted("set the type of the address with a cast, such as *(float*)(t * 4), or leave out the * "
                            "and use {}",
                            worded(setting::type)));
  o.is = operand_form::element;
  o.at = at, o.end = p.here;
  return o;
}

std::uint32_t access_node(parser& p, const operand& o) {
  if (p.error) return 0;
  if (o.type.of != nullptr) {
    const std::string first = o.type.of->members.empty() ? "x" : o.type.of->members.front().name;
    p.fail(o.at, o.end - o.at,
           formatted("an element of {} is a struct, and compilers access its members separately", o.of),
           formatted("name the member: {}.{}", p.text.substr(o.at, o.end - o.at), first));
    return 0;
  }
  const std::uint32_t width = piece_bytes(o.type);
  p.nodes[o.node].element_bytes = width;
  p.nodes[o.node].pieces = o.type.bytes / width;
  return o.node;
}

}  // namespace bankwise::expr
