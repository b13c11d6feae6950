#include "kernel_types.hpp"

#include <algorithm>
#include <set>

#include "kernel_expressions.hpp"

namespace bankwise::fuzz {

namespace {

bool is_qualifier(const std::string& s) {
  static const std::set<std::string> all = {"const",        "constexpr",  "volatile",        "static",    "inline",
                                            "__restrict__", "__device__", "__forceinline__", "__host__",  "extern",
                                            "__global__",   "__shared__", "alignas",         "__align__", "signed"};
  return all.count(s) != 0;
}

void read_alignment(kernel_reader& r) {
  ++r.here;
  if (r.take("(")) {
    while (!r.is(")") && !r.words[r.here].text.empty()) ++r.here;
    r.want(")");
  }
}

const kernel_type* read_extents(kernel_reader& r, const kernel_type* element) {
  std::vector<std::uint64_t> extents;
  while (r.take("[")) {
    if (r.take("]")) {
      extents.push_back(0);
      continue;
    }
    const auto n = constant_value(r, *read_expression(r));
    r.want("]");
    if (!n || *n < 1 || *n > 1 << 16) {
      r.stop("an extent is not a number");
      return element;
    }
    extents.push_back(static_cast<std::uint64_t>(*n));
  }
  const kernel_type* t = element;
  while (!extents.empty()) {
    t = r.array_of(t, extents.back());
    extents.pop_back();
  }
  return t;
}

const kernel_type* read_record(kernel_reader& r) {
  const bool is_union = r.name() == "union";
  std::string called;
  while (is_qualifier(r.words[r.here].text)) read_alignment(r);
  if (!r.is("{")) called = r.name();
  if (!r.take("{")) {
    const auto known = r.types.find(called);
    if (known == r.types.end()) r.stop("an unknown struct");
    return known == r.types.end() ? r.types["int"] : known->second;
  }
  kernel_type record{kernel_type::record, 0, false, nullptr, 0, {}, 1};
  while (!r.is("}") && r.wrong.empty()) {
    const specifiers s = read_specifiers(r);
    do {
      const declarator d = read_declarator(r, s.type);
      const std::uint64_t at =
          is_union ? 0 : (record.bytes + d.type->alignment - 1) / d.type->alignment * d.type->alignment;
      record.fields.push_back({d.name, d.type, at});
      record.alignment = std::max(record.alignment, d.type->alignment);
      record.bytes = std::max(record.bytes, at + d.type->bytes);
    } while (r.take(","));
    r.want(";");
  }
  r.want("}");
  record.bytes = (record.bytes + record.alignment - 1) / record.alignment * record.alignment;
  const kernel_type* made = r.make(record);
  if (!called.empty()) r.types[called] = made;
  return made;
}

}  // namespace

bool begins_type(const kernel_reader& r, std::size_t at) {
  const std::string& s = r.words[at].text;
  return is_qualifier(s) || s == "auto" || s == "struct" || s == "union" || r.types.count(s) != 0;
}

specifiers read_specifiers(kernel_reader& r) {
  specifiers s;
  while (r.wrong.empty()) {
    const std::string& w = r.words[r.here].text;
    if (w == "__align__" || w == "alignas") {
      ++r.here;
      r.want("(");
      while (!r.is(")") && !r.words[r.here].text.empty()) ++r.here;
      r.want(")");
    } else if (is_qualifier(w)) {
      s.is_shared |= w == "__shared__";
      s.is_const |= w == "const" || w == "constexpr";
      s.is_kernel |= w == "__global__";
      ++r.here;
    } else if (w == "auto") {
      s.is_auto = true;
      ++r.here;
    } else if ((w == "struct" || w == "union") && s.type == nullptr) {
      s.type = read_record(r);
    } else if (const auto t = r.types.find(w); t != r.types.end()) {
      if (s.type == nullptr || s.type == r.types["unsigned"])
        s.type = s.type == nullptr ? t->second
                 : w == "char"     ? r.types["uint8_t"]
                 : w == "long"     ? r.types["size_t"]
                                   : s.type;
      ++r.here;
    } else {
      break;
    }
  }
  if (s.type == nullptr && !s.is_auto) r.stop("expected a type, there is " + r.words[r.here].text);
  if (s.type == nullptr) s.type = r.types["int"];
  return s;
}

declarator read_declarator(kernel_reader& r, const kernel_type* base) {
  declarator d;
  d.type = base;
  const auto stars = [&] {
    while (r.is("*") || r.is("&") || is_qualifier(r.words[r.here].text)) {
      if (r.is("*")) d.type = r.pointer_to(d.type);
      d.is_reference |= r.is("&");
      ++r.here;
    }
  };
  stars();
  bool points = false, refers = false;
  if (r.is("(") && (r.words[r.here + 1].text == "*" || r.words[r.here + 1].text == "&")) {
    ++r.here;
    points = r.is("*");
    refers = !points;
    ++r.here;
    d.name = r.name();
    r.want(")");
  } else if (r.words[r.here].is == source::token::kind::word && !is_qualifier(r.words[r.here].text)) {
    d.name = r.name();
  }
  d.type = read_extents(r, d.type);
  if (points) d.type = r.pointer_to(d.type);
  d.is_reference |= refers;
  return d;
}

const kernel_type* read_type_name(kernel_reader& r) {
  const specifiers s = read_specifiers(r);
  return read_declarator(r, s.type).type;
}

std::optional<std::int64_t> constant_value(const kernel_reader& r, const node& n) {
  switch (n.is) {
    case node::number: return static_cast<std::int64_t>(n.value);
    case node::name: {
      const auto at = r.constants.find(n.text);
      return at == r.constants.end() ? std::nullopt : std::optional(at->second);
    }
    case node::size_of: return n.type == nullptr ? std::nullopt : std::optional<std::int64_t>(n.type->bytes);
    case node::cast: return constant_value(r, *n.kids[0]);
    case node::prefix: {
      const auto a = constant_value(r, *n.kids[0]);
      return a && n.text == "-" ? std::optional(-*a) : n.text == "+" ? a : std::nullopt;
    }
    case node::conditional: {
      const auto a = constant_value(r, *n.kids[0]);
      return a ? constant_value(r, *n.kids[*a != 0 ? 1 : 2]) : std::nullopt;
    }
    case node::binary: {
      const auto a = constant_value(r, *n.kids[0]), b = constant_value(r, *n.kids[1]);
      if (!a || !b) return std::nullopt;
      const std::string& s = n.text;
      if (s == "+") return *a + *b;
      if (s == "-") return *a - *b;
      if (s == "*") return *a * *b;
      if (s == "/" && *b != 0) return *a / *b;
      if (s == "%" && *b != 0) return *a % *b;
      if (s == "<<" && *b >= 0 && *b < 32) return *a << *b;
      if (s == ">>" && *b >= 0 && *b < 32) return *a >> *b;
      if (s == "|") return *a | *b;
      if (s == "&") return *a & *b;
      if (s == "^") return *a ^ *b;
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace bankwise::fuzz
