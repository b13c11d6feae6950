#include "timing/launch/resource.hpp"

#include <limits>

namespace bankwise::timing {

std::string_view name_of(resource r) {
  constexpr std::string_view names[] = {
#define RESOURCE(name, words, unit, busy, ...) #name,
#include "model/time/resources.def"
  };
  return names[static_cast<std::size_t>(r)];
}

std::string_view words_of(resource r) {
  constexpr std::string_view all[] = {
#define RESOURCE(name, words, unit, busy, ...) words,
#include "model/time/resources.def"
  };
  return all[static_cast<std::size_t>(r)];
}

free_resources without(resource r) {
  constexpr free_resources rows[resource_count + 1] = {
#define RESOURCE(name, words, unit, busy, ...) {__VA_ARGS__},
#include "model/time/resources.def"
  };
  return rows[static_cast<std::size_t>(r)];
}

double busy_clocks(resource what, const multiprocessor_run& r) {
  constexpr double always = std::numeric_limits<double>::infinity();
  const double rows[] = {
#define RESOURCE(name, words, unit, busy, ...) busy,
#include "model/time/resources.def"
  };
  return rows[static_cast<std::size_t>(what)];
}

double use_of(resource what, const resource_use& u) {
  constexpr double resource_use::*none = nullptr;
  constexpr auto issue = &resource_use::issue, pipes = &resource_use::pipes, l1 = &resource_use::l1,
                 l2 = &resource_use::l2, dram = &resource_use::dram;
  constexpr double resource_use::*rows[] = {
#define RESOURCE(name, words, unit, busy, ...) unit,
#include "model/time/resources.def"
  };
  const auto part = rows[static_cast<std::size_t>(what)];
  return part == nullptr ? 0 : u.*part;
}

}  // namespace bankwise::timing
