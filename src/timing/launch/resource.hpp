// The resources for which a launch may wait: the rows of resources.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "timing/launch/resource_use.hpp"
#include "timing/multiprocessor/free_resources.hpp"
#include "timing/multiprocessor/multiprocessor.hpp"

namespace bankwise::timing {

enum class resource : std::uint8_t {
#define RESOURCE(name, words, unit, busy, ...) name,
#include "model/time/resources.def"
  count,
};
inline constexpr auto resource_count = static_cast<std::size_t>(resource::count);

std::string_view name_of(resource r);
std::string_view words_of(resource r);  // the name in a sentence
// Returns what is free in a replay without the resource. Nothing is free for resource::count.
free_resources without(resource r);
// Returns the clocks for which a resource of the replayed multiprocessor was busy. If they are not known, the result is
// infinite.
double busy_clocks(resource what, const multiprocessor_run& r);
// Returns the part of the time for which the unit of a resource was busy, or 0 if the resource has no unit.
double use_of(resource what, const resource_use& u);

}  // namespace bankwise::timing
