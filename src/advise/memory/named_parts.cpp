#include "advise/memory/named_parts.hpp"

#include <algorithm>

namespace bankwise::advise {

std::set<std::string> named_parts::allowed_by(const std::vector<std::size_t>& sites, const std::string& memory) {
  std::map<std::string, std::size_t> lines_with;
  std::size_t lines = 0;
  for (const std::size_t i : sites) {
    const std::vector<std::string> names = names_of(l_.sites[i], memory);
    lines += names.empty() ? 0 : 1;
    for (const std::string& n : names) ++lines_with[n];
  }
  std::set<std::string> all, most;
  for (const auto& [n, count] : lines_with) {
    if (count == lines) all.insert(n);
    if (count * 4 >= lines * 3) most.insert(n);
  }
  return all.empty() ? most : all;
}

const source::shared_pointers* named_parts::pointers_at(const std::string& file, std::uint32_t line) {
  if (file.empty() || line == 0 || !source_) return nullptr;
  auto& all = pointers_[file];
  for (const auto& one : all)
    if (one->covers(line)) return one.get();
  const auto [text, is_new] = texts_.try_emplace(file);
  if (is_new) text->second = source_(file);
  if (!text->second) return nullptr;
  return all.emplace_back(std::make_unique<source::shared_pointers>(*text->second, line, l_.kernel)).get();
}
// Returns the names of parts of the memory on an instruction's line. If this line has none and is in an inlined
// function, returns the names on the line that calls the function.
std::vector<std::string> named_parts::names_of(const site& s, const std::string& memory) {
  for (const auto& [file, line] : {std::pair(s.file, s.line), std::pair(s.outer_file, s.outer_line)})
    if (const source::shared_pointers* known = pointers_at(file, line)) {
      std::vector<std::string> names = known->on_line(line);
      std::erase_if(names, [&](const std::string& n) {
        const source::shared_pointer* const part = known->find(n);
        return part == nullptr || part->memory != memory;
      });
      if (names.empty()) continue;
      for (const source::shared_pointer& p : known->parts()) parts_.try_emplace(p.name, p);
      return names;
    }
  return {};
}
const source::shared_pointer* named_parts::find(const std::string& name) const {
  const auto at = parts_.find(name);
  return at == parts_.end() ? nullptr : &at->second;
}

bool named_parts::is_memory(const std::string& name) const {
  const source::shared_pointer* const part = find(name);
  return part != nullptr && part->is_memory;
}

bool named_parts::any() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const auto& p) { return !p.second.is_memory; });
}

}  // namespace bankwise::advise
