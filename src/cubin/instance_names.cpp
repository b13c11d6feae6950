#include "cubin/instance_names.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/names/name_parts.hpp"

namespace bankwise::cubin {

namespace {

using names::name_detail;
using names::name_parts;

constexpr std::size_t longest_name = 64;
constexpr std::string_view left_out = "...";

// A kernel and the parts of its name, if the name can be read.
struct named_kernel {
  const kernel_identity* is = nullptr;
  std::string bare;
  std::optional<name_parts> parts;
};

named_kernel named(const kernel_identity& k) {
  named_kernel n{&k, bare_name(k.full_name), {}};
  if (!k.full_name.starts_with("_Z")) n.parts = names::parts_of_name(k.full_name);
  return n;
}

std::string arguments_of(const named_kernel& k, name_detail d) {
  return k.parts && k.parts->arguments ? text_of(*k.parts->arguments, d) : std::string();
}
std::string parameters_of(const named_kernel& k, name_detail d) {
  return k.parts && k.parts->parameters ? text_of(*k.parts->parameters, d) : std::string();
}
std::string scope_of(const named_kernel& k) {
  return k.parts ? text_of(k.parts->scope, name_detail::every_word) : std::string();
}

// The name with all of its arguments, in short words.
std::string whole_name(const named_kernel& k) { return k.bare + arguments_of(k, name_detail::short_words); }

// The same with ... for what is too long.
std::string brief_name(const named_kernel& k) {
  std::string name = whole_name(k);
  if (name.size() <= longest_name || !k.parts || !k.parts->arguments) return name;
  for (const unsigned levels : {2U, 1U}) {
    name = k.bare + outline_of(*k.parts->arguments, levels);
    if (name.size() <= longest_name) return name;
  }
  // The first arguments that fit.
  names::name_token first = *k.parts->arguments;
  // Each argument has at least one character and a comma, so the others do not fit.
  if (first.items.size() > longest_name / 2 + 1) first.items.resize(longest_name / 2 + 1);
  while (!first.items.empty()) {
    first.items.pop_back();
    std::string some = outline_of(first, 1);
    some.insert(some.size() - 1, first.items.empty() ? "..." : ", ...");
    name = k.bare + some;
    if (name.size() <= longest_name) break;
  }
  return name;
}

// A number of four digits for kernels that only their mangled names tell apart.
std::string mark_of(const std::string& mangled) {
  std::uint32_t h = 2166136261U;  // FNV-1a
  for (const char c : mangled) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return " #" + hex((h ^ h >> 16) & 0xffff, 4);
}

// Returns the source of a kernel in an unnamed namespace, from _GLOBAL__N__5c7675de_4_a_cu_...: " [a.cu]". Returns an
// empty text for other kernels.
std::string source_of(const std::string& mangled) {
  constexpr std::string_view unnamed = "_GLOBAL__N__";
  std::size_t at = mangled.find(unnamed);
  if (at == std::string::npos) return {};
  at = mangled.find('_', at + unnamed.size());
  if (at == std::string::npos) return {};
  const std::size_t end = mangled.find('_', ++at);
  const auto length = end == std::string::npos ? std::nullopt : parse_u64(mangled.substr(at, end - at));
  if (!length || *length == 0 || *length > mangled.size() - end - 1) return {};
  std::string name = mangled.substr(end + 1, *length);
  if (const std::size_t dot = name.rfind('_'); dot != std::string::npos) name[dot] = '.';
  return formatted(" [{}]", name);
}

// Forms of a name, from the shortest to the most exact. If two kernels have the same form, both get the next form.
using name_form = std::string (*)(const named_kernel&, const std::vector<const named_kernel*>& same);
constexpr name_form name_forms[] = {
    [](const named_kernel& k, const std::vector<const named_kernel*>&) { return brief_name(k); },
    [](const named_kernel& k, const std::vector<const named_kernel*>& same) {
      std::vector<const names::name_token*> arguments;
      for (const named_kernel* other : same)
        if (other->parts && other->parts->arguments) arguments.push_back(&*other->parts->arguments);
      return arguments.size() == same.size() && k.parts && k.parts->arguments && whole_name(k).size() > longest_name
                 ? k.bare + differences_of(*k.parts->arguments, arguments)
                 : whole_name(k);
    },
    [](const named_kernel& k, const std::vector<const named_kernel*>&) { return whole_name(k); },
    [](const named_kernel& k, const std::vector<const named_kernel*>&) {
      return whole_name(k) + parameters_of(k, name_detail::short_words);
    },
    [](const named_kernel& k, const std::vector<const named_kernel*>&) {
      return scope_of(k) + k.bare + arguments_of(k, name_detail::every_word);
    },
    [](const named_kernel& k, const std::vector<const named_kernel*>&) {
      return scope_of(k) + k.bare + arguments_of(k, name_detail::every_word) +
             parameters_of(k, name_detail::every_word);
    },
    [](const named_kernel& k, const std::vector<const named_kernel*>&) {
      return brief_name(k) + source_of(k.is->mangled);
    },
    [](const named_kernel& k, const std::vector<const named_kernel*>&) {
      return brief_name(k) + mark_of(k.is->mangled);
    },
    [](const named_kernel& k, const std::vector<const named_kernel*>&) { return k.is->mangled; },
};

// Whether the text equals the name. Each ... in the text stands for any characters.
bool equals(std::string_view text, std::string_view name) {
  std::size_t t = 0, n = 0, dots = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (text.substr(t).starts_with(left_out)) {
      dots = t += left_out.size();
      taken = n;
    } else if (t < text.size() && text[t] == name[n]) {
      ++t;
      ++n;
    } else if (dots != std::string_view::npos) {
      t = dots;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (text.substr(t).starts_with(left_out)) t += left_out.size();
  return t == text.size();
}

}  // namespace

std::vector<std::string> instance_names(const std::vector<kernel_identity>& kernels) {
  // A report of a long program has the same kernel often.
  std::map<kernel_identity, std::size_t> places;
  std::vector<named_kernel> all;
  std::vector<std::size_t> place_of;
  for (const kernel_identity& k : kernels) {
    const auto [at, is_new] = places.try_emplace(k, all.size());
    if (is_new) all.push_back(named(at->first));
    place_of.push_back(at->second);
  }
  std::vector<std::string> found(all.size());
  std::vector<std::size_t> level(all.size(), 0);
  std::map<std::string, std::size_t> with_bare_name;
  for (const named_kernel& k : all) ++with_bare_name[k.bare];
  for (std::size_t i = 0; i < all.size(); ++i) {
    found[i] = name_forms[0](all[i], {});
    // The bare name means every kernel with this name, so that a kernel without arguments needs its parameters.
    if (found[i] == all[i].bare && with_bare_name[all[i].bare] > 1) found[i] = all[i].bare + std::string(left_out);
  }
  for (std::size_t round = 0; round + 1 < std::size(name_forms); ++round) {
    std::map<std::string, std::vector<std::size_t>> same;
    for (std::size_t i = 0; i < all.size(); ++i) same[found[i]].push_back(i);
    for (const auto& [name, group] : same) {
      if (group.size() == 1 && name != all[group[0]].bare + std::string(left_out)) continue;
      std::vector<const named_kernel*> others;
      for (const std::size_t i : group) others.push_back(&all[i]);
      for (const std::size_t i : group) {
        const bool needs_more = with_bare_name[all[i].bare] > 1;
        while (level[i] + 1 < std::size(name_forms)) {
          found[i] = name_forms[++level[i]](all[i], others);
          if (!needs_more || found[i] != all[i].bare) break;
        }
      }
    }
  }
  std::vector<std::string> names;
  for (const std::size_t i : place_of) names.push_back(found[i]);
  return names;
}

std::string instance_name(const std::string& full_name) { return brief_name(named({full_name, {}})); }

bool is_instance_name(std::string_view text, const kernel_identity& kernel) {
  if (text == kernel.full_name || text == kernel.mangled) return true;
  const named_kernel k = named(kernel);
  if (text == brief_name(k) + mark_of(kernel.mangled) || text == brief_name(k) + source_of(kernel.mangled)) return true;
  const std::string asked = names::without_blanks(std::string(text));
  const std::string names[] = {
      whole_name(k),
      whole_name(k) + parameters_of(k, name_detail::short_words),
      scope_of(k) + k.bare + arguments_of(k, name_detail::every_word),
      scope_of(k) + k.bare + arguments_of(k, name_detail::every_word) + parameters_of(k, name_detail::every_word),
      k.bare + arguments_of(k, name_detail::every_word),
      kernel.full_name};
  return std::any_of(std::begin(names), std::end(names),
                     [&](const std::string& name) { return equals(asked, names::without_blanks(name)); });
}

}  // namespace bankwise::cubin
