// Extents and values are expressions that do not depend on the lane.
#include "expr/declaration.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "expr/cute_layout.hpp"
#include "expr/expression.hpp"
#include "expr/expression_tree.hpp"
#include "expr/type_names.hpp"

namespace bankwise::expr {

namespace {

result<std::int64_t> constant(std::string_view text, const scope& names, std::string_view what) {
  const result<expression> e = parse(text, names, what);
  if (!e) return e.error();
  const result<value> v = e->evaluate(0);
  if (!v) return v.error();
  const result<value> other = e->evaluate(31);
  if (!other || other->number != v->number)
    return diagnostic{"'" + std::string(trim(text)) + "' depends on the lane; " + std::string(what) +
                      " must be a constant"};
  return v->number;
}

// The type behind what else CUDA says in front of it: "extern __shared__ __align__(16) float" -> "float".
std::string_view without_specifiers(std::string_view head) {
  constexpr std::string_view specifiers[] = {"__shared__", "__align__", "alignas", "extern",
                                             "static",     "volatile",  "const"};
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
  }
  return head;
}

}  // namespace

result<std::pair<std::string, std::int64_t>> parse_constant(std::string_view text, const scope& names) {
  const std::size_t equals = text.find('=');
  const std::string_view name = trim(text.substr(0, equals));
  bool good = equals != std::string_view::npos && !name.empty() && is_name_start(name[0]);
  for (const char c : name) good = good && is_name(c);
  if (!good)
    return diagnostic{
        "'" + std::string(text) + "' is not NAME=NUMBER", {.file = "--let"}, "for example --let pitch=33"};
  const result<std::int64_t> number = constant(text.substr(equals + 1), names, "--let " + std::string(name));
  if (!number) return number.error();
  return std::pair{std::string(name), *number};
}

result<array_decl> parse_array(std::string_view text, const scope& names) {
  const std::string example = "for example --array 'float tile[32][33]'";
  const auto bad = [&](std::string message, std::size_t at, std::size_t length) {
    return error_at("--array", std::string(text), at + 1, length, std::move(message), example);
  };
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
  const auto bytes = type_bytes(type);
  if (!bytes) {
    const std::vector<std::string> near = nearest(type, type_names(), 1);
    return error_at(
        "--array", std::string(text), text.find(type) + 1, type.size(), "unknown type '" + std::string(type) + "'",
        near.empty() ? "types are CUDA's: float, half2, uint4, double, int8_t" : "did you mean " + near[0] + "?");
  }
  array.type = std::string(type);
  array.element_bytes = *bytes;
  if (layout != std::string_view::npos) {
    auto cute = parse_cute_layout(text, layout, names);
    if (!cute) return cute.error();
    array.modes = std::move(cute->modes);
    array.permute = cute->permute;
    for (const auto& parts : array.modes) {
      std::uint64_t extent = 1;
      for (const index_part& p : parts) extent = std::min(extent * p.size, std::uint64_t{1} << 32);
      array.extents.push_back(extent);
    }
    if (bytes_of(array) > std::uint64_t{1} << 31) return bad("the array is larger than 2 GiB", layout, 1);
    return array;
  }
  std::uint64_t total = *bytes;
  const std::size_t place = std::min(text.find('@', bracket), text.size());
  for (std::size_t at = bracket; at < place;) {
    if (trim(text.substr(at, place - at)) == ";") break;
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const std::size_t close = text.find(']', at);
    if (text[at] != '[' || close >= place) return bad("expected [extent]", at, 1);
    if (trim(text.substr(at + 1, close - at - 1)).empty())
      return bad("the extent of " + array.name + " is missing", at, close + 1 - at);
    const result<std::int64_t> extent = constant(text.substr(at + 1, close - at - 1), names, "an extent of --array");
    if (!extent) return extent.error();
    if (*extent < 1 || *extent > (1 << 24)) return bad("an extent must be 1 to 16777216", at + 1, close - at - 1);
    if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(*extent), &total) || total > (std::uint64_t{1} << 31))
      return bad("the array is larger than 2 GiB", at, close + 1 - at);
    array.extents.push_back(static_cast<std::uint64_t>(*extent));
    at = close + 1;
  }
  for (std::size_t at = place; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string_view one = text.substr(at + 1, end - at - 1);
    if (trim(one).empty()) return bad("expected the byte that " + array.name + " begins at", at, 1);
    const result<std::int64_t> byte = constant(one, names, "the place of --array");
    if (!byte) return byte.error();
    if (*byte < 0 || *byte > (1 << 20) || *byte % array.element_bytes != 0)
      return bad("a place must be 0 to 1048576, and a multiple of the element's " +
                     std::to_string(array.element_bytes) + " bytes",
                 at + 1, end - at - 1);
    array.places.push_back(static_cast<std::uint64_t>(*byte));
    at = end;
  }
  if (array.places.size() > 1 && array.places.size() != array.extents.front())
    return bad(std::to_string(array.places.size()) + " places for " + std::to_string(array.extents.front()) +
                   " parts of the first extent",
               place, text.size() - place);
  return array;
}

}  // namespace bankwise::expr
