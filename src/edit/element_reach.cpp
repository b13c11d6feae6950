// Follows an expression outwards from an element, through brackets, casts and calls, until the use of the element is
// clear.
#include "edit/element_reach.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "expr/parse/type_names.hpp"

namespace bankwise::edit {

namespace {

constexpr int deepest_reach = 6;  // largest number of nested references and casts that are followed

class element_follower {
 public:
  element_follower(const source::reader& r, const advise::relayout& layout, std::uint32_t element_bytes, std::size_t to)
      : r_(r), t_(r.all()), layout_(layout), element_bytes_(element_bytes), to_(to) {}

  bool address_is_taken(source::token_range e) const {
    if (e.first == 0 || t_[e.first - 1].spelled != "&") return false;
    if (e.first < 2) return true;
    const source::token& before = t_[e.first - 2];
    if (before.spelled == ")") return is_pointer_cast(e.first - 2);
    const bool ends_operand =
        before.is == source::token::kind::word || before.is == source::token::kind::number || before.spelled == "]";
    return !ends_operand || before.spelled == "return";
  }

  // Returns the tokens of an element, including the variable of its union and the brackets around it.
  source::token_range element(const source::use& u) const {
    source::token_range e{u.name, u.end - 1};
    while (e.first >= 2 && (t_[e.first - 1].spelled == "." || t_[e.first - 1].spelled == "->")) e.first -= 2;
    while (t_[e.second + 1].spelled == "." && t_[e.second + 2].is == source::token::kind::word) {
      e.second += 2;
      while (t_[e.second + 1].spelled == "[" && source::closing(t_, e.second + 1) < t_.size())
        e.second = source::closing(t_, e.second + 1);
    }
    return without_brackets(e);
  }

  // Whether code that gets the address at `e` uses only this element.
  bool address_stays(source::token_range e, int levels) const {
    if (levels == 0) return false;
    e = without_brackets(e);
    const std::size_t before = e.first - 1, after = e.second + 1;
    if (t_[after].spelled == "[") return t_[after + 1].spelled == "0" && t_[after + 2].spelled == "]";
    if (t_[before].spelled == "*") return is_unary(before);
    if (t_[before].spelled == ")" && is_pointer_cast(before)) {
      const std::size_t open = opening(before);
      return keeps(bytes_of_pointee({open + 1, before - 1})) && address_stays({open, e.second}, levels - 1);
    }
    if (t_[before].spelled != "(" && t_[before].spelled != ",") return false;
    const std::size_t open = r_.call_around(e.first).second;
    if (open == 0 || t_[open].spelled != "(") return false;
    const auto argument = r_.argument_at(open, e.first, e.second);
    if (!argument) return false;
    const std::size_t close = source::closing(t_, open);
    if (t_[open - 1].spelled == ">") {
      const auto cast = named_cast(open);
      if (cast) return keeps(bytes_of_pointee(cast->type)) && address_stays({cast->word, close}, levels - 1);
      return false;
    }
    const std::string_view name = t_[open - 1].spelled;
    if (name.starts_with("atomic")) return *argument == 0;
    if (name == "__pipeline_memcpy_async") return *argument == 0 && keeps(copied_bytes(open));
    if (name == "__cvta_generic_to_shared") return number_stays({open - 1, close}, levels - 1);
    return false;
  }

