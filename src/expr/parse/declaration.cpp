// Parses declarations. Extents and values are expressions that do not depend on the lane.
#include "expr/parse/declaration.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/cute_layout.hpp"
#include "expr/parse/expression.hpp"
#include "expr/parse/expression_tree.hpp"
#include "expr/parse/structures.hpp"
#include "expr/parse/triton_layout.hpp"
#include "expr/parse/type_names.hpp"

namespace bankwise::expr {

namespace {

constexpr std::uint64_t most_dynamic_bytes = 227 * 1024;  // largest shared memory of a block on any GPU, in bytes

// The limits for the size of an array, and for each extent.
struct array_limits {
  std::uint64_t bytes, extent;
  const char* bytes_text;
};
constexpr array_limits shared_limits = {std::uint64_t{1} << 31, 1 << 24, "2 GiB"};
constexpr array_limits global_limits = {std::uint64_t{1} << 47, std::uint64_t{1} << 47, "128 TiB"};

result<std::int64_t> constant(std::string_view text, const scope& names, std::string_view what) {
  const result<expression> e = parse(text, names, what);
  if (!e) return e.error();
  const result<value> v = e->evaluate(0);
  if (!v) return v.error();
  const result<value> other = e->evaluate(31);
  if (!other || other->number != v->number)
    return diagnostic{formatted("'{}' depends on the lane, but {} must be a constant", trim(text), what)};
  return v->number;
}

// Removes words of CUDA before the type: "extern __shared__ __align__(16) float" becomes "float".
std::string_view without_specifiers(std::string_view head) {
  constexpr std::string_view specifiers[] = {"__shared__", "__align__", "alignas", "extern",   "static",
                                             "volatile",   "const",     "struct",  "constexpr"};
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view word : specifiers) {
      if (!head.starts_with(word) || (head.size() > word.size() && is_name(head[word.size()]))) continue;
      std::string_view rest = trim(head.substr(word.size()));
      if (word == "__align__" || word == "alignas") {
        const std::size_t close = rest.find(')');
        if (!rest.starts_with('(') || close == std::string_view::npos) return head;
        rest = trim(rest.substr(close + 1));
      }
      head = rest;
      found = true;
    }
    // Specifiers may also follow the type, as in float __shared__ s[32].
    for (const std::string_view word : {" __shared__", " volatile", " const"})
      if (head.ends_with(word)) head = trim(head.substr(0, head.size() - word.size())), found = true;
  }
  return head;
}

// Returns the position of the next comma between extents in the same bracket, or `end` if there is none. Commas in
// parentheses do not count.
std::size_t comma_or(std::string_view text, std::size_t from, std::size_t end) {
  int depth = 0;
  for (std::size_t i = from; i < end; ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == ',' && depth == 0) return i;
  }
  return end;
}

std::optional<element_type> find_declared_type(std::string_view type, const scope& names) {
  std::string_view plain = type;
  if (plain.starts_with("struct ")) plain = trim(plain.substr(7));
  for (const auto& s : names.structures)
    if (s->name == plain) return element_type{s->bytes, s->align, 0, s};
  return find_type(type);
}

}  // namespace

result<std::pair<std::string, std::int64_t>> parse_constant(std::string_view text, const scope& names) {
  const std::size_t equals = text.find('=');
  const std::string_view name = trim(text.substr(0, equals));
  bool good = equals != std::string_view::npos && !name.empty() && is_name_start(name[0]);
  for (const char c : name) good = good && is_name(c);
  if (!good)
    return diagnostic{formatted("'{}' is not NAME=NUMBER", text),
                      {.file = worded(setting::let)},
                      formatted("for example {}", worded(setting::let, "pitch=33"))};
  const result<std::int64_t> number =
      constant(text.substr(equals + 1), names, formatted("{} {}", worded(setting::let), name));
  if (!number) return number.error();
  return std::pair{std::string(name), *number};
}

namespace {

bool depends_on_lane(const expression& e) {
  const result<value> first = e.evaluate(0);
  for (std::uint32_t lane = 1; lane < 32; ++lane) {
    const result<value> v = e.evaluate(lane);
    if (first ? !v || v->number != first->number : static_cast<bool>(v)) return true;
  }
  return false;
}

// Whether the value of an expression may differ between lanes or warps. Constants must not differ.
bool names_threads(const std::vector<node>& nodes, const scope& names) {
  for (const node& n : nodes) {
    if (n.code == op::lane || n.code == op::thread || n.code == op::warp || n.code == op::tid) return true;
    if (n.code == op::variable && static_cast<std::size_t>(n.number) < names.variables.size()) return true;
  }
  return false;
}

}  // namespace

