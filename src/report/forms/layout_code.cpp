#include "report/forms/layout_code.hpp"

#include <algorithm>
#include <bit>

#include "bankwise/ability.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

using advise::family;

std::string number(std::uint64_t n) { return std::to_string(n); }
std::string swizzle_name(swizzle s) {
  return "Swizzle<" + number(s.bits) + "," + number(s.base) + "," + number(s.shift) + ">";
}

// The array in elements, as the code has it.
struct shape {
  std::string name, type;
  u32 element = 1;                                 // bytes, a power of two
  std::uint64_t count = 0, columns = 0, rows = 0;  // columns 0: one dimension
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

// The xor terms over elements: "i ^ (i >> 3 & 0x38)".
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
      one = mask == all ? i : "(" + i + " & 0x" + hex(mask) + ")";
    else
      one = "(" + i + (t.shift > 0 ? " >> " : " << ") + number(static_cast<std::uint64_t>(std::abs(t.shift))) +
            " & 0x" + hex(mask) + ")";
    text += (text.empty() ? "" : " ^ ") + one;
  }
  return text;
}

// "Swizzle<3,3,3>" by Swizzle, over elements, applied from the last to the first. Empty: cannot be written so.
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
      // What changes must not be what something is changed by.
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

std::string int_of(std::uint64_t n) { return "Int<" + number(n) + ">"; }
std::string layout_text(const std::string& shape, const std::string& stride) {
  return "Layout<Shape<" + shape + ">, Stride<" + stride + ">>{}";
}

std::string composed(const std::vector<swizzle>& swizzles, std::string inner) {
  // composition() takes a plain layout; what stands around that has to be said in full.
  for (std::size_t n = 0; n < swizzles.size(); ++n)
    inner = (n == 0 ? "composition(" : "make_composed_layout(") + swizzle_name(swizzles[n]) +
            (n == 0 ? "{}, " : "{}, _0{}, ") + inner + ")";
  return inner;
}

std::string cute_text(const shape& s, const advise::problem& p, const advise::answer& a) {
  if (s.extents.empty()) return {};
  const u32 e = s.element, low = s.log2_element();
  const u32 row_bits = static_cast<u32>(std::bit_width(u32{p.on.model.banks} * p.on.model.bank_bytes)) - 1;
  const std::uint64_t pitch = s.columns + (a.layout.every == s.columns * e ? a.layout.gap / e : 0);
  std::string plain = s.columns == 0 ? "Layout<" + int_of(s.count) + ">{}"
                                     : layout_text(int_of(s.rows) + ", " + int_of(s.columns), int_of(pitch) + ", _1");
  switch (a.kind) {
    case family::row_padding: return plain;
    case family::swizzle:
    case family::padded_swizzle:
    case family::row_xor: {
      if (a.layout.every != 0 && a.layout.every != s.columns * e) return {};
      const std::vector<swizzle> all = swizzles_of(a.layout.terms, low, row_bits);
      return all.empty() ? std::string() : composed(all, plain);
    }
    case family::tma_box: {
      const std::vector<swizzle> all = swizzles_of(a.layout.terms, low, row_bits);
      if (a.layout.panel_bytes == 0) return composed(all, plain);
      const std::uint64_t span = a.layout.panel_bytes / e;
      return composed(all,
                      layout_text(int_of(s.rows) + ", Shape<" + int_of(span) + ", " + int_of(s.columns / span) + ">",
                                  int_of(span) + ", Stride<_1, " + int_of(s.rows * span) + ">"));
    }
    case family::padding: {
      const std::uint64_t every = a.layout.every / e, gap = a.layout.gap / e;
      if (s.columns == 0)
        return s.count % every != 0 ? std::string()
                                    : layout_text("Shape<" + int_of(every) + ", " + int_of(s.count / every) + ">",
                                                  "Stride<_1, " + int_of(every + gap) + ">");
      if (s.columns % every == 0) {
        const std::uint64_t parts = s.columns / every;
        return layout_text(int_of(s.rows) + ", Shape<" + int_of(every) + ", " + int_of(parts) + ">",
                           int_of(s.columns + parts * gap) + ", Stride<_1, " + int_of(every + gap) + ">");
      }
      if (every % s.columns == 0 && s.rows % (every / s.columns) == 0) {
        const std::uint64_t rows = every / s.columns;
        return layout_text("Shape<" + int_of(rows) + ", " + int_of(s.rows / rows) + ">, " + int_of(s.columns),
                           "Stride<" + int_of(s.columns) + ", " + int_of(every + gap) + ">, _1");
      }
      return {};
    }
    default: return {};
  }
}

