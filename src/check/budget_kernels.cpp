#include "check/budget_kernels.hpp"

#include <algorithm>
#include <functional>

#include "cubin/instance_names.hpp"
#include "model/instances.hpp"

namespace bankwise::check {

namespace {

constexpr std::string_view signs_of_patterns = "*?";

bool is_escape(std::string_view text, std::size_t at) {
  return text[at] == '\\' && at + 1 < text.size() && signs_of_patterns.find(text[at + 1]) != std::string_view::npos;
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) plain += is_escape(text, i) ? text[++i] : text[i];
  return plain;
}

}  // namespace

kernel_names names_of(const launch_report& l) { return {shown_name(l), l.name, l.kernel, l.mangled}; }

std::vector<bool> kernels_of_budget(std::string_view text, const std::vector<kernel_names>& kernels) {
  const std::string plain = without_escapes(text);
  const std::function<bool(const kernel_names&)> ways[] = {
      [&](const kernel_names& k) { return k.instance == plain; },
      [&](const kernel_names& k) {
        return k.name == plain || cubin::is_instance_name(plain, {k.kernel, k.mangled});
      },
      [&](const kernel_names& k) {
        return matches(text, k.name) || matches(text, k.instance) || matches(text, k.kernel);
      }};
  std::vector<bool> chosen(kernels.size(), false);
  for (const auto& way : ways) {
    // The bare name is for every kernel with this name, also if it is the short name of one of them.
    if (&way == &ways[0] && std::any_of(kernels.begin(), kernels.end(),
                                        [&](const kernel_names& k) { return k.name == plain && k.instance != plain; }))
      continue;
    for (std::size_t i = 0; i < kernels.size(); ++i) chosen[i] = way(kernels[i]);
    if (std::find(chosen.begin(), chosen.end(), true) != chosen.end()) break;
  }
  return chosen;
}

std::string budget_text(const kernel_names& k) {
  std::string text;
  for (const char c : k.instance)
    text += signs_of_patterns.find(c) == std::string_view::npos ? std::string(1, c) : std::string("\\") + c;
  return text;
}

bool matches(std::string_view pattern, std::string_view name) {
  // After a mismatch, the last * matches one more character, and the search continues.
  std::size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    const bool escaped = p < pattern.size() && is_escape(pattern, p);
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() &&
               (escaped ? pattern[p + 1] == name[n] : pattern[p] == '?' || pattern[p] == name[n])) {
      p += escaped ? 2 : 1;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace bankwise::check