result<done> parse_let(std::string_view text, scope& names) {
  std::string_view whole = trim(text);
  while (whole.ends_with(';')) whole = trim(whole.substr(0, whole.size() - 1));
  const std::size_t equals = whole.find('=');
  std::string_view name = trim(whole.substr(0, equals));
  // The type before the name is ignored, such as the type in "const int row".
  if (const std::size_t cut = name.find_last_of(" \t&"); cut != std::string_view::npos) {
    bool words = true;
    for (const char c : name) words = words && (is_name(c) || c == ' ' || c == '\t' || c == '&' || c == ':');
    if (words) name = name.substr(cut + 1);
  }
  std::string_view plain = name;
  for (const std::string_view dotted : {"blockIdx.", "gridDim."})
    if (plain.starts_with(dotted) && plain.size() == dotted.size() + 1) plain = plain.substr(dotted.size());
  bool good = equals != std::string_view::npos && !plain.empty() && is_name_start(plain[0]);
  for (const char c : plain) good = good && is_name(c);
  if (!good)
    return diagnostic{
        formatted("'{}' is not NAME=NUMBER", text),
        {.file = worded(setting::let)},
        formatted("for example {}, {}", worded(setting::let, "pitch=33"), worded(setting::let, "row=t/4"))};
  const std::string what = formatted("{} {}", worded(setting::let), name);
  const result<expression> e = parse(trim(whole.substr(equals + 1)), names, what);
  if (!e) return e.error();
  const bool has_value =
      std::any_of(names.variables.begin(), names.variables.end(), [&](const variable& v) { return v.name == name; });
  if (name == "t" || has_value || names.constants.contains(name))
    return diagnostic{formatted("{} {}: {}{}", worded(setting::let), text, name,
                                name == "t" ? " this name already means the lane" : " this name already has a value")};
  variable v = e->as_variable(std::string(name));
  if (!depends_on_lane(*e) && !names_threads(*v.nodes, names)) {
    const result<value> number = e->evaluate(0);
    if (!number) return number.error();
    if (number->element_bytes != 0)
      return diagnostic{
          formatted("{} {}: the value is an element of an array, not a number", worded(setting::let), text),
          {},
          formatted("such as {}", worded(setting::let, "row=t/4"))};
    names.constants[std::string(name)] = number->number;
    return done{};
  }
  if (names.variables.size() == 256) return diagnostic{"the command line defines more than 256 variables"};
  if ((*v.nodes)[v.root].element_bytes != 0)
    return diagnostic{formatted("{} {}: the value is an element of an array, not a number", worded(setting::let), text),
                      {},
                      formatted("such as {}", worded(setting::let, "row=t/4"))};
  names.variables.push_back(std::move(v));
  return done{};
}

result<array_decl> parse_triton_array(std::string_view text, std::size_t encoding, const scope& names);

// Whether a declaration has a layout, whose braces and commas are not those of a struct or of several arrays.
bool has_layout(std::string_view text) {
  return find_cute_layout(text) != std::string_view::npos || find_triton_layout(text) != std::string_view::npos;
}

// The layout of an array whose elements share bytes: `per` neighbours in each byte. Afterwards, the layout counts bytes.
// Returns the reason if neighbours would not share a byte, or an empty text.
std::string pack(array_decl& array, std::uint32_t bits) {
  const std::uint64_t per = 8 / bits;
  if (array.modes.empty()) {
    std::uint64_t stride = 1;
    array.modes.resize(array.extents.size());
    for (std::size_t i = array.extents.size(); i-- > 0; stride *= array.extents[i])
      array.modes[i] = {{array.extents[i], stride}};
  }
  const std::string why = formatted("{} elements of {} share a byte", per, array.type);
  for (auto& parts : array.modes) {
    std::vector<index_part> in_bytes;
    for (const index_part& p : parts) {
      if (p.size == 1 || p.stride % per == 0) {
        in_bytes.push_back({p.size, p.size == 1 ? 0 : p.stride / per});
      } else if (p.stride == 1 && p.size % per == 0) {
        in_bytes.push_back({per, 0});
        in_bytes.push_back({p.size / per, 1});
      } else {
        return formatted("{}, so the number of elements in a row must be a multiple of {}", why, per);
      }
    }
    parts = std::move(in_bytes);
  }
  for (std::uint64_t n = per; array.permute && n > 1; n /= 2) {
    if (array.permute->base == 0) return formatted("{}, but the swizzle would separate them", why);
    --array.permute->base;
  }
  return "";
}

