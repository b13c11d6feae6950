// Finds kernels by their names. If no name equals the text, the text is treated as a regular expression.
#include "cubin/kernel_names.hpp"

#include <regex.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/instance_names.hpp"
#include "cubin/names/demangler.hpp"
#include "cubin/names/name_parts.hpp"

namespace bankwise::cubin {

std::string demangle(const std::string& mangled) { return demangled(mangled).value_or(mangled); }

std::string function_of(const code_section& section) {
  const std::string_view name = section.name, prefix = ".text.";
  return demangle(std::string(name.starts_with(prefix) ? name.substr(prefix.size()) : name));
}

namespace {

// For a name that could not be demangled, returns the last identifier at the name's beginning, such as device_kernel in
// _ZN7cutlass13device_kernelI... Returns an empty text if there is none.
std::string last_of_mangled(std::string_view mangled) {
  std::string_view last;
  for (mangled.remove_prefix(mangled.starts_with("_ZN") ? 3 : 2); !mangled.empty();) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(mangled.data(), mangled.data() + mangled.size(), length);
    if (error != std::errc()) break;
    mangled.remove_prefix(static_cast<std::size_t>(end - mangled.data()));
    last = mangled.substr(0, length);
    mangled.remove_prefix(last.size());
  }
  return std::string(last);
}

}  // namespace

std::string bare_name(const std::string& full_name) {
  if (full_name.starts_with("_Z"))
    if (std::string name = last_of_mangled(full_name); !name.empty()) return name;
  // Removes the parameters and the template arguments. Then removes everything before the last blank or :: outside of
  // <>.
  int depth = 0;
  std::size_t end = full_name.size(), begin = 0;
  for (std::size_t i = 0; i < full_name.size(); ++i) {
    const char c = full_name[i];
    if (c == '(' && depth == 0 && !full_name.substr(i).starts_with("(anonymous namespace)")) {
      end = i;
      break;
    }
    if (c == '(' && depth == 0) i += std::string_view("(anonymous namespace)").size() - 1;
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth == 0 && (c == ' ' || c == ':')) begin = i + 1;
  }
  std::string name = full_name.substr(begin, end > begin ? end - begin : 0);
  name = name.substr(0, name.find('<'));
  return name.empty() ? full_name : name;
}

std::string endless_expression(std::string_view expression) {
  // limit for the product of all repetition counts, as if all repetitions were nested
  constexpr std::uint64_t most_repeated = 1000;
  std::uint64_t repeated = 1;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\') {
      if (++i < expression.size() && expression[i] >= '1' && expression[i] <= '9')
        return "back-references are not supported, because matching them can take too long";
    } else if (expression[i] == '[') {
      const std::size_t first = i + (expression.substr(i + 1).starts_with('^') ? 2 : 1);
      i = std::min(expression.find(']', first + 1), expression.size());  // a ] in the first position belongs to the set
    } else if (expression[i] == '{') {
      std::uint64_t most = 1;
      for (const std::string_view n : split(expression.substr(i + 1, expression.find('}', i) - i - 1), ','))
        most = std::max(most, parse_u64(n).value_or(1));
      repeated = std::min(most, most_repeated + 1) * repeated;
      if (repeated > most_repeated) return "an expression can have at most 1,000 repetitions";
    }
  }
  return "";
}

