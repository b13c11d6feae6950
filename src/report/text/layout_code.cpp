#include "report/text/layout_code.hpp"

#include <algorithm>
#include <bit>

#include "bankwise/ability.hpp"
#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

using advise::family;

std::string number(std::uint64_t n) { return std::to_string(n); }
std::string swizzle_name(swizzle s) {
  return formatted("Swizzle<{},{},{}>", number(s.bits), number(s.base), number(s.shift));
}

// The shape of an array, in elements.
struct shape {
  std::string name, type;
  u32 element = 1;                                 // size of an element in bytes, a power of two
  std::uint64_t count = 0, columns = 0, rows = 0;  // number of elements, columns and rows; `columns` is 0 without rows
  std::vector<std::uint64_t> extents;

  u32 log2_element() const { return static_cast<u32>(std::countr_zero(element)); }
};

shape shape_of(const expr::array_decl& array, const advise::problem& p) {
  shape s;
  s.name = array.name.empty() ? "shared" : array.name;
  s.type = array.type.empty() ? "T" : array.type;
  s.element = std::max(1u, array.extents.empty() ? p.element_bytes : array.element_bytes);
  if (!std::has_single_bit(s.element)) s.element = 1;
  s.count = p.bytes / s.element;
  s.extents = array.extents;
  if (array.extents.size() > 1) {
    s.columns = array.extents.back();
    s.rows = s.count / s.columns;
  }
  return s;
}

// Returns the index of an element after a swizzle, such as "i ^ (i >> 3 & 0x38)". The index counts elements.
std::string xor_text(const std::vector<advise::xor_term>& terms, const shape& s, const std::string& i,
                     std::uint64_t count) {
  const u32 low = s.log2_element();
  const u32 all = static_cast<u32>(std::bit_ceil(std::max<std::uint64_t>(count, 1)) - 1);
  std::string text;
  for (const advise::xor_term& t : terms) {
    const u32 mask = t.mask >> low & all;
    if (mask == 0) continue;
    std::string one;
    if (t.shift == 0)
      one = mask == all ? i : formatted("({} & 0x{})", i, hex(mask));
    else
      one = formatted("({}{}{} & 0x{})", i, t.shift > 0 ? " >> " : " << ",
                      number(static_cast<std::uint64_t>(std::abs(t.shift))), hex(mask));
    text += (text.empty() ? "" : " ^ ") + one;
  }
  return text;
}

// Returns the terms as CuTe's swizzles over elements, such as "Swizzle<3,3,3>". The last swizzle is applied first.
// Returns nothing if the layout cannot be written with swizzles.
std::vector<swizzle> swizzles_of(const std::vector<advise::xor_term>& terms, u32 low, u32 row_bits) {
  std::vector<swizzle> all;
  for (std::size_t n = 0; n < terms.size(); ++n) {
    const advise::xor_term& t = terms[n];
    if (t.shift == 0 && t.mask == ~0u) continue;
    if (t.shift <= 0) return {};
    for (u32 bit = 0; bit < 32;) {
      if ((t.mask >> bit & 1) == 0) {
        ++bit;
        continue;
      }
      // A term that changes bits of another term's input cannot be written as a swizzle.
      if (bit + static_cast<u32>(t.shift) < row_bits && terms.size() > 2) return {};
      u32 run = 1;
      while (run < static_cast<u32>(t.shift) && bit + run < 32 && (t.mask >> (bit + run) & 1) != 0) ++run;
      if (bit < low) return {};
      all.push_back({run, bit - low, static_cast<u32>(t.shift)});
      bit += run;
    }
  }
  return all;
}

std::string int_of(std::uint64_t n) { return formatted("Int<{}>", number(n)); }
std::string layout_text(const std::string& shape, const std::string& stride) {
  return formatted("Layout<Shape<{}>, Stride<{}>>{{}}", shape, stride);
}

std::string composed(const std::vector<swizzle>& swizzles, std::string inner) {
  // composition() accepts only a plain layout, so the outer swizzles use make_composed_layout().
  for (std::size_t n = 0; n < swizzles.size(); ++n)
    inner = formatted("{}{}{}{})", n == 0 ? "composition(" : "make_composed_layout(", swizzle_name(swizzles[n]),
                      n == 0 ? "{}, " : "{}, _0{}, ", inner);
  return inner;
}

// --- code for CuTe

// The parts of an array's CuTe layouts.
struct cute_parts {
  const shape& s;
  const advise::answer& a;
  u32 element, row_bits;
  std::string plain;  // layout of rows and columns, with the padding of rows