result<array_decl> parse_array(std::string_view text, const scope& names) {
  const std::string example = formatted("for example {}", worded(setting::array, "float tile[32][33]"));
  const auto bad = [&](std::string message, std::size_t at, std::size_t length) {
    return error_at(worded(setting::array), std::string(text), at + 1, length, std::move(message), example);
  };
  if (const std::size_t encoding = find_triton_layout(text); encoding != std::string_view::npos)
    return parse_triton_array(text, encoding, names);
  const std::size_t layout = find_cute_layout(text);
  const std::size_t bracket = layout != std::string_view::npos ? layout : text.find('[');
  if (bracket == std::string_view::npos)
    return bad("an array needs at least one [extent], or a layout such as (32,32):(33,1)", text.size(), 1);
  const std::string_view head = trim(text.substr(0, bracket));
  std::size_t cut = head.size();
  while (cut > 0 && is_name(head[cut - 1])) --cut;
  array_decl array;
  array.name = std::string(head.substr(cut));
  const std::string_view type = without_specifiers(trim(head.substr(0, cut)));
  if (array.name.empty() || type.empty()) return bad("expected a type and a name before the extents", 0, bracket);
  const std::uint32_t packed = packed_bits(type);
  if (packed != 0 && 8 % packed != 0)
    return error_at(
        worded(setting::array), std::string(text), text.find(type) + 1, type.size(),
        formatted("elements of {} have {} bits, so most of them do not begin at a byte", type, packed),
        formatted("declare the bytes. For example, 'uint8_t {}[64][96]' has rows of 128 elements", array.name));
  // An access to a packed element moves its byte.
  const auto found = packed != 0 ? std::optional(element_type{1, 16, 0, {}}) : find_declared_type(type, names);
  if (!found) {
    const std::vector<std::string> near = nearest(type, all_type_names(), 1);
    return error_at(
        worded(setting::array), std::string(text), text.find(type) + 1, type.size(),
        formatted("unknown type '{}'", type),
        near.empty()
            ? formatted("use a type of CUDA, such as float, half2, uint4, double or int8_t, or declare a struct "
                        "first: struct {} {{ float x, y; }} {}[256]",
                        type, array.name)
            : formatted("did you mean {}?", near[0]));
  }
  array.type = std::string(type);
  array.element_bytes = found->bytes;
  array.align = found->align;
  array.component_bytes = found->component;
  array.of = found->of;
  if (layout != std::string_view::npos) {
    auto cute = parse_cute_layout(text, layout, names, packed != 0 ? packed : 8 * found->bytes);
    if (!cute) return cute.error();
    array.modes = std::move(cute->modes);
    array.permute = cute->permute;
    for (const auto& parts : array.modes) {
      std::uint64_t extent = 1;
      for (const index_part& p : parts) extent = std::min(extent * p.size, std::uint64_t{1} << 32);
      array.extents.push_back(extent);
    }
    if (const std::string why = packed != 0 ? pack(array, packed) : ""; !why.empty()) return bad(why, layout, 1);
    if (bytes_of(array) > std::uint64_t{1} << 31) return bad("the array is larger than 2 GiB", layout, 1);
    return array;
  }
  const array_limits& most = names.of_global ? global_limits : shared_limits;
  std::uint64_t total = found->bytes;
  const std::size_t place = std::min(text.find('@', bracket), text.size());
  for (std::size_t at = bracket; at < place;) {
    if (trim(text.substr(at, place - at)) == ";") break;
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const std::size_t close = text.find(']', at);
    if (text[at] != '[' || close >= place) return bad("expected [extent]", at, 1);
    for (std::size_t from = at + 1; from <= close;) {  // reads extents: [32][33] or [32, 33]
      const std::size_t to = comma_or(text, from, close);
      const std::string_view one = text.substr(from, to - from);
      if (trim(one).empty()) return bad(formatted("the extent of {} is missing", array.name), at, close + 1 - at);
      const result<std::int64_t> extent = constant(one, names, formatted("an extent of {}", worded(setting::array)));
      if (!extent) return extent.error();
      if (*extent < 1 || static_cast<std::uint64_t>(*extent) > most.extent)
        return bad(formatted("an extent must be 1 to {}", most.extent), from, to - from);
      if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(*extent), &total) || total > most.bytes)
        return bad(formatted("the array is larger than {}", most.bytes_text), at, close + 1 - at);
      if (array.extents.size() == 16) return bad("the array has more than 16 dimensions", at, 1);
      array.extents.push_back(static_cast<std::uint64_t>(*extent));
      from = to + 1;
    }
    at = close + 1;
  }
  for (std::size_t at = place; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string_view one = text.substr(at + 1, end - at - 1);
    if (trim(one).empty()) return bad(formatted("after @, write the first byte of {}", array.name), at, 1);
    const result<std::int64_t> byte = constant(one, names, formatted("the first byte of {}", worded(setting::array)));
    if (!byte) return byte.error();
    if (*byte < 0 || *byte > (1 << 20) || *byte % array.align != 0)
      return bad(
          formatted("the first byte must be 0 to 1048576, and a multiple of the element's {} bytes", array.align),
          at + 1, end - at - 1);
    array.places.push_back(static_cast<std::uint64_t>(*byte));
    at = end;
  }
  if (array.places.size() > 1 && array.places.size() != array.extents.front())
    return bad(formatted("the declaration has {} numbers after @, but needs 1 number, or as many numbers as the first "
                         "extent, which is {}",
                         array.places.size(), array.extents.front()),
               place, text.size() - place);
  if (const std::string why = packed != 0 ? pack(array, packed) : ""; !why.empty()) return bad(why, bracket, 1);
  return array;
}