namespace {

// A POSIX extended regular expression. std::regex is not used, because it overflows the stack on long names.
class posix_regex {
 public:
  explicit posix_regex(const std::string& text)
      : status_(regcomp(&expression_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  ~posix_regex() {
    if (status_ == 0) regfree(&expression_);
  }
  posix_regex(const posix_regex&) = delete;
  posix_regex& operator=(const posix_regex&) = delete;

  // Returns the error in the expression, or an empty text if the expression is valid.
  std::string error() const {
    char text[128] = "";
    if (status_ != 0) regerror(status_, &expression_, text, sizeof text);
    return text;
  }
  bool is_in(const std::string& text) const { return regexec(&expression_, text.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t expression_;
  int status_;
};

// Whether a full name begins with `start`, also without its return type and namespaces. Blanks do not matter.
bool begins_with(const std::string& full_name, const std::string& start) {
  int depth = 0;
  for (std::size_t i = 0; i < full_name.size(); ++i) {
    const bool is_begin = depth == 0 && (i == 0 || full_name[i - 1] == ' ' || full_name[i - 1] == ':');
    if (is_begin && names::without_blanks(full_name.substr(i)).starts_with(start)) return true;
    const char c = full_name[i];
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
  }
  return false;
}

std::vector<const kernel*> kernels_by_name(const program& p, const std::string& name) {
  std::vector<const kernel*> found;
  for (const kernel& k : p.kernels)
    if (k.name == name || k.full_name == name || k.mangled == name) found.push_back(&k);
  if (!found.empty()) return found;
  for (const kernel& k : p.kernels)
    if (is_instance_name(name, {k.full_name, k.mangled})) found.push_back(&k);
  if (found.size() > 1) {
    // k<16> is the short name of k<16u> only if no other kernel has this name.
    std::vector<kernel_identity> all;
    for (const kernel& k : p.kernels) all.push_back({k.full_name, k.mangled});
    const std::vector<std::string> names = instance_names(all);
    std::vector<const kernel*> exact;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names::without_blanks(names[i]) == names::without_blanks(name)) exact.push_back(&p.kernels[i]);
    if (!exact.empty()) return exact;
  }
  if (!found.empty()) return found;
  // Also accepts the beginning of a full name, such as "tr_pad<0>" or "tr_pad(float".
  std::string start = names::without_blanks(name);
  if (start.find('(') == std::string::npos) start += "(";
  for (const kernel& k : p.kernels)
    if (begins_with(k.full_name, start)) found.push_back(&k);
  return found;
}

result<std::vector<const kernel*>> kernels_by_expression(const program& p, const std::string& pattern,
                                                         std::string_view expression) {
  std::vector<const kernel*> found;
  if (expression.empty()) return found;
  if (expression.size() > 1000) return diagnostic{"-k: the expression is longer than 1,000 characters"};
  if (const std::string why = endless_expression(expression); !why.empty())
    return diagnostic{formatted("-k {}: {}", pattern, why)};
  const posix_regex matcher{std::string(expression)};
  if (!matcher.error().empty() && expression.size() != pattern.size())
    return diagnostic{formatted("-k {}: {}", pattern, matcher.error())};
  for (const kernel& k : p.kernels)
    if (matcher.error().empty() && (matcher.is_in(k.full_name) || matcher.is_in(k.mangled))) found.push_back(&k);
  return found;
}

// Finds kernels by a filter of compute-sanitizer on mangled names: kernel_substring=PART or kernel_name=NAME, or kns= and
// kne=. Returns nothing for other patterns.
std::optional<std::vector<const kernel*>> kernels_by_filter(const program& p, const std::string& pattern) {
  struct filter {
    std::string_view key;
    bool is_whole;
  };
  constexpr filter filters[] = {{"kns=", false}, {"kernel_substring=", false}, {"kne=", true}, {"kernel_name=", true}};
  for (const filter& f : filters) {
    if (!pattern.starts_with(f.key)) continue;
    const std::string wanted = pattern.substr(f.key.size());
    std::vector<const kernel*> found;
    for (const kernel& k : p.kernels) {
      const bool is_it =
          f.is_whole ? k.mangled == wanted || k.full_name == wanted || k.name == wanted
                     : k.mangled.find(wanted) != std::string::npos || k.full_name.find(wanted) != std::string::npos;
      if (is_it && !wanted.empty()) found.push_back(&k);
    }
    return found;
  }
  return std::nullopt;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::string s;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) s += "\n    " + names[i];
  return names.size() > most ? s + formatted("\n    ... and {} more", names.size() - most) : s;
}

diagnostic no_such_kernel(const program& p, const std::string& pattern, std::string_view expression) {
  std::vector<std::string> names, bare, near;
  for (const kernel& k : p.kernels) {
    names.push_back(k.full_name == k.mangled ? k.name : k.full_name);
    bare.push_back(k.name);
  }
  for (const std::string& name : nearest(expression, bare, 3))
    for (std::size_t i = 0; i < bare.size(); ++i)
      if (bare[i] == name && std::find(near.begin(), near.end(), names[i]) == near.end()) near.push_back(names[i]);
  return {formatted("there is no kernel {} in {}", pattern, p.file),
          {},
          near.empty() ? "there are:" + listed(names) : "did you mean:" + listed(near)};
}

}  // namespace

result<std::vector<const kernel*>> match_kernels(const program& p, const std::string& pattern) {
  if (const auto filtered = kernels_by_filter(p, pattern); filtered) return *filtered;
  std::string_view expression = pattern;
  if (expression.starts_with("regex=")) return match_kernels(p, formatted("regex:{}", pattern.substr(6)));
  if (expression.starts_with("regex:")) expression.remove_prefix(6);
  std::vector<const kernel*> found;
  if (pattern.empty())
    for (const kernel& k : p.kernels) found.push_back(&k);
  else if (expression.size() == pattern.size())
    found = kernels_by_name(p, pattern);
  // If the text is not the name of a kernel, it is a regular expression, with or without "regex:" before it.
  if (found.empty()) {
    auto by_expression = kernels_by_expression(p, pattern, expression);
    if (!by_expression) return by_expression.error();
    found = std::move(*by_expression);
  }
  return found;
}

result<std::vector<const kernel*>> find_kernels(const program& p, const std::string& pattern) {
  if (p.kernels.empty()) return diagnostic{p.file + " has no kernels", {.file = p.file}};
  if (pattern.starts_with("regex=")) return find_kernels(p, formatted("regex:{}", pattern.substr(6)));
  auto found = match_kernels(p, pattern);
  if (!found || !found->empty()) return found;
  std::string_view expression = pattern;
  if (expression.starts_with("regex:"))
    expression.remove_prefix(6);
  else if (kernels_by_filter(p, pattern))
    expression.remove_prefix(pattern.find('=') + 1);
  return no_such_kernel(p, pattern, expression);
}

result<const kernel*> find_kernel(const program& p, const std::string& pattern) {
  const auto found = find_kernels(p, pattern);
  if (!found) return found.error();
  if (found->size() == 1) return found->front();
  std::vector<std::string> several;
  for (const kernel* k : *found) several.push_back(k->full_name);
  return diagnostic{pattern.empty() ? formatted("{} has {} kernels. Choose a kernel with -k", p.file, found->size())
                                    : formatted("-k {} matches {} kernels", pattern, found->size()),
                    {},
                    "there are:" + listed(several)};
}

}  // namespace bankwise::cubin