  std::vector<swizzle> swizzles() const { return swizzles_of(a.layout.terms, s.log2_element(), row_bits); }
};

std::string plain_cute(const cute_parts& c) { return c.plain; }
std::string swizzled_cute(const cute_parts& c) {
  if (c.a.layout.every != 0 && c.a.layout.every != c.s.columns * c.element) return {};
  const std::vector<swizzle> all = c.swizzles();
  return all.empty() ? std::string() : composed(all, c.plain);
}
std::string boxed_cute(const cute_parts& c) {
  if (c.a.layout.panel_bytes == 0) return composed(c.swizzles(), c.plain);
  const std::uint64_t span = c.a.layout.panel_bytes / c.element;
  return composed(c.swizzles(), layout_text(formatted("{}, Shape<{}, {}>", int_of(c.s.rows), int_of(span),
                                                      int_of(c.s.columns / span)),
                                            formatted("{}, Stride<_1, {}>", int_of(span), int_of(c.s.rows * span))));
}
std::string padded_cute(const cute_parts& c) {
  const shape& s = c.s;
  const std::uint64_t every = c.a.layout.every / c.element, gap = c.a.layout.gap / c.element;
  if (s.columns == 0)
    return s.count % every != 0 ? std::string()
                                : layout_text(formatted("Shape<{}, {}>", int_of(every), int_of(s.count / every)),
                                              formatted("Stride<_1, {}>", int_of(every + gap)));
  if (s.columns % every == 0) {
    const std::uint64_t parts = s.columns / every;
    return layout_text(formatted("{}, Shape<{}, {}>", int_of(s.rows), int_of(every), int_of(parts)),
                       formatted("{}, Stride<_1, {}>", int_of(s.columns + parts * gap), int_of(every + gap)));
  }
  if (every % s.columns == 0 && s.rows % (every / s.columns) == 0) {
    const std::uint64_t rows = every / s.columns;
    return layout_text(formatted("Shape<{}, {}>, {}", int_of(rows), int_of(s.rows / rows), int_of(s.columns)),
                       formatted("Stride<{}, {}>, _1", int_of(s.columns), int_of(every + gap)));
  }
  return {};
}
std::string no_cute(const cute_parts&) { return {}; }

// --- code for Triton

std::string linear_triton(const shape& s, const advise::answer& a) {
  if (a.layout.every != 0) return {};
  const u32 low = s.log2_element();
  const u32 bits = static_cast<u32>(std::countr_zero(s.count)) + low;
  const advise::bit_matrix m = advise::matrix_of(a.layout.terms, bits);
  if (!advise::is_invertible(m)) return {};
  const advise::bit_matrix back = advise::inverse(m);
  std::string bases;
  for (u32 bit = low; bit < bits; ++bit) {
    const std::uint64_t index = back.image[bit] >> low;
    bases += formatted("{}{}, {}]", bases.empty() ? "[" : ", [", number(index / s.columns), number(index % s.columns));
  }
  return formatted("gl.SharedLinearLayout(offset_bases=[{}])", bases);
}
std::string padded_triton(const shape& s, const advise::answer& a) {
  if (!std::has_single_bit(a.layout.every)) return {};
  return formatted("gl.PaddedSharedLayout.with_identity_for([[{}, {}]], [{}, {}], [1, 0])",
                   number(a.layout.every / s.element), number(a.layout.gap / s.element), number(s.rows),
                   number(s.columns));
}
std::string boxed_triton(const shape& s, const advise::answer& a) {
  if (!a.permute || a.permute->base != 4) return {};
  return formatted("gl.NVMMASharedLayout(swizzle_byte_width={}, element_bitwidth={}, rank=2)",
                   number(16u << a.permute->bits), number(s.element * 8));
}
std::string swizzled_triton(const shape& s, const advise::answer& a) {
  const u32 low = s.log2_element(), p = static_cast<u32>(std::countr_zero(s.columns * s.element));
  if (const auto w = a.permute; w && w->base + w->shift >= p && w->base + w->bits <= p && w->base >= low)
    return formatted("gl.SwizzledSharedLayout(vec={}, per_phase={}, max_phase={}, order=[1, 0])",
                     number((1u << w->base) / s.element), number(1u << (w->base + w->shift - p)),
                     number(1u << w->bits));
  return linear_triton(s, a);
}
std::string no_triton(const shape&, const advise::answer&) { return {}; }

