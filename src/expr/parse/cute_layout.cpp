// Parses CuTe layouts. A layout has a shape and a stride. Each number of the shape has a corresponding number in the
// stride.
#include "expr/parse/cute_layout.hpp"

#include <algorithm>
#include <string>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/expression.hpp"
#include "expr/parse/expression_tree.hpp"

namespace bankwise::expr {

namespace {

constexpr std::size_t most_parts = 64, most_nested = 16;
constexpr std::uint64_t most_number = 1u << 24;

// A number, or a tuple whose members are numbers or tuples.
struct tuple {
  bool is_number = false;
  std::uint64_t number = 0;
  std::size_t at = 0;
  std::vector<tuple> items = {};
};

class layout_reader {
 public:
  layout_reader(std::string_view text, std::size_t at, const scope& names, std::uint32_t element_bits)
      : text_(text), at_(at), element_bits_(element_bits), names_(names) {}

  result<cute_layout> run() {
    cute_layout l;
    read_layout(l, 0);
    skip();
    if (!error_ && at_ < text_.size() && trim(text_.substr(at_)) != ";")
      fail(at_, formatted("unexpected '{}' after the layout", character_at(text_, at_)));
    if (error_) return *error_;
    return l;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool eat(std::string_view what) {
    skip();
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  void fail(std::size_t at, std::string message) {
    if (!error_)
      error_ = error_at(worded(setting::array), std::string(text_), at + 1, 1, std::move(message),
                        "a layout is Shape:Stride, such as (32,32):(33,1), or Swizzle<3,3,3> o (8,64):(64,1)");
  }
  void expect(char c, const std::string& message) {
    if (!error_ && !eat(std::string_view(&c, 1))) fail(at_, message);
  }

  // Reads one of these forms: composition(Swizzle<3,3,3>{}, LAYOUT), make_composed_layout(Swizzle<..>{}, Int<0>{},
  // LAYOUT), Layout<Shape<..>, Stride<..>>{}, make_layout(make_shape(..), make_stride(..)), [Swizzle<..> o _0 o]
  // SHAPE:STRIDE.
  void read_layout(cute_layout& l, std::size_t nested) {
    if (error_) return;
    if (nested > most_nested) return fail(at_, "the layout has too many parts");
    eat("cute::");
    if (eat("smem_ptr[")) {  // the form in which CuTe prints a tensor: smem_ptr[16b](0x7f..) o LAYOUT
      while (at_ < text_.size() && is_name(text_[at_])) ++at_;
      expect(']', "expected ']' after the bits of an element");
      skip_pointer();
      expect('o', "expected 'o' between the pointer and the layout");
      return read_layout(l, nested + 1);
    }
    if (eat("decltype(")) {
      read_layout(l, nested + 1);
      return expect(')', "expected ')' to close decltype(");
    }
    const bool composes = eat("composition(") || eat("composition (");
    if (composes || eat("make_composed_layout(") || eat("ComposedLayout<")) {
      const bool of_types = !composes && text_[at_ - 1] == '<';
      read_swizzle(l, false);
      expect(',', "expected ',' after the swizzle");
      if (!composes) {
        const std::size_t offset_at = at_;
        eat("cute::");
        if (eat("smem_ptr_flag")) {
          read_pointer_flag(l, offset_at);
          expect(',', "expected ',' after the flag");
          read_layout(l, nested + 1);
          if (of_bits_) count_elements(l);
          expect(of_types ? '>' : ')', formatted("expected '{}' to close the composition", of_types ? '>' : ')'));
          return eat_braces();
        } else if (!error_ && number() != 0) {
          fail(offset_at, "an offset between swizzle and layout is not supported");
        }
        expect(',', "expected ',' after the offset");
      }
      read_layout(l, nested + 1);
      expect(of_types ? '>' : ')', formatted("expected '{}' to close the composition", of_types ? '>' : ')'));
      eat_braces();
      return;
    }
    read_swizzle(l, true);
    skip();
    tuple shape, stride;
    if (eat("Layout<")) {
      shape = read(0);
      const bool has_stride = eat(",");
      if (has_stride) stride = read(0);
      expect('>', "expected '>' to close Layout<");
      eat_braces();
      if (!has_stride) stride = compact(shape, false);
    } else if (eat("make_layout(")) {
      shape = read(0);
      if (!eat(","))
        stride = compact(shape, false);
      else if (eat("LayoutRight") || eat("GenRowMajor"))
        eat_braces(), stride = compact(shape, true);
      else if (eat("LayoutLeft") || eat("GenColMajor"))
        eat_braces(), stride = compact(shape, false);
      else
        stride = read(0);
      expect(')', "expected ')' to close make_layout(");
    } else {
      shape = read(0);
      expect(':', "expected ':' between the shape and the stride");
      stride = read(0);
    }
    if (!error_ && shape.is_number) {
      l.modes.emplace_back();
      pair(shape, stride, l.modes.back());
    } else if (!error_) {
      if (stride.is_number || stride.items.size() != shape.items.size())
        fail(stride.at, "the stride must have as many parts as the shape");
      for (std::size_t i = 0; i < shape.items.size() && !error_; ++i) {
        l.modes.emplace_back();
        pair(shape.items[i], stride.items[i], l.modes.back());
      }
    }
  }

  // Skips (0x7f..) or (unset), if present.
  void skip_pointer() {
    if (!eat("(")) return;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    expect(')', "expected ')' after the pointer");
  }

  // Reads "16b", the size of an element in bits. The swizzle before this size applies to bytes. `base` is lowered, so
  // that the swizzle applies to elements.
  void read_element_bits(std::uint32_t& base, std::size_t begin) {
    skip();
    std::uint32_t bits = 0;
    while (at_ < text_.size() && is_digit(text_[at_]) && bits < 1000)
      bits = bits * 10 + static_cast<std::uint32_t>(text_[at_++] - '0');
    if (at_ < text_.size() && text_[at_] == 'b') ++at_;
    lower_to_elements(base, bits, begin);
  }
  void lower_to_elements(std::uint32_t& base, std::uint32_t bits, std::size_t begin) {
    for (; bits > 8 && base > 0; bits /= 2) --base;
    for (; bits != 0 && bits < 8; bits *= 2) ++base;
    if (bits != 8) fail(begin, "the swizzle would move bytes within an element");
  }

  // Reads the rest of smem_ptr_flag or smem_ptr_flag_bits<16>, which say that the swizzle applies to addresses. CUTLASS's
  // headers write the layout of bits after smem_ptr_flag. Users also write the layout of the array's elements.
  void read_pointer_flag(cute_layout& l, std::size_t begin) {
    std::uint32_t base = l.permute ? l.permute->base : 32, bits = 1;
    if (eat("_bits<")) {
      bits = static_cast<std::uint32_t>(number());
      expect('>', "expected '>' after the bits of an element");
    }
    eat_braces();
    of_bits_ = bits == 1;
    lower_to_elements(base, of_bits_ ? element_bits_ : bits, begin);
    if (l.permute) l.permute->base = base;
  }

  // If the layout is one of CUTLASS's atoms of bits (8 rows of 128 to 1024 bits), converts it to elements.
  void count_elements(cute_layout& l) const {
    constexpr std::uint64_t rows = 8, least = 128, most = 1024;
    if (error_ || l.modes.size() != 2 || l.modes[0].size() != 1 || l.modes[1].size() != 1) return;
    index_part &first = l.modes[0][0], &second = l.modes[1][0];
    index_part &row = first.stride == 1 ? first : second, &other = first.stride == 1 ? second : first;
    const std::uint64_t atom = least << (l.permute ? l.permute->bits : 0);
    if (row.stride != 1 || other.size != rows || other.stride != row.size || row.size != atom || atom > most) return;
    row.size /= element_bits_;
    other.stride /= element_bits_;
  }

  void eat_braces() {
    if (eat("{")) expect('}', "expected '}' after {");
  }

  // Returns the strides of a shape whose elements are adjacent. If `last_fastest` is set, the last index is the
  // fastest. Otherwise, the first index is.
  static tuple compact(const tuple& shape, bool last_fastest) {
    tuple stride = shape;
    std::uint64_t next = 1;
    number_strides(stride, next, last_fastest);
    return stride;
  }
  static void number_strides(tuple& t, std::uint64_t& next, bool last_fastest) {
    if (t.is_number) {
      const std::uint64_t size = t.number;
      t.number = std::min(next, most_number);
      next = std::min<std::uint64_t>(next * std::max<std::uint64_t>(size, 1), std::uint64_t{1} << 32);
      return;
    }
    for (std::size_t i = 0; i < t.items.size(); ++i)
      number_strides(t.items[last_fastest ? t.items.size() - 1 - i : i], next, last_fastest);
  }

  std::uint64_t number() {
    skip();
    const std::size_t begin = at_;
    const bool wrapped = eat("cute::Int<") || eat("Int<") || eat("C<") || eat("cute::C<");
    if (!wrapped) eat("_");
    const std::size_t from = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string word(text_.substr(from, at_ - from));
    if (wrapped) {
      expect('>', "expected '>' after the number");
      if (eat("{")) expect('}', "expected '}' after Int<...>{");
    }
    if (error_) return 0;
    if (word.empty()) {
      fail(begin, "expected a number");
      return 0;
    }
    const auto e = parse(word, names_, worded(setting::array));
    const auto v = e ? e->evaluate(0) : result<value>(e.error());
    if (!v) {
      error_ = v.error();
      return 0;
    }
    if (const auto other = e->evaluate(31); !other || other->number != v->number) {
      fail(begin, formatted("'{}' depends on the lane, but the numbers of a layout must be constants", word));
      return 0;
    }
    if (v->number < 0 || static_cast<std::uint64_t>(v->number) > most_number || v->element_bytes != 0) {
      fail(begin, formatted("each number of a layout must be between 0 and {}", grouped(most_number)));
      return 0;
    }
    return static_cast<std::uint64_t>(v->number);
  }

  // Reads a swizzle. If `composed` is set, the swizzle is optional, and the operator 'o' must follow the swizzle.
  void read_swizzle(cute_layout& l, bool composed) {
    skip();
    const std::size_t begin = at_;
    if (!eat("cute::Swizzle<") && !eat("Swizzle<") && !eat("Sw<")) {
      if (!composed) fail(at_, "expected Swizzle<B,M,S>");
      return;
    }
    std::uint32_t n[3] = {};
    for (int i = 0; i < 3; ++i) {
      if (i != 0) expect(',', "expected ',' between the numbers of the swizzle");
      n[i] = static_cast<std::uint32_t>(error_ ? 0 : number());
    }
    expect('>', "expected '>' after the swizzle");
    if (eat("{")) expect('}', "expected '}' after Swizzle<...>{");
    if (!composed) return take_swizzle(l, n, begin);
    const std::size_t flag_at = at_;
    if (eat("o") && eat("smem_ptr[")) {  // Sw<3,4,3> o smem_ptr[16b](unset) o LAYOUT is a swizzle of addresses
      read_element_bits(n[1], begin);
      expect(']', "expected ']' after the bits of an element");
      skip_pointer();
    } else {
      at_ = flag_at;
    }
    expect('o', "expected 'o' between the swizzle and the layout");
    // CuTe prints an offset between the swizzle and the layout. The offset is not a part of the layout.
    const std::size_t offset_at = at_;
    if (!error_ && (eat("_0") || eat("0"))) {
      if (!eat("o")) at_ = offset_at;
    }
    take_swizzle(l, n, begin);
  }

  void take_swizzle(cute_layout& l, const std::uint32_t (&n)[3], std::size_t begin) {
    const swizzle s{n[0], n[1], n[2]};
    if (!error_ && (n[0] > 32 || n[1] > 32 || n[2] > 32 || !is_bijective(s)))
      fail(begin, "in Swizzle<B,M,S>, S must be at least B, and B + M + S must be at most 32");
    if (s.bits != 0) l.permute = s;
  }

  tuple read(std::size_t nested) {
    tuple t;
    skip();
    t.at = at_;
    if (error_ || nested > most_nested || ++parts_ > 4 * most_parts) {
      fail(at_, "the layout has too many parts");
      return t;
    }
    char close = ')';
    bool open = eat("(");
    for (const std::string_view word :
         {"make_shape(", "make_stride(", "make_tuple(", "cute::make_shape(", "cute::make_stride("})
      open = open || eat(word);
    for (const std::string_view word :
         {"cute::Shape<", "cute::Stride<", "Shape<", "Stride<", "cute::tuple<", "tuple<", "Step<"})
      if (!open && eat(word)) open = true, close = '>';
    if (!open) {
      t.is_number = true;
      t.number = number();
      return t;
    }
    do t.items.push_back(read(nested + 1));
    while (!error_ && eat(","));
    expect(close, formatted("expected '{}' to close the tuple", close));
    if (close == '>') eat_braces();
    return t;
  }

  // Adds the parts of one index: pairs of a size and a stride, the innermost pair first.
  void pair(const tuple& shape, const tuple& stride, std::vector<index_part>& parts) {
    if (error_) return;
    if (shape.is_number != stride.is_number || shape.items.size() != stride.items.size())
      return fail(stride.at, "the stride must have the same nesting as the shape, for example (4,8):(1,4)");
    if (!shape.is_number) {
      for (std::size_t i = 0; i < shape.items.size(); ++i) pair(shape.items[i], stride.items[i], parts);
      return;
    }
    if (shape.number == 0) return fail(shape.at, "a part of a shape must not be 0");
    parts.push_back({shape.number, stride.number});
  }

  std::string_view text_;
  std::size_t at_, parts_ = 0;
  std::uint32_t element_bits_;
  bool of_bits_ = false;  // whether the layout follows smem_ptr_flag, so that it may count bits
  const scope& names_;
  std::optional<diagnostic> error_;
};

}  // namespace

std::size_t find_cute_layout(std::string_view declaration) {
  // These words occur only at the beginning of a layout.
  for (const std::string_view word : {"composition(", "make_composed_layout(", "make_layout(", "Layout<",
                                      "ComposedLayout<", "Swizzle<", "Sw<", "smem_ptr[", "decltype("})
    for (std::size_t at = declaration.find(word); at != std::string_view::npos; at = declaration.find(word, at + 1)) {
      std::size_t begin = at;
      if (begin >= 6 && declaration.substr(begin - 6, 6) == "cute::") begin -= 6;
      // Only the word before the first bracket counts, because a composition can contain a swizzle.
      if (begin == 0 || declaration[begin - 1] != ' ') continue;
      std::size_t first = begin;
      for (const std::string_view other :
           {" composition(", " make_composed_layout(", " ComposedLayout<", " Swizzle<", " Sw<", " smem_ptr[",
            " decltype(", " cute::composition(", " cute::make_composed_layout("})
        if (const std::size_t found = declaration.find(other); found < first) first = found + 1;
      return first;
    }
  // A declaration with extents has no layout. Skips parentheses before the name, such as those of alignas(16).
  std::size_t colon = 0;
  while ((colon = declaration.find(':', colon)) != std::string_view::npos && declaration.substr(colon, 2) == "::")
    colon += 2;
  if (colon == std::string_view::npos || declaration.find('[') != std::string_view::npos) return std::string_view::npos;
  std::size_t at = 0;
  for (const std::string_view word : {"__align__", "alignas"})
    if (const std::size_t found = declaration.find(word); found != std::string_view::npos)
      at = declaration.find(')', found) + 1;
  const std::size_t tuple = declaration.find('(', at);
  if (tuple != std::string_view::npos) return tuple;
  // Handles layouts without parentheses, such as "float a 32:1".
  for (std::size_t digit = at; digit + 1 < declaration.size(); ++digit)
    if (declaration[digit] == ' ' && (is_digit(declaration[digit + 1]) || declaration[digit + 1] == '_'))
      return digit + 1;
  return std::string_view::npos;
}

result<cute_layout> parse_cute_layout(std::string_view text, std::size_t begin, const scope& names,
                                      std::uint32_t element_bits) {
  return layout_reader(text, begin, names, element_bits).run();
}

}  // namespace bankwise::expr
