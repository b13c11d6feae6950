// The version that a math library reports.
#pragma once

namespace bankwise::math {

struct version_number {
  int major, minor, patch;
};
extern const version_number library_version;

// Returns the version as one number: the major version is multiplied by `a_major`. If `a_major` is 10,000, the number
// for 13.1.0 is 130100.
constexpr int number_of(version_number v, int a_major) { return v.major * a_major + v.minor * 100 + v.patch; }
// Returns property 0, 1 or 2 of a library: major version, minor version or patch level.
constexpr int part_of(version_number v, int which) { return which == 0 ? v.major : which == 1 ? v.minor : v.patch; }

}  // namespace bankwise::math