// The functions that write the code for a family of layouts, and the alignment in the declaration.
struct family_code {
  family kind;
  std::string (*cute)(const cute_parts& c);
  std::string (*triton)(const shape& s, const advise::answer& a);  // requires that all extents are powers of two
  const char* alignment = "";  // declared alignment, for hardware swizzles of absolute addresses
};
constexpr family_code family_codes[] = {
    {family::as_it_is, no_cute, no_triton},
    {family::row_padding, plain_cute, padded_triton},
    {family::padding, padded_cute, padded_triton},
    {family::swizzle, swizzled_cute, swizzled_triton},
    {family::tma_box, boxed_cute, boxed_triton, "__align__(1024) "},
    {family::padded_swizzle, swizzled_cute, no_triton},
    {family::row_xor, swizzled_cute, linear_triton},
    {family::linear, no_cute, linear_triton},
};
const family_code& code_row(family f) {
  return *std::find_if(std::begin(family_codes), std::end(family_codes),
                       [&](const family_code& c) { return c.kind == f; });
}

std::string cute_text(const shape& s, const advise::problem& p, const advise::answer& a) {
  if (s.extents.empty()) return {};
  const u32 e = s.element;
  const u32 row_bits = static_cast<u32>(std::bit_width(u32{p.on.model.banks} * p.on.model.bank_bytes)) - 1;
  const std::uint64_t pitch = s.columns + (a.layout.every == s.columns * e ? a.layout.gap / e : 0);
  const std::string plain = s.columns == 0 ? formatted("Layout<{}>{{}}", int_of(s.count))
                                           : layout_text(formatted("{}, {}", int_of(s.rows), int_of(s.columns)),
                                                         formatted("{}, _1", int_of(pitch)));
  return code_row(a.kind).cute({s, a, e, row_bits, plain});
}

std::string triton_text(const shape& s, const advise::answer& a) {
  if (s.columns == 0 || !std::has_single_bit(s.columns) || !std::has_single_bit(s.rows) || s.extents.size() != 2)
    return {};
  return code_row(a.kind).triton(s, a);
}

std::string hardware_text(const advise::problem& p, const shape& s, const advise::answer& a) {
  if (!a.permute || !can(number_of(p.on.name.c_str()), ability::tensor_copy)) return {};
  const swizzle w = *a.permute;
  const bool atom = w.bits == 2 && w.base == 5 && w.shift == 2;
  if (!atom && (w.base != 4 || w.shift != 3 || w.bits > 3)) return {};
  const u32 span = atom ? 128 : 16u << w.bits;
  // The hardware applies this swizzle only to boxes whose rows are as long as the span of the swizzle.
  const std::uint64_t row = a.layout.panel_bytes != 0 ? a.layout.panel_bytes : s.columns * s.element;
  if (row != span || a.layout.every != 0) return {};
  return formatted("CU_TENSOR_MAP_SWIZZLE_{}B{}{}: use boxes of {} columns that begin at multiples of {} bytes",
                   number(span), atom ? "_ATOM_32B" : "",
                   atom ? ""
                        : formatted(", wgmma layout type {}", number(w.bits == 3   ? 1
                                                                     : w.bits == 2 ? 2
                                                                                   : 3)),
                   number(span / s.element), number(atom ? 512 : 128u << w.bits));
}

// Returns the index for a swizzle that changes columns only by bits of the row, such as "column ^ (row & 7) * 8".
// Returns an empty string for all other swizzles.
std::string row_xor_text(const shape& s, const advise::answer& a) {
  const std::uint64_t pitch = s.columns * s.element;
  if (!a.permute || s.extents.size() != 2 || !std::has_single_bit(pitch) || a.layout.every != 0 ||
      a.layout.panel_bytes != 0)
    return {};
  const swizzle w = *a.permute;
  const u32 p = static_cast<u32>(std::countr_zero(pitch));
  if (w.base < s.log2_element() || w.base + w.bits > p || w.base + w.shift < p) return {};
  const u32 skipped = w.base + w.shift - p;
  const std::uint64_t mask = (std::uint64_t{1} << w.bits) - 1, unit = std::uint64_t{1} << (w.base - s.log2_element());
  const std::string part = formatted("row{}", skipped == 0 ? "" : formatted(" >> {}", number(skipped)));
  const bool whole = (s.rows - 1) >> skipped <= mask;
  const std::string row =
      whole ? (skipped == 0 ? part : formatted("({})", part)) : formatted("({} & {})", part, number(mask));
  return formatted("column ^ {}{}", row, unit == 1 ? "" : formatted(" * {}", number(unit)));
}