std::string triton_text(const shape& s, const advise::answer& a) {
  if (s.columns == 0 || !std::has_single_bit(s.columns) || !std::has_single_bit(s.rows) || s.extents.size() != 2)
    return {};
  const u32 e = s.element, low = s.log2_element();
  const std::uint64_t pitch = s.columns * e;
  const u32 p = static_cast<u32>(std::countr_zero(pitch));
  const std::string tile = "[" + number(s.rows) + ", " + number(s.columns) + "]";
  if (a.kind == family::row_padding || a.kind == family::padding) {
    if (!std::has_single_bit(a.layout.every)) return {};
    return "gl.PaddedSharedLayout.with_identity_for([[" + number(a.layout.every / e) + ", " + number(a.layout.gap / e) +
           "]], " + tile + ", [1, 0])";
  }
  if (a.kind == family::tma_box && a.permute && a.permute->base == 4)
    return "gl.NVMMASharedLayout(swizzle_byte_width=" + number(16u << a.permute->bits) +
           ", element_bitwidth=" + number(e * 8) + ", rank=2)";
  if (a.kind == family::swizzle && a.permute) {
    const swizzle w = *a.permute;
    if (w.base + w.shift >= p && w.base + w.bits <= p && w.base >= low)
      return "gl.SwizzledSharedLayout(vec=" + number((1u << w.base) / e) +
             ", per_phase=" + number(1u << (w.base + w.shift - p)) + ", max_phase=" + number(1u << w.bits) +
             ", order=[1, 0])";
  }
  if ((a.kind == family::swizzle || a.kind == family::row_xor || a.kind == family::linear) && a.layout.every == 0) {
    const u32 bits = static_cast<u32>(std::countr_zero(s.count)) + low;
    const advise::bit_matrix m = advise::matrix_of(a.layout.terms, bits);
    if (!advise::is_invertible(m)) return {};
    const advise::bit_matrix back = advise::inverse(m);
    std::string bases;
    for (u32 bit = low; bit < bits; ++bit) {
      const std::uint64_t index = back.image[bit] >> low;
      bases += (bases.empty() ? "[" : ", [") + number(index / s.columns) + ", " + number(index % s.columns) + "]";
    }
    return "gl.SharedLinearLayout(offset_bases=[" + bases + "])";
  }
  return {};
}

std::string hardware_text(const advise::problem& p, const shape& s, const advise::answer& a) {
  if (!a.permute || !can(number_of(p.on.name.c_str()), ability::tensor_copy)) return {};
  const swizzle w = *a.permute;
  const bool atom = w.bits == 2 && w.base == 5 && w.shift == 2;
  if (!atom && (w.base != 4 || w.shift != 3 || w.bits > 3)) return {};
  const u32 span = atom ? 128 : 16u << w.bits;
  // The hardware permutes boxes whose rows are as long as its span.
  const std::uint64_t row = a.layout.panel_bytes != 0 ? a.layout.panel_bytes : s.columns * s.element;
  if (row != span || a.layout.every != 0) return {};
  return "CU_TENSOR_MAP_SWIZZLE_" + number(span) + "B" + (atom ? "_ATOM_32B" : "") +
         (atom ? ""
               : ", wgmma layout type " + number(w.bits == 3   ? 1
                                                 : w.bits == 2 ? 2
                                                               : 3)) +
         ": boxes of " + number(span / s.element) + " columns, at a multiple of " +
         number(atom ? 512 : 128u << w.bits) + " bytes";
}

