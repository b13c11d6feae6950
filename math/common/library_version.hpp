// The version that a math library reports. It is the only difference between the files for different sonames.
#pragma once

namespace bankwise::math {

struct version_number {
  int major, minor, patch;
};
extern const version_number library_version;

// The version as one number. 13.1.0 is 130100 if a major version counts 10,000, and 13100 if it counts 1,000.
constexpr int number_of(version_number v, int a_major) { return v.major * a_major + v.minor * 100 + v.patch; }
// The properties 0, 1 and 2 of a library: major version, minor version and patch level.
constexpr int part_of(version_number v, int which) { return which == 0 ? v.major : which == 1 ? v.minor : v.patch; }

}  // namespace bankwise::math