// The code of an index. `base` is the old index, or the index computed from row and column. `value` is the index after
// padding or swizzling. If `step` is not empty, this statement must precede the use of `value`.
struct index_text {
  std::string base, value, step;
  std::string expression;  // complete index in one line
};

index_text index_text_of(const shape& s, const advise::answer& a) {
  const advise::relayout& l = a.layout;
  const std::uint64_t gap = l.gap / s.element, every = l.every / s.element;
  index_text x{.base = "i", .value = {}, .step = {}, .expression = {}};
  if (l.panel_bytes != 0) {
    const std::string span = number(l.panel_bytes / s.element);
    x.base = formatted("(column / {} * {} + row) * {} + column % {}", span, number(s.rows), span, span);
  } else if (l.every != 0 && l.every == s.columns * s.element) {
    x.base = formatted("row * {} + column", number(s.columns + gap));
  } else {
    if (s.columns != 0) x.base = formatted("row * {} + column", number(s.columns));
    if (l.every != 0)
      x.expression = formatted("i + i / {}{}", number(every), gap == 1 ? "" : formatted(" * {}", number(gap)));
  }
  x.value = x.expression;
  if (!l.terms.empty()) {
    x.value = xor_text(l.terms, s, x.expression.empty() ? "i" : "j", a.bytes / s.element);
    if (!x.expression.empty()) {
      x.step = formatted("  const unsigned j = {};\n", x.expression);
      x.expression = formatted("j = {}, {}", x.expression, x.value);
    } else {
      x.expression = x.value;
    }
  }
  if (x.expression.empty()) x.expression = x.base;
  return x;
}

std::string layout_summary(const advise::problem& p, const shape& s, const advise::answer& a,
                           const std::string& by_row) {
  const advise::relayout& l = a.layout;
  std::string text;
  if (l.panel_bytes != 0)
    text = formatted("panels of {} columns, one after the other", number(l.panel_bytes / s.element));
  const std::uint64_t row_today = l.every + (p.as_it_is.every == l.every ? p.as_it_is.gap : 0);
  const bool only_declaration = advise::facts_of(a.kind).only_declaration;
  if (l.every != 0 && l.every == s.columns * s.element)
    text = formatted("rows of {} bytes instead of {}", number(l.every + l.gap), number(row_today));
  else if (only_declaration)
    text = formatted("rows of {} bytes instead of {}", number(p.as_it_is.every),
                     number(p.as_it_is.every + p.as_it_is.gap));
  else if (l.every != 0)
    text = formatted("{} free bytes after every {} bytes", number(l.gap), grouped(l.every));
  if (a.permute) {
    if (!by_row.empty()) text = by_row;
    text += formatted("{}{} over bytes", text.empty() ? "" : ", ", swizzle_name(*a.permute));
  } else if (!l.terms.empty()) {
    text += std::string(text.empty() ? "" : ", ") + advise::facts_of(a.kind).xor_text +
            xor_text(l.terms, s, "i", a.bytes / s.element);
  }
  if (p.as_it_is.every != 0 && !only_declaration) text += ", without the existing padding";
  return text;
}

// Returns a declaration without extents, such as "__shared__ __align__(16) float tile".
std::string declared_text(const advise::problem& p, const shape& s, const advise::answer& a) {
  const u32 granule = advise::granule_bytes(p);
  std::string align = code_row(a.kind).alignment;
  if (align.empty() && granule > s.element) align = formatted("__align__({}) ", number(granule));
  return formatted("{}{}{} {}", p.member ? "" : "__shared__ ", align, s.type, s.name);
}

// Returns the declaration for a layout that only needs longer rows. The type of the array, or of a pointer to its rows,
// contains the length of a row.
std::string longer_rows_text(const advise::problem& p, const shape& s, std::uint64_t gap, const std::string& declared) {
  std::string text = p.pointed   ? formatted("{} (*{})", s.type, s.name)
                     : p.dynamic ? formatted("extern {}", declared)
                                 : declared;
  for (std::size_t n = p.pointed ? 1 : 0; n < s.extents.size(); ++n)
    text += p.dynamic && n == 0
                ? std::string("[]")
                : formatted("[{}{}]", number(s.extents[n]),
                            gap != 0 && n + 1 == s.extents.size() ? formatted(" + {}", number(gap)) : "");
  return text + (p.pointed ? " = ...; // change the pointer's type, also in casts; nothing else changes\n"
                           : ";  // nothing else changes\n");
}