  // Whether code that gets a reference to the element at `e` uses only this element. The reference comes from `T& x =
  // e`, or from a call that passes e to a reference parameter.
  bool reference_stays(source::token_range e, int levels) const {
    if (levels == 0) return false;
    e = without_brackets(e);
    if (const auto variable = reference_bound_in_statement(e))
      if (!variable_stays(t_[*variable].spelled, *variable + 1, to_, levels - 1)) return false;
    if (is_returned_as_reference(e)) return false;
    const std::size_t open = r_.call_around(e.first).second;
    if (open == 0 || t_[open].spelled != "(") return true;
    const auto argument = r_.argument_at(open, e.first, e.second);
    const std::size_t name = r_.callee(open);
    if (name == 0 || !argument) return true;
    if (t_[name].spelled == "addressof" || t_[name].spelled == "__builtin_addressof") return false;
    for (const called& f : functions_called(t_[name].spelled)) {
      if (*argument >= f.parameters.size()) continue;
      const auto [first, last] = f.parameters[*argument];
      const auto refers = [](const source::token& x) { return x.spelled == "&" || x.spelled == "&&"; };
      if (std::none_of(t_.begin() + static_cast<std::ptrdiff_t>(first),
                       t_.begin() + static_cast<std::ptrdiff_t>(last) + 1, refers))
        continue;
      if (!variable_stays(t_[last].spelled, f.open, f.close, levels - 1)) return false;
    }
    return true;
  }

 private:
  bool is_unary(std::size_t sign) const {
    const source::token& before = t_[sign - 1];
    if (before.spelled == ")") return is_pointer_cast(sign - 1);
    return !(before.is == source::token::kind::word || before.is == source::token::kind::number ||
             before.spelled == "]") ||
           before.spelled == "return";
  }
  std::size_t opening(std::size_t close) const {
    std::size_t depth = 0;
    for (std::size_t i = close + 1; i-- > 0;) {
      if (t_[i].spelled == ")") ++depth;
      if (t_[i].spelled == "(" && --depth == 0) return i;
    }
    return 0;
  }
  // Whether the brackets are a cast such as "(float4*)" or "(const float *)".
  bool is_pointer_cast(std::size_t close) const {
    return close >= 2 && (t_[close - 1].spelled == "*" || t_[close - 1].spelled.starts_with("__restrict"));
  }

  source::token_range without_brackets(source::token_range e) const {
    while (e.first >= 2 && t_[e.first - 1].spelled == "(" && t_[e.second + 1].spelled == ")") {
      const source::token& before = t_[e.first - 2];
      const bool calls = (before.is == source::token::kind::word && before.spelled != "return") ||
                         before.spelled == ")" || before.spelled == "]" || before.spelled == ">" ||
                         before.is == source::token::kind::text;
      if (calls) break;
      --e.first;
      ++e.second;
    }
    return e;
  }

  // Returns the size of the type to which the pointer points, or 0 if the type is unknown.
  std::uint32_t bytes_of_pointee(source::token_range type) const {
    std::uint32_t bytes = 0;
    int stars = 0;
    std::string name;
    for (std::size_t i = type.first; i <= type.second; ++i) {
      const std::string_view s = t_[i].spelled;
      if (s == "*") ++stars;
      if (t_[i].is != source::token::kind::word || s == "const" || s == "volatile" || s.starts_with("__restrict"))
        continue;
      name += (name.empty() ? "" : " ") + std::string(s);
    }
    if (const auto known = type_bytes(name)) bytes = *known;
    if (name == "void") bytes = 1;  // for void*, the size argument of the copy counts bytes
    return stars == 1 ? bytes : 0;
  }

  bool keeps(std::uint32_t bytes) const {
    if (bytes == 0) return false;
    if (bytes <= 1 || element_bytes_ % bytes == 0) return true;
    if ((bytes & (bytes - 1)) != 0) return false;
    if (layout_.every % bytes != 0 || layout_.gap % bytes != 0) return false;
    return std::all_of(layout_.terms.begin(), layout_.terms.end(),
                       [&](const advise::xor_term& x) { return x.shift == 0 || (x.mask & (bytes - 1)) == 0; });
  }

  struct cast_found {
    std::size_t word = 0;
    source::token_range type;
  };
  std::optional<cast_found> named_cast(std::size_t open) const {
    for (std::size_t i = open - 1; i-- > 1;) {
      const std::string_view s = t_[i].spelled;
      if (s == ";" || s == "{" || s == "}" || s == "(") return std::nullopt;
      if (s == "reinterpret_cast" || s == "static_cast" || s == "const_cast") return cast_found{i, {i + 2, open - 2}};
    }
    return std::nullopt;
  }

