// The names that a kernel's source gives to the parts of its shared memory, for the instructions of a launch.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "advise/memory/divided_memory.hpp"
#include "source/shared_pointers.hpp"

namespace bankwise::advise {

class named_parts {
 public:
  named_parts(const launch_report& l, const source_text& source) : l_(l), source_(source) {}

  // Returns the names that occur on the lines of all sites. If there is no such name, returns the names that occur for
  // at least three quarters of the sites, because compilers move instructions. Sites without any name on their lines
  // are ignored.
  //
  // `memory` is the static array that contains the parts, or empty for dynamic memory.
  std::set<std::string> allowed_by(const std::vector<std::size_t>& sites, const std::string& memory);

  // Returns null if no line uses the name.
  const source::shared_pointer* find(const std::string& name) const;
  bool is_memory(const std::string& name) const;
  // Whether the code gives names to parts of the memory.
  bool any() const;

 private:
  const source::shared_pointers* pointers_at(const std::string& file, std::uint32_t line);
  std::vector<std::string> names_of(const site& s, const std::string& memory);

  const launch_report& l_;
  const source_text& source_;
  std::map<std::string, std::vector<std::unique_ptr<source::shared_pointers>>> pointers_;
  std::map<std::string, std::optional<std::string>> texts_;
  std::map<std::string, source::shared_pointer> parts_;
};

}  // namespace bankwise::advise