// "column ^ (row & 7) * 8": a swizzle that changes columns by bits of the row alone. Empty: it is another one.
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
  const std::string part = "row" + (skipped == 0 ? "" : " >> " + number(skipped));
  const bool whole = (s.rows - 1) >> skipped <= mask;
  const std::string row = whole ? (skipped == 0 ? part : "(" + part + ")") : "(" + part + " & " + number(mask) + ")";
  return "column ^ " + row + (unit == 1 ? "" : " * " + number(unit));
}

}  // namespace

layout_code code_of(const expr::array_decl& array, const advise::problem& p, const advise::answer& a) {
  layout_code code;
  const shape s = shape_of(array, p);
  const advise::relayout& l = a.layout;
  const bool rows_padded = l.every != 0 && l.every == s.columns * s.element;
  const std::uint64_t gap = l.gap / s.element, every = l.every / s.element;
  const std::uint64_t count = a.bytes / s.element;

  if (l.panel_bytes != 0)
    code.summary = "panels of " + number(l.panel_bytes / s.element) + " columns, one behind the other";
  const std::uint64_t row_today = l.every + (p.as_it_is.every == l.every ? p.as_it_is.gap : 0);
  const std::string by_row = row_xor_text(s, a);
  if (rows_padded)
    code.summary = "rows of " + number(l.every + l.gap) + " bytes instead of " + number(row_today);
  else if (a.kind == family::row_padding)
    code.summary =
        "rows of " + number(p.as_it_is.every) + " bytes instead of " + number(p.as_it_is.every + p.as_it_is.gap);
  else if (l.every != 0)
    code.summary = number(l.gap) + " free bytes after every " + grouped(l.every);
  if (a.permute) {
    if (!by_row.empty()) code.summary = by_row;
    code.summary += (code.summary.empty() ? "" : ", ") + swizzle_name(*a.permute) + " over bytes";
    if (s.element > 1 && s.log2_element() <= a.permute->base)
      code.over_elements = swizzle_name({a.permute->bits, a.permute->base - s.log2_element(), a.permute->shift});
  } else if (!l.terms.empty()) {
    code.summary += (code.summary.empty() ? "" : ", ") +
                    std::string(a.kind == family::linear ? "address bits mixed: " : "row bits xored in: ");
  }

  // The new index, from the row and the column, or from the old index.
  std::string i = "i";
  if (l.panel_bytes != 0) {
    const std::string span = number(l.panel_bytes / s.element);
    i = "(column / " + span + " * " + number(s.rows) + " + row) * " + span + " + column % " + span;
  } else if (rows_padded) {
    i = "row * " + number(s.columns + gap) + " + column";
  } else {
    if (s.columns != 0) i = "row * " + number(s.columns) + " + column";
    if (l.every != 0) code.expression = "i + i / " + number(every) + (gap == 1 ? "" : " * " + number(gap));
  }
  std::string value = code.expression;
  std::string step;  // of a padding before a swizzle
  if (!l.terms.empty()) {
    value = xor_text(l.terms, s, code.expression.empty() ? "i" : "j", count);
    if (!code.expression.empty()) {
      step = "  const unsigned j = " + code.expression + ";\n";
      code.expression = "j = " + code.expression + ", " + value;
    } else {
      code.expression = value;
    }
  }
  if (code.expression.empty()) code.expression = i;
  if (!a.permute && !l.terms.empty()) code.summary += xor_text(l.terms, s, "i", count);

  // Hardware swizzles permute absolute addresses; everything else only needs what the widest access needs.
  const u32 granule = advise::granule_bytes(p);
  const std::string align = a.kind == family::tma_box ? "__align__(1024) "
                            : granule > s.element     ? "__align__(" + number(granule) + ") "
                                                      : "";
  const std::string declared = (p.member ? "" : "__shared__ ") + align + s.type + " " + s.name;
  // Rows that the code computes: its index says it, and no declaration.
  const std::string bare_row = "row * " + number(s.columns), flat_old = s.name + "[" + bare_row + " + column]";
  const bool flat_rows = p.flat && s.columns != 0;
  if (a.kind == family::row_padding && flat_rows) {
    const std::uint64_t old_row = s.columns + (p.as_it_is.every == l.every ? p.as_it_is.gap / s.element : 0);
    code.cuda = "// " + s.name + "[row * " + number(old_row) + " + column] becomes " + s.name + "[row * " +
                number(s.columns + gap) + " + column]" +
                (p.stages > 1 ? ", in each of its " + number(p.stages) + " stages" : std::string()) + "\n";
  } else if (a.kind == family::row_padding && !s.extents.empty()) {
    // What says where its rows end: a pointer's type, or its own declaration.
    code.cuda = p.pointed ? s.type + " (*" + s.name + ")" : p.dynamic ? "extern " + declared : declared;
    for (std::size_t n = p.pointed ? 1 : 0; n < s.extents.size(); ++n)
      code.cuda += p.dynamic && n == 0 ? std::string("[]")
                                       : "[" + number(s.extents[n]) +
                                             (gap != 0 && n + 1 == s.extents.size() ? " + " + number(gap) : "") + "]";
    code.cuda += p.pointed ? " = ...;  // the pointer's type, also where it is cast to; nothing else changes\n"
                           : ";  // nothing else changes\n";
  } else {
    const bool tile = s.columns != 0;
    if (p.dynamic)
      code.cuda = "extern " + declared + "[];  // " + grouped(count) + " elements: the launch asks for " +
                  (a.bytes == p.bytes ? "as many bytes as before" : grouped(a.bytes - p.bytes) + " bytes more") + "\n";
    else
      code.cuda = declared + "[" + number(count) + "];\n";
    if (array.type.empty())
      code.cuda.insert(code.cuda.size() - 1, std::string(p.dynamic ? ";" : "  //") + " T: an element of " +
                                                 number(s.element) + (s.element == 1 ? " byte" : " bytes"));
    code.cuda += "__device__ constexpr unsigned " + s.name + "_at(" +
                 (tile ? "unsigned row, unsigned column" : "unsigned i") + ") {\n";
    if (value.empty()) {
      code.cuda += "  return " + i + ";\n";
    } else {
      if (tile) code.cuda += "  const unsigned i = " + i + ";\n";
      code.cuda += step + "  return " + value + ";\n";
    }
    code.cuda += "}\n";
    std::string old = s.name;
    if (!tile)
      old += "[i]";
    else if (s.extents.size() == 2)
      old += "[row][column]";
    else
      old += "[...][column], with all outer indices as one row,";
    code.cuda += "// " + old + " becomes " + s.name + "[" + s.name + (tile ? "_at(row, column)]" : "_at(i)]");
    if (granule > s.element) code.cuda += "; an access of several elements takes the index of its first";
    code.cuda += "\n";
  }
  if (p.as_it_is.every != 0 && a.kind != family::row_padding) code.summary += ", without the padding that is there";
  if (a.kind == family::row_padding && !s.extents.empty()) {
    code.edit = code.cuda;
  } else if (!by_row.empty() && flat_rows) {
    code.edit = "// " + flat_old + " becomes " + s.name + "[" + bare_row + " + (" + by_row + ")]\n";
  } else if (!by_row.empty() && !p.dynamic) {
    code.edit = declared + "[" + number(s.rows) + "][" + number(s.columns) + "];" +
                (array.type.empty() ? "  // T: an element of " + number(s.element) + " bytes" : "") + "\n// " + s.name +
                "[row][column] becomes " + s.name + "[row][" + by_row + "]\n";
  } else if (s.columns == 0 && step.empty()) {
    code.edit = code.cuda.substr(0, code.cuda.find('\n') + 1) + "// " + s.name + "[i] becomes " + s.name + "[" +
                code.expression + "]\n";
  }
  code.cute = cute_text(s, p, a);
  code.triton = triton_text(s, a);
  code.hardware = hardware_text(p, s, a);
  return code;
}

}  // namespace bankwise