// Returns a declaration without rows, and a function that computes the index of an element.
std::string function_text(const expr::array_decl& array, const advise::problem& p, const shape& s,
                          const advise::answer& a, const index_text& x, const std::string& declared) {
  const std::uint64_t count = a.bytes / s.element;
  const bool tile = s.columns != 0;
  std::string text;
  if (p.dynamic)
    text = formatted(
        "extern {}[];  // {} elements: the launch must request {}\n", declared, grouped(count),
        a.bytes == p.bytes ? "as many bytes as before" : formatted("{} bytes more", grouped(a.bytes - p.bytes)));
  else
    text = formatted("{}[{}];\n", declared, number(count));
  if (array.type.empty())
    text.insert(text.size() - 1, formatted("{} T: an element of {}{}", p.dynamic ? ";" : "  //", number(s.element),
                                           s.element == 1 ? " byte" : " bytes"));
  text += formatted("__device__ constexpr unsigned {}_at({}) {{\n", s.name,
                    tile ? "unsigned row, unsigned column" : "unsigned i");
  if (x.value.empty()) {
    text += formatted("  return {};\n", x.base);
  } else {
    if (tile) text += formatted("  const unsigned i = {};\n", x.base);
    text += formatted("{}  return {};\n", x.step, x.value);
  }
  text += "}\n";
  std::string old = s.name;
  if (!tile)
    old += "[i]";
  else if (s.extents.size() == 2)
    old += "[row][column]";
  else
    old += "[row][column], where row combines all outer indices into one row number,";
  text += formatted("// {} becomes {}[{}{}", old, s.name, s.name, tile ? "_at(row, column)]" : "_at(i)]");
  if (advise::granule_bytes(p) > s.element)
    text += "; an access of several elements uses the index of its first element";
  return formatted("{}\n", text);
}

}  // namespace

layout_code code_of(const expr::array_decl& array, const advise::problem& p, const advise::answer& a) {
  layout_code code;
  const shape s = shape_of(array, p);
  const advise::relayout& l = a.layout;
  const bool only_declaration = advise::facts_of(a.kind).only_declaration;
  const std::uint64_t gap = l.gap / s.element;
  const std::string by_row = row_xor_text(s, a), declared = declared_text(p, s, a);
  const index_text x = index_text_of(s, a);
  code.summary = layout_summary(p, s, a, by_row);
  code.expression = x.expression;
  if (a.permute && s.element > 1 && s.log2_element() <= a.permute->base)
    code.over_elements = swizzle_name({a.permute->bits, a.permute->base - s.log2_element(), a.permute->shift});

  // If the code computes the offset of a row itself, the index contains the length of a row, and the declaration does
  // not.
  const std::string bare_row = formatted("row * {}", number(s.columns)),
                    flat_old = formatted("{}[{} + column]", s.name, bare_row);
  const bool flat_rows = p.flat && s.columns != 0;
  if (only_declaration && flat_rows) {
    const std::uint64_t old_row = s.columns + (p.as_it_is.every == l.every ? p.as_it_is.gap / s.element : 0);
    code.cuda = formatted(
        "// {}[row * {} + column] becomes {}[row * {} + column]{}\n", s.name, number(old_row), s.name,
        number(s.columns + gap),
        p.stages > 1 ? formatted(", in each of the {} stages of the array", number(p.stages)) : std::string());
  } else if (only_declaration && !s.extents.empty()) {
    code.cuda = longer_rows_text(p, s, gap, declared);
  } else {
    code.cuda = function_text(array, p, s, a, x, declared);
  }
  if (only_declaration && !s.extents.empty()) {
    code.edit = code.cuda;
  } else if (!by_row.empty() && flat_rows) {
    code.edit = formatted("// {} becomes {}[{} + ({})]\n", flat_old, s.name, bare_row, by_row);
  } else if (!by_row.empty() && !p.dynamic) {
    code.edit = formatted("{}[{}][{}];{}\n// {}[row][column] becomes {}[row][{}]\n", declared, number(s.rows),
                          number(s.columns),
                          array.type.empty() ? formatted("  // T: an element of {} bytes", number(s.element)) : "",
                          s.name, s.name, by_row);
  } else if (s.columns == 0 && x.step.empty()) {
    code.edit = formatted("{}// {}[i] becomes {}[{}]\n", code.cuda.substr(0, code.cuda.find('\n') + 1), s.name, s.name,
                          code.expression);
  }
  code.cute = cute_text(s, p, a);
  code.triton = triton_text(s, a);
  code.hardware = hardware_text(p, s, a);
  return code;
}

}  // namespace bankwise