// Parses an array with a layout of Triton, which begins at `encoding`.
result<array_decl> parse_triton_array(std::string_view text, std::size_t encoding, const scope& names) {
  if (text.substr(0, encoding).find('[') == std::string_view::npos)
    return error_at(
        worded(setting::array), std::string(text), encoding + 1, 1,
        "the extents of the array are missing before the layout",
        "for example half s[64][32] #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>");
  auto array = parse_array(text.substr(0, encoding), names);
  if (!array) return array;
  auto layout = parse_triton_layout(text, encoding, array->extents);
  if (!layout) return layout.error();
  array->modes = std::move(layout->modes);
  array->permute = layout->permute;
  if (const std::uint32_t packed = packed_bits(array->type); packed != 0)
    if (const std::string why = pack(*array, packed); !why.empty())
      return error_at(worded(setting::array), std::string(text), encoding + 1, 1, why);
  return array;
}

result<done> declare(std::string_view given, scope& names) {
  if (given.size() > most_text)
    return diagnostic{formatted("{} is longer than {} characters", worded(setting::array), most_text)};
  std::string text(given);
  while (text.find('{') != std::string::npos && !has_layout(text)) {
    auto rest = take_structure(text, names);
    if (!rest) return rest.error();
    text = std::move(*rest);
    if (trim(text).empty()) return done{};
  }
  // An extern array without an extent gets the size of the largest shared memory of a block. A pointer to global memory
  // has no end.
  bool sized = true;
  if (const std::size_t empty = text.find("[]"); empty != std::string::npos && text.find('[') == empty) {
    sized = false;
    std::size_t cut = empty;
    while (cut > 0 && text[cut - 1] == ' ') --cut;
    while (cut > 0 && is_name(text[cut - 1])) --cut;
    std::uint64_t bytes = 1;
    if (const auto type = find_declared_type(without_specifiers(trim(std::string_view(text).substr(0, cut))), names))
      bytes = type->bytes;
    const std::size_t next = text.find('[', empty + 1);
    if (next != std::string::npos) {
      const auto inner = parse_array(text.substr(0, empty) + text.substr(next), names);
      if (!inner) return inner.error();
      bytes = bytes_of(*inner);
    }
    text.replace(empty, 2,
                 formatted("[{}]", std::max<std::uint64_t>(
                                       1, (names.of_global ? global_limits.bytes : most_dynamic_bytes) / bytes)));
  }
  // In float a[32][8], b[8], every array has the type of the first array.
  std::vector<std::string> declarations;
  if (text.find('@') == std::string::npos && !has_layout(text)) {
    std::string type;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size()) depth += text[i] == '[' || text[i] == '(' ? 1 : text[i] == ']' || text[i] == ')' ? -1 : 0;
      if (i < text.size() && (text[i] != ',' || depth != 0)) continue;
      const std::string one = text.substr(begin, i - begin);
      if (declarations.empty()) {
        std::size_t cut = std::min(one.find('['), one.size());
        while (cut > 0 && one[cut - 1] == ' ') --cut;
        while (cut > 0 && is_name(one[cut - 1])) --cut;
        type = one.substr(0, cut);
      }
      declarations.push_back(declarations.empty() ? one : formatted("{} {}", type, trim(one)));
      begin = i + 1;
    }
  } else {
    declarations.push_back(text);
  }
  for (const std::string& one : declarations) {
    auto array = parse_array(one, names);
    if (!array) return array.error();
    array->sized = sized;
    if (names.arrays.size() == 256) return diagnostic{"the command line declares more than 256 arrays"};
    add_array(names, std::move(*array));
  }
  return done{};
}

}  // namespace bankwise::expr
