// Evaluates binary operators of an executed small kernel as in C++. Undefined behaviour ends the run.
#include "kernel_values.hpp"

namespace bankwise::fuzz {

namespace {

template <class T>
i64 compared(const std::string& sign, T x, T y) {
  const bool so = sign == "<"    ? x < y
                  : sign == ">"  ? x > y
                  : sign == "<=" ? x <= y
                  : sign == ">=" ? x >= y
                  : sign == "==" ? x == y
                                 : x != y;
  return so ? 1 : 0;
}

value of_pointers(kernel_machine& m, const std::string& sign, const value& a, const value& b) {
  if (sign == "-" && b.type->is == kernel_type::pointer && a.type->is == kernel_type::pointer)
    return m.number(static_cast<i64>(a.address - b.address) / static_cast<i64>(a.type->of->bytes), m.long_type);
  if (sign == "+" || sign == "-") {
    value p = a.type->is == kernel_type::pointer ? a : b;
    const i64 n = a.type->is == kernel_type::pointer ? b.integer : a.integer;
    const u64 bytes = static_cast<u64>(n) * p.type->of->bytes;
    p.address = sign == "+" ? p.address + bytes : p.address - bytes;
    return p;
  }
  return m.number(compared(sign, a.type->is == kernel_type::pointer ? a.address : static_cast<u64>(a.integer),
                           b.type->is == kernel_type::pointer ? b.address : static_cast<u64>(b.integer)),
                  m.int_type);
}

}  // namespace

value arithmetic(kernel_machine& m, const std::string& sign, const value& a, const value& b) {
  if (!m.made.wrong.empty()) return m.zero();
  const bool points = a.type->is == kernel_type::pointer, too = b.type->is == kernel_type::pointer;
  if (points || too) return of_pointers(m, sign, a, b);
  if (a.type->is == kernel_type::record || b.type->is == kernel_type::record) {
    m.unknown("arithmetic of records");
    return m.zero();
  }
  const bool compares = sign == "<" || sign == ">" || sign == "<=" || sign == ">=" || sign == "==" || sign == "!=";
  if (a.type->is == kernel_type::real || b.type->is == kernel_type::real) {
    const bool wide = (a.type->is == kernel_type::real && a.type->bytes == 8) ||
                      (b.type->is == kernel_type::real && b.type->bytes == 8);
    const kernel_type* type = wide ? m.double_type : m.float_type;
    const double x = m.converted(a, type).real, y = m.converted(b, type).real;
    if (compares) return m.number(compared(sign, x, y), m.int_type);
    value v;
    v.type = type;
    v.real = sign == "+" ? x + y : sign == "-" ? x - y : sign == "*" ? x * y : sign == "/" && y != 0 ? x / y : 0;
    if (!wide) v.real = static_cast<double>(static_cast<float>(v.real));
    return v;
  }
  const kernel_type *p = m.promoted(a.type), *q = m.promoted(b.type);
  const bool shifts = sign == "<<" || sign == ">>";
  const kernel_type* type = shifts                         ? p
                            : p->bytes != q->bytes         ? (p->bytes > q->bytes ? p : q)
                            : p->is_signed && q->is_signed ? p
                            : !p->is_signed                ? p
                                                           : q;
  const i64 x = wrapped(a.integer, type), y = shifts ? b.integer : wrapped(b.integer, type);
  if (compares)
    return m.number(type->is_signed || type->bytes < 8 ? compared(sign, x, y)
                                                       : compared(sign, static_cast<u64>(x), static_cast<u64>(y)),
                    m.int_type);
  const u64 l = static_cast<u64>(x), r = static_cast<u64>(y);
  if ((sign == "/" || sign == "%") && y == 0) {
    m.undefined("a division by zero");
    return m.zero();
  }
  if (shifts && (y < 0 || y >= static_cast<i64>(type->bytes) * 8)) {
    m.undefined("a shift by too many bits");
    return m.zero();
  }
  const bool is_unsigned = !type->is_signed;
  const u64 z = sign == "+"    ? l + r
                : sign == "-"  ? l - r
                : sign == "*"  ? l * r
                : sign == "/"  ? (is_unsigned ? l / r : static_cast<u64>(x / y))
                : sign == "%"  ? (is_unsigned ? l % r : static_cast<u64>(x % y))
                : sign == "<<" ? l << y
                : sign == ">>" ? (is_unsigned ? l >> y : static_cast<u64>(x >> y))
                : sign == "&"  ? l & r
                : sign == "|"  ? l | r
                               : l ^ r;
  return m.number(static_cast<i64>(z), type);
}

}  // namespace bankwise::fuzz