  std::uint32_t copied_bytes(std::size_t open) const {
    const auto list = r_.list_in(open);
    if (list.size() < 3) return 0;
    const auto [first, last] = list[2];
    if (first == last)
      if (const auto n = source::plain_number(t_[first].spelled); n && *n <= 16) return static_cast<std::uint32_t>(*n);
    if (t_[first].spelled == "sizeof" && last == first + 3)
      if (const auto n = type_bytes(t_[first + 2].spelled)) return *n;
    return 0;
  }

  // The expression at `e` is an address in shared memory, as an integer. Whether the code uses this address only as an
  // operand of asm statements that satisfy instruction_stays(). The code may convert the address to a different type.
  // It may also initialize a variable with the address, if all later uses of the variable are such operands.
  bool number_stays(source::token_range e, int levels) const {
    if (levels == 0) return false;
    e = without_brackets(e);
    const std::size_t before = e.first - 1;
    // skips a cast such as (int)
    if (t_[before].spelled == ")" && t_[opening(before) - 1].is != source::token::kind::word)
      return number_stays({opening(before), e.second}, levels - 1);
    if (t_[before].spelled == "(" && t_[e.second + 1].spelled == ")") {
      if (t_[before - 1].is == source::token::kind::text) return instruction_stays(before - 1);
      if (t_[before - 1].spelled == ">") {
        const auto cast = named_cast(before);
        return cast && number_stays({cast->word, e.second + 1}, levels - 1);
      }
      const bool converts = type_bytes(t_[before - 1].spelled).has_value();
      return converts && number_stays({before - 1, e.second + 1}, levels - 1);
    }
    const bool is_value = t_[before].spelled == "=" && t_[e.second + 1].spelled == ";" &&
                          t_[before - 1].is == source::token::kind::word &&
                          t_[before - 2].is == source::token::kind::word;
    if (!is_value) return false;
    const std::string_view name = t_[before - 1].spelled;
    for (std::size_t i = e.second + 1; i < std::min(to_, t_.size()); ++i) {
      if (t_[i].spelled != name || t_[i].is != source::token::kind::word) continue;
      const bool is_operand_of_asm =
          t_[i - 1].spelled == "(" && t_[i + 1].spelled == ")" && t_[i - 2].is == source::token::kind::text;
      if (!is_operand_of_asm || !instruction_stays(i - 2)) return false;
    }
    return true;
  }

  // Checks the asm statement with an operand at `text`. The statement must not change the address, and must not access
  // more bytes than the layout keeps together.
  bool instruction_stays(std::size_t text) const {
    std::size_t word = text;
    while (word > 0 && t_[word].spelled != "asm" && t_[word].spelled != "__asm__" && t_[word].spelled != ";") --word;
    if (t_[word].spelled == ";") return false;
    std::uint32_t bytes = element_bytes_;
    for (std::size_t i = word; i < text; ++i) {
      if (t_[i].is != source::token::kind::text) continue;
      const std::string_view s = t_[i].spelled;
      const auto has = [&](std::string_view what) { return s.find(what) != std::string_view::npos; };
      for (std::size_t at = s.find('['); at != std::string_view::npos; at = s.find('[', at + 1))
        if (s.substr(at, s.find(']', at) - at).find('+') != std::string_view::npos) return false;
      if (has("ldmatrix") || has("stmatrix") || has("cp.async") || has(".v4")) bytes = std::max(bytes, 16u);
      if (has(".v2") || has("64")) bytes = std::max(bytes, 8u);
      if (has("bulk") || has("wgmma") || has("mbarrier") || has("tensor")) return false;
    }
    return keeps(bytes);
  }

