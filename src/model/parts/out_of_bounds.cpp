#include "model/parts/out_of_bounds.hpp"

namespace bankwise {

namespace {

constexpr struct {
  access_direction what;
  const char *name, *verb;
} directions[] = {{access_direction::read, "read", "reads"},
                  {access_direction::write, "write", "writes"},
                  {access_direction::update, "update", "updates"}};

constexpr std::string_view memories[] = {"global", "shared"};

}  // namespace

std::string_view name_of(bounded_memory m) { return memories[static_cast<unsigned>(m)]; }
bool parse_bounded_memory(std::string_view name, bounded_memory& m) {
  if (name != memories[0] && name != memories[1]) return false;
  m = name == memories[0] ? bounded_memory::global : bounded_memory::shared;
  return true;
}

std::string_view name_of(access_direction d) { return directions[static_cast<unsigned>(d)].name; }
const char* verb_of(access_direction d) { return directions[static_cast<unsigned>(d)].verb; }

bool parse_direction(std::string_view name, access_direction& d) {
  for (const auto& one : directions)
    if (name == one.name) {
      d = one.what;
      return true;
    }
  return false;
}

bool same_but_for_memory(const out_of_bounds_access& a, const out_of_bounds_access& b) {
  return a.place == b.place && a.direction == b.direction && a.memory == b.memory && a.count == b.count &&
         a.lanes == b.lanes && a.block == b.block && a.thread == b.thread;
}

}  // namespace bankwise