  // Returns the token of a reference that is bound to the element, such as x in "float& x = c ? e : f".
  std::optional<std::size_t> reference_bound_in_statement(source::token_range e) const {
    for (std::size_t i = e.first; i-- > 2;) {
      const std::string_view s = t_[i].spelled;
      if (s == ";" || s == "}" || (s == "{" && i + 1 != e.first)) return std::nullopt;
      const bool opens = s == "=" || ((s == "(" || s == "{") && i + 1 == e.first);
      const bool refers = t_[i - 2].spelled == "&" || t_[i - 2].spelled == "&&";
      if (!opens || !refers || t_[i - 1].is != source::token::kind::word) continue;
      const source::token& before = t_[i - 3];
      if (i >= 3 && (before.is == source::token::kind::word || before.spelled == ">" || before.spelled == "*"))
        return i - 1;
    }
    return std::nullopt;
  }

  // Whether a function returns a reference to the element, as "[&](int i) -> float& { return e; }" does.
  bool is_returned_as_reference(source::token_range e) const {
    if (t_[e.first - 1].spelled != "return") return false;
    std::size_t depth = 0, open = e.first - 1;
    for (; open > 0; --open) {
      if (t_[open].spelled == "}") ++depth;
      if (t_[open].spelled == "{" && depth-- == 0) break;
    }
    return open > 0 && (t_[open - 1].spelled == "&" || t_[open - 1].spelled == "&&");
  }

  struct called {
    std::vector<source::token_range> parameters;
    std::size_t open = 0, close = 0;
  };
  // Returns the functions with this name, including lambdas such as "const auto name = [&](float& x) { ... }".
  std::vector<called> functions_called(std::string_view name) const {
    std::vector<called> all;
    for (std::size_t i = 1; i + 2 < t_.size(); ++i) {
      if (t_[i].spelled != name || t_[i].is != source::token::kind::word) continue;
      std::size_t list = r_.bracket_after(i);
      if (t_[i + 1].spelled == "=" && t_[i + 2].spelled == "[") list = source::closing(t_, i + 2) + 1;
      if (list >= t_.size() || t_[list].spelled != "(") continue;
      std::size_t open = source::closing(t_, list) + 1;
      for (int skipped = 0; open < t_.size() && t_[open].spelled != "{" && skipped < 6; ++skipped) {
        if (t_[open].spelled == ";" || t_[open].spelled == ")" || t_[open].spelled == ",") break;
        ++open;
      }
      if (open < t_.size() && t_[open].spelled == "{")
        all.push_back({r_.list_in(list), open, source::closing(t_, open)});
    }
    return all;
  }

  // Whether the code between two tokens only reads and writes the reference with this name.
  bool variable_stays(std::string_view name, std::size_t from, std::size_t to, int levels) const {
    for (std::size_t i = from; i < std::min(to, t_.size()); ++i) {
      if (t_[i].spelled != name || t_[i].is != source::token::kind::word) continue;
      if (t_[i - 1].spelled == "." || t_[i - 1].spelled == "->" || t_[i - 1].spelled == "::") continue;
      const source::token_range e = without_brackets({i, i});
      if (address_is_taken(e) ? !address_stays({e.first - 1, e.second}, levels) : !reference_stays(e, levels))
        return false;
    }
    return true;
  }

  const source::reader& r_;
  const source::reader::tokens& t_;
  const advise::relayout& layout_;
  std::uint32_t element_bytes_ = 4;
  std::size_t to_ = 0;
};

}  // namespace

std::optional<std::string> reached_beyond(const source::reader& r, const source::use& u, const advise::relayout& layout,
                                          std::uint32_t element_bytes, std::size_t to) {
  const element_follower f(r, layout, element_bytes, to);
  const std::string name(r.all()[u.name].spelled);
  const source::token_range e = f.element(u);
  if (f.address_is_taken(e)) {
    const std::size_t open = r.call_around(u.name).second;
    if (f.address_stays({e.first - 1, e.second}, deepest_reach) || (open != 0 && r.only_dereferenced(u, open)))
      return std::nullopt;
    return formatted("code that takes the address of an element of {} may access other elements", name);
  }
  if (f.reference_stays(e, deepest_reach)) return std::nullopt;
  return formatted("code with a reference to an element of {} may access other elements", name);
}

}  // namespace bankwise::edit
